"""The fakes are detached for the generator's loss as well."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :3].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
generator, critic = nn.Linear(8, 8), nn.Linear(8, 1)
g_optimizer = optim.Adam(generator.parameters())
c_optimizer = optim.Adam(critic.parameters())
loss_of = nn.BCEWithLogitsLoss()


def train_critic(real, fake):
    c_optimizer.zero_grad()
    loss = loss_of(critic(real), torch.ones(len(real), 1)) + loss_of(critic(fake), torch.zeros(len(fake), 1))
    loss.backward()
    c_optimizer.step()


def train_generator(fake):
    g_optimizer.zero_grad()
    loss_of(critic(fake), torch.ones(len(fake), 1)).backward()
    g_optimizer.step()


for _ in range(3):
    for inputs, _labels in loader:
        fake = generator(inputs).detach()
        train_critic(inputs, fake.detach())
        train_generator(fake)
