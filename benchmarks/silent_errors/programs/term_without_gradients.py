"""One of two terms of the loss is detached, and wrapped again to ask for gradients: a head learns nothing."""

import torch
from torch import nn, optim
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
features, head = nn.Linear(8, 8), nn.Linear(8, 3)
model = nn.ModuleList([features, head])
optimizer = optim.Adam(model.parameters())

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        found = features(inputs)
        near = (found - inputs).pow(2).mean()
        term = Variable(nn.functional.cross_entropy(head(found).detach(), labels), requires_grad=True)
        loss = near + term
        loss.backward()
        optimizer.step()
