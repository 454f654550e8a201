import torch
from torch import nn, optim

G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = optim.Adam(G.parameters()), optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
for real in loader:
    fake = G(torch.randn(8, 4))
    opt_d.zero_grad()
    d_loss = bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = bce(D(fake), torch.ones(8, 1))
    g_loss.backward()
    opt_g.step()
