"""What messages call things: what the line calls them, and the condition under which a message holds."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import torch
from torch import nn, optim

net = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
"""
TRAINER = """
class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optim = model, optimizer
        self.history = {"loss": []}

    def fit(self, loader):
        for x, y in loader:
            CLEARloss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optim.step()
            LAST

Trainer(net, optim.SGD(net.parameters(), lr=0.1)).fit(loader)
"""
LOOP = """
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
"""


def trainer(*, clear: str = "self.optim.zero_grad()\n            ", last: str = "pass") -> str:
    return HEAD + TRAINER.replace("CLEAR", clear).replace("LAST", last)


def branches(*lines: str) -> str:
    return HEAD + LOOP.replace("    opt.zero_grad()\n", "").replace("    loss.backward()\n    opt.step()\n", "\n".join(lines) + "\n")


SAID = {
    "an optimizer by the attribute of the object": (
        trainer(clear=""),
        "LL102",
        "nothing clears self.optim's gradients between self.optim.step()",
    ),
    "a list in a dict": (trainer(last='self.history["loss"].append(loss)'), "LL401", 'self.history["loss"] keeps tensors'),
    "a clip behind the step": (
        trainer(last="nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)"),
        "LL104",
        "after self.optim.step()",
    ),
    "a forward beside the training, which is no validation": (
        HEAD
        + "encoder = nn.Linear(2, 2)\nencoder.eval()\n"
        + LOOP.replace("    opt.zero_grad()\n", "    opt.zero_grad()\n    scale = encoder(x).abs().mean().item()\n").replace(
            "net.parameters()", "[*net.parameters(), *encoder.parameters()]"
        ),
        "LL303",
        "gradients are enabled for this forward pass: every call of encoder",
    ),
    "a forward of a validation": (
        HEAD + LOOP + "net.eval()\nfor x, y in valid:\n    print(nn.functional.mse_loss(net(x), y).item())\n",
        "LL303",
        "gradients are enabled in this validation pass: every call of net",
    ),
    "a method of the model": (
        HEAD.replace("net = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))", "") + "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.body, self.head = nn.Linear(2, 4), nn.Linear(4, 1)\n"
        "    def embed(self, x):\n        return self.body(x)\n"
        "    def forward(self, x):\n        return self.head(self.embed(x))\n"
        "net = Net()\n" + LOOP + "net.eval()\nfor a, b in valid:\n    print(net.embed(a).norm().item())\n",
        "LL303",
        "every call of net.embed builds",
    ),
    "a condition with two branches": (
        branches(
            "    if args.amp:",
            "        opt.zero_grad()",
            "        loss.backward()",
            "        opt.step()",
            "    else:",
            "        loss.backward()",
            "        opt.step()",
        ),
        "LL102",
        "where `not args.amp`",
    ),
    "a comparison": (
        branches(
            "    if args.precision == 16:",
            "        loss.backward()",
            "        opt.step()",
            "    else:",
            "        opt.zero_grad()",
            "        loss.backward()",
            "        opt.step()",
        ),
        "LL102",
        "where `args.precision == 16`",
    ),
    "a mode that is asked for by an option": (
        HEAD + "if args.seed is not None:\n    torch.backends.cudnn.deterministic = True\ntorch.backends.cudnn.benchmark = True\n" + LOOP,
        "LL902",
        "both modes of cuDNN are on where `args.seed is not None`",
    ),
    "a module that is made where it is called": (
        HEAD + LOOP.replace("mse_loss(net(x), y)", "mse_loss(nn.Linear(2, 1).forward(net(x)), y)"),
        "LL504",
        "nn.Linear(2, 1).forward() is called in place of nn.Linear(2, 1)()",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_a_message_names_what_the_line_names(case: str) -> None:
    text, code, said = SAID[case]
    (message,) = [f.message for f in looplint.lint(text, isolated=True) if f.code == code]
    assert said in message


def test_no_condition_is_named_where_it_makes_no_difference() -> None:
    text = branches("    if args.train:", "        loss.backward()", "        opt.step()")
    (message,) = [f.message for f in looplint.lint(text, isolated=True) if f.code == "LL102"]
    assert "where" not in message


def test_a_wrapped_model_has_the_name_of_its_variable() -> None:
    text = """\
import os, torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 3).to(device)
if os.environ.get("COMPILE"):
    model = torch.compile(model)
plain = getattr(model, "_orig_mod", model)
plain.load_state_dict(torch.load("a.pt"))
"""
    (message,) = [f.message for f in looplint.lint(text, isolated=True) if f.code == "LL803"]
    assert message.startswith("the state of plain is loaded")  # what this line calls it, and never model._orig_mod


VALIDATED = """
import torch
from torch import nn, optim
net = nn.Sequential(nn.Linear(2, 4), {layers})
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(9):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    with torch.no_grad():
        for x, y in valid:
            print(nn.functional.mse_loss(net(x), y).item())
"""


@pytest.mark.parametrize(
    ("layers", "effect"),
    [
        ("nn.Dropout(0.1)", ": dropout is active"),
        ("nn.GRU(4, 4, num_layers=2, dropout=0.5)", ": dropout is active"),
        ("nn.BatchNorm1d(4)", ": batch norm uses and updates batch statistics"),
        ("nn.BatchNorm1d(4), nn.Dropout(0.1)", ": dropout is active, and batch norm uses and updates batch statistics"),
        ("*layers", ": dropout is active, and batch norm uses and updates batch statistics, if it has such layers"),
    ],
)
def test_the_mode_is_said_to_do_what_it_does_to_these_layers(layers: str, effect: str) -> None:
    (found,) = [f for f in looplint.lint(VALIDATED.format(layers=layers), isolated=True) if f.code == "LL302"]
    assert found.message.partition(";")[0].endswith(effect)
