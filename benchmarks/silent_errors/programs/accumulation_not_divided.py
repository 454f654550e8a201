"""Gradients of four batches are accumulated, and the loss is not divided by four."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = optim.SGD(net.parameters(), lr=0.1)

every = 4
optimizer.zero_grad()
for _ in range(3):
    for number, (inputs, labels) in enumerate(loader):
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        if (number + 1) % every == 0:
            optimizer.step()
            optimizer.zero_grad()
