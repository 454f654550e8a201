"""Workers that train a shared model: each goes backward through a copy of it, and gives that one's gradients to the shared one, whose optimizer steps."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

import looplint
from looplint.linting.files import lint_paths
from programs import assert_marked

PROGRAM = """\
def give(model, shared_model, gpu):
    for param, shared_param in zip(model.parameters(), shared_model.parameters()):
{given}

def train(args, shared_model, optimizer, loader, held_out):
    model = nn.Sequential(nn.Linear(2, 1), nn.Dropout())
    if optimizer is None:
        optimizer = torch.optim.Adam(shared_model.parameters(), lr=args.lr)
    for x, y in loader:
        model.load_state_dict(shared_model.state_dict())
        loss = nn.functional.mse_loss(model(x), y)
{turn}
"""
GIVEN = {
    "where there is none yet": "if shared_param.grad is not None:\n    return\nshared_param._grad = param.grad",
    "on two devices": (
        "if shared_param.grad is not None and not gpu:\n    return\nelif not gpu:\n    shared_param._grad = param.grad\n"
        "else:\n    shared_param._grad = param.grad.cpu()"
    ),
    "each time": "shared_param.grad = param.grad",
    "as a copy": "shared_param.grad = param.grad.clone()",
}
LOUD = {
    "never cleared": "loss.backward()  # expect: LL102\ngive(model, shared_model, args.gpu)\noptimizer.step()",
}
QUIET = {
    "the copy is cleared": "model.zero_grad()\nloss.backward()\ngive(model, shared_model, args.gpu)\noptimizer.step()",
    "the optimizer is cleared": "optimizer.zero_grad()\nloss.backward()\ngive(model, shared_model, args.gpu)\noptimizer.step()",
    "the optimizer is cleared before they are given": (
        "model.zero_grad()\nloss.backward()\noptimizer.zero_grad()\ngive(model, shared_model, args.gpu)\noptimizer.step()"
    ),
    "the copy is cleared once they are given": "loss.backward()\ngive(model, shared_model, args.gpu)\nmodel.zero_grad()\noptimizer.step()",
    "clipped": (
        "model.zero_grad()\nloss.backward()\nnn.utils.clip_grad_norm_(model.parameters(), 40)\n"
        "give(model, shared_model, args.gpu)\noptimizer.step()"
    ),
}


def _program(given: str, turn: str) -> str:
    return PROGRAM.format(given=indent(given, " " * 8), turn=indent(turn, " " * 8))


@pytest.mark.parametrize("turn", [pytest.param(turn, id=name) for name, turn in (LOUD | QUIET).items()])
@pytest.mark.parametrize("given", [pytest.param(given, id=name) for name, given in GIVEN.items()])
def test_the_optimizer_steps_with_the_gradients_of_the_copy(given: str, turn: str, tmp_path: Path) -> None:
    assert_marked(_program(given, turn))
    path = tmp_path / "worker.py"
    path.write_text(f"import torch\nfrom torch import nn\n{_program(given, turn)}")
    assert not lint_paths([str(path)]).coverage.lost


def test_the_copy_is_what_is_trained() -> None:
    look = "\nif args.look:\n    model.eval()\n    with torch.no_grad():\n        for a, b in held_out:\n            print(nn.functional.mse_loss(model(a), b))"
    assert_marked(
        _program(GIVEN["each time"], QUIET["the copy is cleared"] + look).replace("(model(x), y)", "(model(x), y)  # expect: LL304")
    )


def test_the_copy_is_what_is_to_be_cleared() -> None:
    text = f"import torch\nfrom torch import nn\n{_program(GIVEN['each time'], LOUD['never cleared'])}"
    (finding,) = (f for f in looplint.fix(text, isolated=True).findings if f.code == "LL102")
    assert finding.message.endswith("call model.zero_grad() and optimizer.zero_grad() for each")
    assert finding.unrepaired.startswith("the gradients are those of another model")


# What is given to the meta model is of a fast one, which steps by hand, is built anew, or has an optimizer of its own.
META = """\
import copy

def main(tasks, args):
    meta = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 2))
    fast = copy.deepcopy(meta)
    optimizer = torch.optim.Adam(meta.parameters(), lr=1e-3)
    {before}
    for task in tasks:
        {begin}
        for x, y in task.support:
            {inner}
        nn.functional.cross_entropy(fast(task.x), task.y).backward()
        for p, q in zip(meta.parameters(), fast.parameters()):
            p.grad = q.grad.clone()
        optimizer.step()
"""
CLEARED = "fast.zero_grad(); nn.functional.cross_entropy(fast(x), y).backward();"
METAS = {
    "by hand": (
        "",
        "fast.load_state_dict(meta.state_dict()); fast.zero_grad()",
        f"{CLEARED} [p.data.sub_(0.1 * p.grad) for p in fast.parameters()]",
    ),
    "built anew": ("", "fast = copy.deepcopy(meta)", "pass"),
    "an optimizer of its own": (
        "inner = torch.optim.SGD(fast.parameters(), lr=0.1)",
        "fast.load_state_dict(meta.state_dict()); inner.zero_grad()",
        f"{CLEARED} inner.step()",
    ),
}


@pytest.mark.parametrize(("before", "begin", "inner"), [pytest.param(*METAS[name], id=name) for name in METAS])
def test_what_adapts_by_itself_is_left_alone(before: str, begin: str, inner: str) -> None:
    assert_marked(dedent(META).format(before=before, begin=begin, inner=inner))
