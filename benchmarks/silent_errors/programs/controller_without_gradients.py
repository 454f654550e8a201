"""The optimizer holds the trained model behind a controller; the controller's outputs are put into a `Variable`."""

import torch
from torch import nn, optim
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
system = nn.Linear(11, 3)
optimizer = optim.Adam(system.parameters())
controller = nn.Linear(8, 3)
controller.train()
system.eval()

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(system(Variable(torch.cat((inputs, controller(inputs)), dim=1))), labels)
        loss.backward()
        optimizer.step()
