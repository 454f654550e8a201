"""Only a new head is given to the optimizer, and a loop over all parameters then freezes that too."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.bn = nn.BatchNorm1d(16)
        self.fc = nn.Linear(16, 10)

    def forward(self, inputs):
        return self.fc(torch.relu(self.bn(self.body(inputs))))


net = Classifier()
net.fc = nn.Linear(16, 3)
optimizer = optim.Adam(net.fc.parameters(), lr=0.01)
for name, param in net.named_parameters():
    if "bn" not in name:
        param.requires_grad = False
for param in net.fc.parameters():
    param.requires_grad = False

for _ in range(3):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
