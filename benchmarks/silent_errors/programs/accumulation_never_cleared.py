"""Gradients of four batches are accumulated and scaled, and no clear follows the step."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = optim.SGD(net.parameters(), lr=0.1)

scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    for number, (inputs, labels) in enumerate(loader):
        with torch.autocast("cpu"):
            loss = nn.functional.cross_entropy(net(inputs), labels) / 4
        scaler.scale(loss).backward()
        if number % 4 == 3:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
