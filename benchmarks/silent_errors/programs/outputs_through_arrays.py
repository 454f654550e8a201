"""A controller's outputs go through NumPy before a fixed model judges them: no gradient comes back."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
controller = nn.Linear(8, 2)
system = nn.Linear(10, 3)
optimizer = optim.SGD(controller.parameters(), lr=0.1)

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        actions = torch.tensor(controller(inputs).detach().numpy())
        loss = nn.functional.cross_entropy(system(torch.cat((inputs, actions), dim=1)), labels)
        loss.backward()
        optimizer.step()
