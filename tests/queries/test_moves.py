"""A move matters to an optimizer only where it moves what has not been moved before."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

PROGRAMS = {
    "a model is moved before it is wrapped": """
        class Wrapper(nn.Module):
            def __init__(self, net, scale):
                super().__init__()
                self.net, self.scale = net, scale
            def forward(self, x):
                return self.net(x) * self.scale
        def fit(loader, device):
            model = Wrapper(nn.Linear(3, 1).to(device), 2.0)
            optimizer = torch.optim.Adam(model.parameters())
            model.to(device)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "a model is wrapped beside one that was not moved": """
        class Wrapper(nn.Module):
            def __init__(self, net, head):
                super().__init__()
                self.net, self.head = net, head
            def forward(self, x):
                return self.head(self.net(x))
        def fit(loader, device):
            model = Wrapper(nn.Linear(3, 3).to(device), nn.Linear(3, 1))
            optimizer = torch.optim.Adam(model.parameters())
            model.to(device)  # expect: LL501
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "another path has moved it there": """
        def main(path, loader, device):
            model = nn.Linear(3, 3)
            optimizer = torch.optim.Adam(model.parameters())
            if torch.cuda.device_count() > 1:
                model = nn.DataParallel(model)
            else:
                model.to(device)  # expect: LL501
            fit(model, optimizer, path, loader, device)
        def fit(model, optimizer, path, loader, device):
            optimizer.load_state_dict(torch.load(path, map_location="cpu"))
            model = model.to(device)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "another path has moved it elsewhere": """
        def main(path, loader, device, spare):
            model = nn.Linear(3, 3)
            optimizer = torch.optim.Adam(model.parameters())
            if path is None:
                model.to("cuda:1")  # expect: LL501
            optimizer.load_state_dict(torch.load(path, map_location="cpu"))
            model = model.to("cuda:0")  # expect: LL501
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program, advice=True)


def test_a_state_that_is_loaded_on_the_other_branch_stays_on_no_device() -> None:
    """`if ckpt: ...; optimizer.load_state_dict(...) else: model.to(device)`: the move of one branch has nothing to do with the state of the other."""
    source = """
import torch
from torch import nn, optim

def main(ckpt, loader, device):
    model = nn.Linear(3, 3)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    {first}:
        checkpoint = torch.load(ckpt, map_location="cpu")
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
    {second}:
        model.to(device)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
"""

    def errors(first: str, second: str) -> list[str]:
        text = source.replace("{first}", first).replace("{second}", second)
        return [f.code for f in looplint.lint(text, isolated=True) if f.severity == "error"]

    assert errors("if ckpt", "else") == []
    assert errors("if ckpt", "if device") == ["LL501"]


TAKEN_ALONG = """
import torch
from torch import nn, optim

def main(ckpt, loader, device):
    model = nn.Linear(3, 3)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    optimizer.load_state_dict(torch.load(ckpt, map_location="cpu"))
    model.to(device)
    AFTER
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
    LAST
"""


@pytest.mark.parametrize(
    ("after", "last", "expected"),
    [
        ("pass", "", ["error"]),
        ("optimizer.load_state_dict(optimizer.state_dict())", "", ["advice"]),
        ("state = optimizer.state_dict()\n    optimizer.load_state_dict(state)", "", ["advice"]),
        ("if optimizer is not None:\n        optimizer.load_state_dict(optimizer.state_dict())", "", ["advice"]),
        ("pass", "torch.save(optimizer.state_dict(), ckpt)", ["error"]),
    ],
)
def test_a_state_that_is_loaded_behind_the_move_is_taken_along(after: str, last: str, expected: list[str]) -> None:
    found = looplint.lint(TAKEN_ALONG.replace("AFTER", after).replace("LAST", last), isolated=True)
    assert [f.severity for f in found if f.code == "LL501"] == expected
