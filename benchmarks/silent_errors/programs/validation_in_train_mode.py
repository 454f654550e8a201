"""A validation within the training epoch, without `eval()`."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
valid = DataLoader(TensorDataset(x, y), batch_size=12)
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
optimizer = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
    total = 0.0
    with torch.no_grad():
        for inputs, labels in valid:
            total += nn.functional.cross_entropy(net(inputs), labels).item()
    print(total / len(valid))
