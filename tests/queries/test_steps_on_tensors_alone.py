"""Where an optimizer steps tensors of the program's own alone, the model that they go through is not trained: its mode is as it should be."""

from __future__ import annotations

import pytest

from programs import assert_marked

HEAD = """
def train(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()


model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
loader = torch.utils.data.DataLoader(data, shuffle=True)
"""
GRADIENTS_OF_A_CLIENT = """
for epoch in range(10):
    train(model, loader)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            target = model(x)
    for x, y in loader:
        guess = torch.randn_like(x, requires_grad=True)
        attacker = torch.optim.LBFGS([guess])
        for turn in range(100):
            def closure():
                attacker.zero_grad()
                loss = nn.functional.mse_loss(model(torch.sigmoid(guess)), target)
                found = torch.autograd.grad(loss, model.parameters(), create_graph=True)
                distance = sum(((a - b) ** 2).sum() for a, b in zip(found, wanted))
                distance.backward()
                return distance
            attacker.step(closure)
"""
LATENT_CODE = """
for epoch in range(10):
    train(model, loader)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(model(x), y).item())
    code = torch.zeros(1, 8, requires_grad=True)
    search = torch.optim.Adam([code], lr=0.1)
    for turn in range(100):
        search.zero_grad()
        nn.functional.mse_loss(model(code), picture).backward()
        search.step()
"""
PATCH = """
patch = nn.Parameter(torch.zeros(8))
on_patch = torch.optim.Adam([patch], lr=0.1)
for epoch in range(10):
    train(model, loader)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(model(x), y).item())
    for x, y in loader:
        on_patch.zero_grad()
        (-nn.functional.mse_loss(model(x + patch), y)).backward()
        on_patch.step()
"""
# The same, but of a model that is trained.
TRAINED = """
opt = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
for epoch in range(10):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()  # expect: LL301
        opt.step()
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(model(x), y).item())
"""


@pytest.mark.parametrize("program", [GRADIENTS_OF_A_CLIENT, LATENT_CODE, PATCH, TRAINED])
def test_what_is_stepped_is_what_is_trained(program: str) -> None:
    assert_marked(HEAD + program)
