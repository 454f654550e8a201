"""An optimizer that is a part of a parameter is passed in as one that is a parameter: its step leaves the gradients."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        def update(args, build):
            {taken}
            for x, y in loader:
                {clear}
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward(){marked}
                optimizer.step()
"""
MARKED = "  # expect: LL102"
PASSED_IN = {
    "by number": "model = args[0]; loader = args[1]; optimizer = args[2]",
    "unpacked": "model, loader, optimizer = args",
    "a part of a part": "model, loader = args[0]; optimizer = args[1][2]",
    "by name": 'model, loader, optimizer = args["model"], args["loader"], args["optimizer"]',
}
MADE = {
    "by code out of sight": "model, loader = args; optimizer = build(args)[2]",
    "by what the parameter gives": "model, loader = args.models; optimizer = args.build(0)",
    "in the place of the parameter": "args = build(args); model = args[0]; loader = args[1]; optimizer = args[2]",
}


@pytest.mark.parametrize("taken", PASSED_IN.values(), ids=PASSED_IN)
def test_passed_in(taken: str) -> None:
    assert_marked(LOOP.format(taken=taken, clear="pass", marked=MARKED))
    assert_marked(LOOP.format(taken=taken, clear="optimizer.zero_grad()", marked=""))


@pytest.mark.parametrize("taken", MADE.values(), ids=MADE)
def test_made(taken: str) -> None:
    assert_marked(LOOP.format(taken=taken, clear="pass", marked=""))


WORKER = """
        from library import connect
        def work(remote, {given}):
            {made}
            while True:
                if remote.recv() == "update":
                    _update(parts)
        def _update(parts):
            model = parts[0]
            loader = parts[1]
            optimizer = parts[2]
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward(){marked}
                optimizer.step()
"""


def test_handed_down() -> None:
    assert_marked(WORKER.format(given="parts", made="pass", marked=MARKED))
    assert_marked(WORKER.format(given="url", made="parts = connect(url)", marked=""))
