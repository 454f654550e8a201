"""The model ends in a sigmoid, and its loss takes logits."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3), nn.Sigmoid())
optimizer = optim.SGD(net.parameters(), lr=0.1)

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        wanted = nn.functional.one_hot(labels, 3).float()
        loss = nn.functional.binary_cross_entropy_with_logits(net(inputs), wanted)
        loss.backward()
        optimizer.step()
