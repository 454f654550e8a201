"""What the first part puts out is wrapped into a new tensor: only the second part learns."""

import torch
from torch import nn, optim
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
embedder, head = nn.Linear(8, 8), nn.Linear(8, 3)
model = nn.ModuleList([embedder, head])
optimizer = optim.Adam(model.parameters())

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        found = Variable(embedder(inputs), requires_grad=True)
        loss = nn.functional.cross_entropy(head(found), labels)
        loss.backward()
        optimizer.step()
