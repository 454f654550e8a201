"""What is frozen with a module, and what an optimizer of plain tensors trains."""

from __future__ import annotations

import pytest

import looplint

ENCODER = """
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.head = nn.Linear(3, 3)
        self.projection = nn.Parameter(torch.empty(3, 3))
    def encode(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x) @ self.projection

class Zero:
    def build(self):
        encoder = Encoder()
{freeze}
        mean = 0
        for text in self.loader:
            mean = mean + encoder.encode(text)
        self.mean = mean / len(self.texts)
"""
FROZEN = {
    "the module": "        encoder.requires_grad_(False)",
    "its parameters": "        for parameter in encoder.parameters():\n            parameter.requires_grad_(False)",
    "its parameters by their names": "        for name, parameter in encoder.named_parameters():\n            parameter.requires_grad = False",
}
TRAINED = {
    "nothing": "        pass",
    "what is thawed": "        encoder.requires_grad_(False)\n        encoder.requires_grad_(True)",
    "all but one part": "        encoder.requires_grad_(False)\n        encoder.head.requires_grad_(True)",
    "some parameters": "        for name, parameter in encoder.named_parameters():\n            if 'layers' in name:\n                parameter.requires_grad = False",
}
LATENT = """
import torch

def fit(decoder, target, steps):
    latent = torch.zeros(1, 8, requires_grad=True)
    optimizer = torch.optim.Adam({given})
    for step in range(steps):
        decoder.eval()
        optimizer.zero_grad()
        out = decoder(latent)
        if step == 0:
            out = decoder(latent)
        loss = (out - target).abs().mean()
        loss.backward()
        optimizer.step()
    return latent
"""


def codes(source: str) -> list[str]:
    return [f.code for f in looplint.lint(source, isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("freeze", FROZEN.values(), ids=FROZEN.keys())
def test_what_is_frozen_puts_out_no_graph(freeze: str) -> None:
    assert codes(ENCODER.replace("{freeze}", freeze)) == []


@pytest.mark.parametrize("freeze", TRAINED.values(), ids=TRAINED.keys())
def test_what_is_not_frozen_puts_out_its_graph(freeze: str) -> None:
    assert codes(ENCODER.replace("{freeze}", freeze)) == ["LL402"]


@pytest.mark.parametrize("given", ["[latent]", "(latent,)", "[{'params': [latent], 'lr': 0.1}]"])
def test_an_optimizer_of_tensors_trains_no_module(given: str) -> None:
    assert codes(LATENT.replace("{given}", given)) == []


def test_an_optimizer_of_parameters_trains_its_module() -> None:
    assert codes(LATENT.replace("{given}", "decoder.parameters()")) == ["LL301"]


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("penalty.item() if self.old is not None else penalty", []),
        ("penalty if self.old is None else float(penalty.item())", []),
        ("penalty if self.task == 0 else penalty.item()", []),
        ("penalty if self.old is None else round(penalty.item(), 3)", []),
        ("penalty", ["LL402"]),
    ],
)
def test_a_loss_that_is_taken_as_it_is_where_its_number_is_not_read(added: str, expected: list[str]) -> None:
    source = """
import torch
from torch import nn

class Learner:
    def __init__(self, net: nn.Module, old: nn.Module):
        self.net, self.old, self.task = net, old, 0
    def run(self, loader, optimizer):
        total = 0.0
        for x, y in loader:
            out, penalty = self.net(x), 0.0
            if self.old is not None:
                penalty = (out - self.old(x).detach()).pow(2).mean()
            optimizer.zero_grad()
            (nn.functional.cross_entropy(out, y) + penalty).backward()
            optimizer.step()
            total += ADDED
        return total
"""
    assert codes(source.replace("ADDED", added)) == expected


# Parts of a frozen model that take gradients, and what stands between `super().__init__()` and the training.
PARTLY = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
{inside}
    def forward(self, x):
        return self.head(self.body(x))

def train(loader, valid):
    net = Net()
{outside}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        net.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        net.eval()
        for x, y in valid:
            print((net(x).argmax(1) == y).float().mean().item())
"""
STILL_TRAINED = {
    "a layer that comes later": (
        "        for p in self.parameters():\n            p.requires_grad = False\n        self.head = nn.Linear(4, 3)",
        "    pass",
    ),
    "a layer that is put in place of another": ("        pass", "    net.requires_grad_(False)\n    net.head = nn.Linear(4, 3)"),
    "a layer that is thawed": ("        pass", "    net.requires_grad_(False)\n    net.head.requires_grad_(True)"),
    "parameters that are thawed": (
        "        pass",
        "    net.requires_grad_(False)\n    for p in net.head.parameters():\n        p.requires_grad = True",
    ),
    "those whose names have a word in them": (
        "        pass",
        "    for name, p in net.named_parameters():\n        p.requires_grad = 'head' in name or 'gate' in name",
    ),
    "those of some names, by a function": (
        "        for name, p in self.named_parameters():\n            p.requires_grad = any(name.startswith(part) for part in ('head',))",
        "    pass",
    ),
    "those that a test under a name of its own tells": (
        "        pass",
        "    for name, p in net.named_parameters():\n        kept = not name.endswith('body.weight')\n        p.requires_grad = kept",
    ),
    "those after the first ones": (
        "        pass",
        "    for number, p in enumerate(net.parameters()):\n        p.requires_grad = number > 1",
    ),
    "a parameter of its own": ("        self.requires_grad_(False)\n        self.scale = nn.Parameter(torch.ones(4))", "    pass"),
}
NOT_TRAINED = {
    "an activation that comes later": ("        self.requires_grad_(False)\n        self.act = nn.GELU()", "    pass"),
    "a layer that is frozen as well": (
        "        self.requires_grad_(False)\n        self.more = nn.Linear(2, 2).requires_grad_(False)",
        "    pass",
    ),
    "what an option says of all": ("        pass", "    for name, p in net.named_parameters():\n        p.requires_grad = loader.trains"),
    "what was so in another model": (
        "        pass",
        "    for p, old in zip(net.parameters(), loader.net.parameters()):\n        p.requires_grad = old.requires_grad",
    ),
    "what was noted before": (
        "        pass",
        "    for p, needed in zip(net.parameters(), loader.needed):\n        p.requires_grad = needed",
    ),
}


@pytest.mark.parametrize(("inside", "outside"), STILL_TRAINED.values(), ids=STILL_TRAINED.keys())
def test_a_frozen_model_with_a_part_that_takes_gradients_is_trained(inside: str, outside: str) -> None:
    assert codes(PARTLY.replace("{inside}", inside).replace("{outside}", outside)) == ["LL303"]


@pytest.mark.parametrize(("inside", "outside"), NOT_TRAINED.values(), ids=NOT_TRAINED.keys())
def test_a_frozen_model_with_parts_that_take_none_is_frozen(inside: str, outside: str) -> None:
    assert "LL303" not in codes(PARTLY.replace("{inside}", inside).replace("{outside}", outside))
