"""What the branches of a function build of one kind is one object after them, however many there are."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

FACTORIES = {
    "three returns": """
        def make(name, params):
            if name == "adam":
                return optim.Adam(params)
            if name == "sgd":
                return optim.SGD(params, lr=0.1)
            return optim.RMSprop(params)
        """,
    "three returns, or None": """
        def make(name, params):
            if name is None:
                return None
            if name == "adam":
                return optim.Adam(params)
            if name == "sgd":
                return optim.SGD(params, lr=0.1)
            return optim.RMSprop(params)
        """,
    "pairs with what schedules them": """
        def pair(name, params):
            if name == "adam":
                opt = optim.Adam(params)
                return opt, optim.lr_scheduler.StepLR(opt, 3)
            if name == "sgd":
                opt = optim.SGD(params)
                return opt, optim.lr_scheduler.StepLR(opt, 3)
            opt = optim.RMSprop(params)
            return opt, optim.lr_scheduler.StepLR(opt, 3)
        def make(name, params):
            opt, schedule = pair(name, params)
            return opt
        """,
    "a chain of elif": """
        def make(name, params):
            if name == "adam":
                opt = optim.Adam(params)
            elif name == "sgd":
                opt = optim.SGD(params, lr=0.1)
            elif name == "rms":
                opt = optim.RMSprop(params)
            else:
                opt = optim.AdamW(params)
            return opt
        """,
    "one condition after another": """
        def make(name, params):
            opt = None
            if name == "adam":
                opt = optim.Adam(params)
            if name == "sgd":
                opt = optim.SGD(params, lr=0.1)
            if name == "rms":
                opt = optim.RMSprop(params)
            return opt
        """,
    "cases that return": """
        def make(name, params):
            match name:
                case "adam":
                    return optim.Adam(params)
                case "sgd" | "momentum":
                    return optim.SGD(params, lr=0.1)
                case str() as other if other.startswith("rms"):
                    return optim.RMSprop(params)
                case _:
                    raise ValueError(name)
        """,
    "cases that assign": """
        def make(name, params):
            match name.lower():
                case "adam":
                    opt = optim.Adam(params)
                case "sgd":
                    opt = optim.SGD(params, lr=0.1)
                case other:
                    opt = getattr(optim, other)(params)
            return opt
        """,
    "what a registry builds, or else torch": """
        from acme import registry
        def make(name, params):
            for build in registry.builders():
                opt = build(name, params)
                if opt is not None:
                    return opt
            if name == "adam":
                return optim.Adam(params)
            return optim.SGD(params, lr=0.1)
        """,
    "a table of builders": """
        class Sgd:
            def build(self, params):
                return optim.SGD(params, lr=0.1)
        class Adam:
            def build(self, params):
                return optim.Adam(params)
        BUILDERS = {"sgd": Sgd(), "adam": Adam()}
        def make(name, params):
            builder = BUILDERS.get(name)
            if not builder:
                raise ValueError(name)
            return builder.build(params)
        """,
    "a table of functions": """
        def sgd(params):
            return optim.SGD(params, lr=0.1)
        def adam(params):
            return optim.Adam(params)
        MAKERS = {"sgd": sgd, "adam": adam, "rms": lambda params: optim.RMSprop(params)}
        def make(name, params):
            return MAKERS[name](params)
        """,
    "an expression in an expression": """
        def make(name, params):
            return optim.Adam(params) if name == "adam" else optim.SGD(params) if name == "sgd" else optim.RMSprop(params)
        """,
}


def program(factory: str, order: str) -> str:
    lines = {"b": "loss.backward()", "c": "optimizer.zero_grad()", "s": "optimizer.step()"}
    loop = "".join(f"        {lines[each]}\n" for each in order)
    return f"""\
import torch
from torch import nn, optim
{dedent(factory)}
def main(cfg, loader):
    model = nn.Linear(3, 3)
    optimizer = make(cfg["optimizer"], model.parameters())
    model.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
{loop}"""


@pytest.mark.parametrize("factory", [pytest.param(text, id=name) for name, text in FACTORIES.items()])
@pytest.mark.parametrize("order,code", [("bcs", ["LL101"]), ("bs", ["LL102"]), ("cs", ["LL107"]), ("bsc", [])])
def test_it_is_followed_like_one_that_is_built_in_one_way(factory: str, order: str, code: list[str]) -> None:
    assert [found.code for found in looplint.lint(program(factory, order), isolated=True)] == code


MATCHES = {
    "a constant takes the first case": ("'each'", "case 'each':\n            clear()\n        case _:\n            pass", []),
    "a constant takes the last case": ("'never'", "case 'each':\n            clear()\n        case 'never':\n            pass", ["LL102"]),
    "no value is known": ("mode", "case 'each':\n            clear()\n        case _:\n            pass", []),
    "anything is taken": ("mode", "case other:\n            clear()", []),
    "a constant is one of two": ("'never'", "case 'each' | 'always':\n            clear()", ["LL102"]),
    "None is a value": ("None", "case None:\n            pass\n        case _:\n            clear()", ["LL102"]),
    "a class decides": ("mode", "case str():\n            clear()\n        case int(level) if level > 0:\n            clear()", []),
    "a sequence is taken apart": (
        "mode",
        "case [first, *rest]:\n            clear()\n        case {'mode': first}:\n            clear()",
        [],
    ),
}


@pytest.mark.parametrize("subject,cases,codes", [pytest.param(*each, id=name) for name, each in MATCHES.items()])
def test_cases_are_conditions(subject: str, cases: str, codes: list[str]) -> None:
    text = f"""\
import torch
from torch import nn, optim
net = nn.Linear(2, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
clear = opt.zero_grad
for x, y in loader:
    match {subject}:
        {cases}
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
"""
    assert [found.code for found in looplint.lint(text, isolated=True)] == codes


BRANCHES = {
    "each branch trains what it builds": """
        def main(kind, loader):
            if kind == "wide":
                net = nn.Linear(3, 30)
                opt = optim.SGD(net.parameters(), lr=0.1)
                for x, y in loader:
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.zero_grad()  # LL101
                    opt.step()
            else:
                net = nn.Linear(3, 3)
                opt = optim.Adam(net.parameters())
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
            torch.save(net.state_dict(), "net.pt")
        """,
    "one stage after another, under one name": """
        def main(stages, loader):
            if "first" in stages:
                net = nn.Linear(3, 3)
                opt = optim.SGD(net.parameters(), lr=0.1)
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
            if "second" in stages:
                net = nn.Linear(3, 3)
                opt = optim.SGD(net.parameters(), lr=0.1)
                for x, y in loader:
                    nn.functional.mse_loss(net(x), y).backward()  # LL102
                    opt.step()
        """,
    "a validation in one branch": """
        def main(kind, loader, held_out):
            if kind == "deep":
                net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(), nn.Linear(3, 3))
                net.train()
                with torch.no_grad():
                    for x, y in held_out:
                        print(nn.functional.mse_loss(net(x), y).item())  # LL302
            else:
                net = nn.Linear(3, 3)
            opt = optim.SGD(net.parameters(), lr=0.1)
            net.train()
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
        """,
    "what the branches begin is ended after them": """
        def main(kind, loader, x, y):
            if kind == "wide":
                net = nn.Linear(3, 30)
                opt = optim.SGD(net.parameters(), lr=0.1)
                nn.functional.mse_loss(net(x), y).backward()
            else:
                net = nn.Linear(3, 3)
                opt = optim.Adam(net.parameters())
                nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            opt.zero_grad()
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
                opt.zero_grad()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(each, id=name) for name, each in BRANCHES.items()])
def test_a_branch_is_judged_by_what_it_builds_itself(text: str) -> None:
    text = f"import torch\nfrom torch import nn, optim\n{dedent(text)}"
    expected = [(line.partition("# ")[2], row) for row, line in enumerate(text.splitlines(), 1) if "# LL" in line]
    found = looplint.lint(text, isolated=True)
    assert [(f.code, f.location.row) for f in found if f.severity != "advice"] == expected


# The losses have names by which only some are known as losses; all are modules.
LOSSES = """
import torch
import torch.nn.functional as F
from torch import nn, optim
class Logits(nn.BCEWithLogitsLoss):
    def forward(self, real, fake=None):
        loss = super().forward(real, torch.ones_like(real))
        return loss if fake is None else loss + super().forward(fake, torch.zeros_like(fake))
class Hinge(nn.Module):
    def forward(self, real, fake=None):
        return -real.mean() if fake is None else F.relu(1 - real).mean() + F.relu(1 + fake).mean()
class SoftplusLoss(nn.Module):
    def forward(self, real, fake=None):
        return F.softplus(-real).mean() if fake is None else F.softplus(-real).mean() + F.softplus(fake).mean()
"""
WAYS = {
    "a table": """
        losses = {"bce": Logits, "hinge": Hinge, "softplus": SoftplusLoss}
        def make(name):
            return losses[name]()
        """,
    "branches": """
        def make(name):
            if name == "hinge":
                loss = Hinge()
            else:
                loss = SoftplusLoss()
            return loss
        """,
    "returns": """
        def make(name):
            if name == "hinge":
                return Hinge()
            elif name == "bce":
                return Logits()
            return nn.SoftMarginLoss()
        """,
    "an expression": """
        def make(name):
            return Hinge() if name == "hinge" else Logits()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(each, id=name) for name, each in WAYS.items()])
def test_a_loss_may_be_one_of_several_of_which_some_are_called_losses(text: str) -> None:
    training = """
        def main(name, loader):
            net, loss_fn = nn.Linear(3, 1), make(name)
            opt = optim.Adam(net.parameters())
            for real, fake in loader:
                loss = loss_fn(net(real), net(fake))
                loss.backward()
                opt.zero_grad()
                opt.step()
        """
    found = looplint.lint(LOSSES + dedent(text) + dedent(training), isolated=True)
    assert [f.code for f in found] == ["LL101"]


RESUMING = {
    "attributes of a checkpoint": """
        def main(model: nn.Module, optimizer, path):
            if path:
                kept = Checkpoint.load(path)
                model = kept.model
                optimizer = kept.optimizer
        """,
    "a function out of sight": """
        def main(model: nn.Module, optimizer, path):
            if path:
                model, optimizer = restore(path)
        """,
    "a model and an optimizer in sight, both replaced": """
        def main(path):
            model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
            optimizer = optim.Adam(model.parameters())
            if path:
                model, optimizer = restore(path)
        """,
    "a model, before an optimizer takes its parameters": """
        def main(path):
            model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
            if path:
                model = torch.load(path, map_location="cpu")
            optimizer = optim.Adam(model.parameters())
        """,
    "attributes of the trainer": """
        class Trainer:
            def __init__(self, model, optimizer):
                self.model, self.optimizer = model, optimizer
            def fit(self, path):
                if path:
                    kept = torch.load(path)
                    self.model = kept["model"]
                    self.optimizer = kept["optimizer"]
        """,
}


@pytest.mark.parametrize("text", [pytest.param(each, id=name) for name, each in RESUMING.items()])
def test_what_resuming_puts_in_the_place_of_a_model_is_that_model_after_it(text: str) -> None:
    loop = """
            for epoch in range(9):
                for x, y in loader:
                    loss = nn.functional.mse_loss(model(x), y)  # LL301
                    loss.backward()
                    optimizer.zero_grad()  # LL101
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    for x, y in held_out:
                        print(nn.functional.mse_loss(model(x), y))
        """
    if "self." in text:
        loop = "\n".join(f"    {line}" for line in loop.splitlines()).replace("model", "self.model").replace("optimizer", "self.optimizer")
    text = f"import torch\nfrom torch import nn, optim\nfrom elsewhere import *\n{dedent(text + loop)}"
    expected = [(line.partition("# ")[2], row) for row, line in enumerate(text.splitlines(), 1) if "# LL" in line]
    assert [(f.code, f.location.row) for f in looplint.lint(text, isolated=True)] == expected
