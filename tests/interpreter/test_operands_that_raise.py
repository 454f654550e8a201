"""Where the right side of `and` or `or` raises, the paths go on on which the left side decides."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import sys

{log}

def train(model, loader, folder):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    {call}
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt){mark}
        {update}
"""
KEYWORDS = """
def log(text, **kwargs):
    {head}
        sys.stdout.write(text)
"""
WRAPPED = """
def folded(func):
    def wrapper(*args, **kwargs):
        if "file" not in kwargs or kwargs["file"] is None:
            sys.stdout.write(" ".join(map(str, args)))
        else:
            kwargs["file"].write(str(args))
    return wrapper

print = folded(print)
"""
OPTIONS = """
options = dict(width=3)

def log(text):
    if "file" in options and options["file"]:
        options["file"].write(text)
"""
LOGS = {
    "one that is not given": (KEYWORDS.format(head='if "file" not in kwargs or kwargs["file"] is None:'), 'log("begin", folder=folder)'),
    "a function that wraps another": (WRAPPED, 'print("begin", folder=folder)'),
    "and": (KEYWORDS.format(head='if "file" in kwargs and kwargs["file"]:'), 'log("begin", folder=folder)'),
    "not": (KEYWORDS.format(head='if not ("file" in kwargs and kwargs["file"].closed):'), 'log("begin", folder=folder)'),
    "three operands": (
        KEYWORDS.format(head='if "file" not in kwargs or kwargs["file"] is None or kwargs["file"].closed:'),
        'log("begin", folder=folder)',
    ),
    "a loop": (KEYWORDS.format(head='while "file" in kwargs and kwargs["file"].busy:'), 'log("begin", folder=folder)'),
    "options of a module": (OPTIONS, 'log("begin")'),
}
UNGUARDED = {
    "nothing asks before": 'if kwargs["file"] is None:',
    "the left side raises": 'if kwargs["file"] is None or "file" not in kwargs:',
}


@pytest.mark.parametrize(("log", "call"), LOGS.values(), ids=LOGS)
def test_what_follows_is_reached(log: str, call: str) -> None:
    assert_marked(PROGRAM.format(log=log, call=call, update="", mark="  # expect: LL602"))


@pytest.mark.parametrize(("log", "call"), LOGS.values(), ids=LOGS)
def test_a_correct_one_stays_silent(log: str, call: str) -> None:
    assert_marked(PROGRAM.format(log=log, call=call, update="scaler.update()", mark=""))


@pytest.mark.parametrize("head", UNGUARDED.values(), ids=UNGUARDED)
def test_what_stands_behind_an_error_is_not_reached(head: str) -> None:
    assert_marked(PROGRAM.format(log=KEYWORDS.format(head=head), call='log("begin", folder=folder)', update="", mark=""))
