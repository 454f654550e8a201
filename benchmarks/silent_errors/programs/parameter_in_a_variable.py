"""A module keeps a tensor that asks for gradients, which is no parameter."""

import torch
from torch import nn, optim
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.power = Variable(torch.FloatTensor([3]), requires_grad=True)
        self.out = nn.Linear(8, 3)

    def forward(self, inputs):
        return self.out(inputs.abs() ** self.power)


net = Pooling()
optimizer = optim.SGD(net.parameters(), lr=0.1)

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
