"""Who reads an attribute that nothing sets gets an AttributeError: what stands behind it is not run, as behind a `raise`."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from looplint.linting.files import lint_paths

TRAINING = """
    net = nn.Sequential(nn.Dropout(), nn.Linear(8, 8))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in batches():
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(net(x), y).item() for x, y in held_out()))


main()
"""
OPTIONS = """\
import argparse
import torch
from torch import nn, optim
from elsewhere import load, setup


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-type", default="small")
    group = parser.add_argument_group("training")
    group.add_argument("-l", "--lr", type=float)
    parser.add_argument("-e", dest="epochs")
    {declared}
    return parser.parse_args()


def main():
    args = options()
    {read}
"""
OBJECTS = """\
import torch
from torch import nn, optim
from elsewhere import Base, Loader, marked, setup


{decorator}
class Data({base}):
    rate = 1

    def __init__(self, n):
        super().__init__()
        self.n = n
        {made}

    def rows(self):
        return self.slices


def main():
    data = Data(4)
    {read}
"""


def _options(read: str, declared: str = "pass") -> str:
    return OPTIONS.format(declared=declared, read=read) + TRAINING


def _objects(read: str = "data.rows()", *, base: str = "object", made: str = "pass", decorator: str = "") -> str:
    return OBJECTS.format(decorator=decorator, base=base, made=made, read=read) + TRAINING


def _codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(program)]


MISSING = {
    "an option": _options("print(args.model)"),
    "an option of a namespace that is shown": _options("print(args)\n    print(args.model)"),
    "a method of a namespace": _options("args.parse()"),
    "an option that a variable is called by": _options("model = load()\n    setup(model=model)\n    print(args.model)"),
    "an option that is handed on": _options("print(len(args.model))"),
    "an attribute": _objects("print(data.slices)"),
    "a method": _objects("data.shuffle()"),
    "an attribute that a method reads": _objects(),
    "an attribute that a model reads of itself": _objects(base="nn.Module"),
}
THERE = {
    "declared": _options("print(args.model_type, args.lr, args.epochs)"),
    "read under a condition": _options("if args.lr: print(args.model)"),
    "read where something else holds": _options("print(args.lr and args.model)"),
    "read where it may fail": _options("try:\n        print(args.model)\n    except AttributeError:\n        pass"),
    "asked for": _options("print(hasattr(args, 'model') and args.model)"),
    "given a default": _options("print(getattr(args, 'model', 3))"),
    "parsed twice": _options("first = options(); second = options(); print(second.model_type, first.lr)"),
    "parsed in a loop": _options("for i in range(3): print(options().lr)"),
    "set out of sight": _options("setup(args)\n    print(args.gpu)"),
    "declared out of sight": _options("print(args.gpu)", "setup(parser)"),
    "declared by a name that is put together": _options("print(args.gpu)", "for name in load(): parser.add_argument('--' + name)"),
    "set": _options("args.gpu = 3\n    print(args.gpu)"),
    "set by default": _options("print(args.gpu)", "parser.set_defaults(**load())"),
    "set in the namespace's dict": _options("vars(args).update(load())\n    print(args.gpu)"),
    "given by the class": _objects("print(data.n, data.rate)"),
    "set on the object": _objects("data.slices = 3\n    print(data.slices)"),
    "set on the class": _objects("Data.slices = property(lambda self: 3)\n    print(data.slices)"),
    "given by a base out of sight": _objects(base="Base"),
    "given by a decorator": _objects(decorator="@marked"),
    "made when it is asked for": _objects(made="pass\n\n    def __getattr__(self, name):\n        return 3"),
    "set by a name that is put together": _objects(made="setattr(self, 'sli' + 'ces', 3)"),
    "set in the object's dict": _objects(made="self.__dict__.update(n)"),
    "set by code out of sight": _objects("setup(data)\n    data.rows()"),
    "set by a class out of sight": _objects("Loader(data)\n    data.rows()"),
    "none at first": _objects(made="self.slices = None"),
    "of every model": _objects("print(data.training, data.state_dict(), data.half())", base="nn.Module"),
    "of what wraps a model": _objects("data = nn.DataParallel(data)\n    print(data.device_ids)", base="nn.Module"),
}


@pytest.mark.parametrize("program", MISSING.values(), ids=MISSING)
def test_what_stands_behind_is_not_run(program: str) -> None:
    assert _codes(program) == []


@pytest.mark.parametrize("program", THERE.values(), ids=THERE)
def test_what_may_be_there_ends_nothing(program: str) -> None:
    assert _codes(program) == ["LL301"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (MISSING["an option"], "`args.model` ends in an AttributeError: no option gives `model`"),
        (MISSING["a method"], "`data.shuffle` ends in an AttributeError: nothing sets `shuffle` of a Data"),
    ],
)
def test_the_loop_is_lost_with_the_reason(tmp_path: Path, program: str, reason: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(program)
    assert [loop.reason for loop in lint_paths([str(path)]).coverage.lost] == [reason]
