"""The validation adds up the loss that the training left behind."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
valid = DataLoader(TensorDataset(x, y), batch_size=12)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    net.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
    net.eval()
    total, right = 0.0, 0
    with torch.no_grad():
        for inputs, labels in valid:
            right += (net(inputs).argmax(1) == labels).sum().item()
            total += loss.item()
    print(total / len(valid), right / len(x))
