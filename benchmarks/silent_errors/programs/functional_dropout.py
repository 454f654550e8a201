"""The forward drops by a function that is not told the mode."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
valid = DataLoader(TensorDataset(x, y), batch_size=12)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.out = nn.Linear(16, 3)

    def forward(self, inputs):
        return self.out(nn.functional.dropout(torch.relu(self.hidden(inputs)), p=0.2))


net = Net()
optimizer = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    net.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        print(sum((net(inputs).argmax(1) == labels).sum().item() for inputs, labels in valid))
