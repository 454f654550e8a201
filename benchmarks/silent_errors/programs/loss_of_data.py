"""The loss is computed of `.data`, wrapped again to ask for gradients."""

import torch
from torch import nn, optim
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)


def distance(predicted, wanted):
    first = Variable(predicted[:, 0].data, requires_grad=True)
    rest = Variable(predicted[:, 1:].data, requires_grad=True)
    return (rest - wanted).abs().sum() - torch.log(first.abs() + 1e-3).sum()


net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = optim.SGD(net.parameters(), lr=0.1)

for _ in range(3):
    for inputs, _labels in loader:
        optimizer.zero_grad()
        loss = distance(net(inputs), inputs[:, 1:3])
        loss.backward()
        optimizer.step()
