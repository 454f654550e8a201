"""A class or function that another of the same name takes the place of, before anything reads it, is reached by nobody: what stands in it is not judged."""

from __future__ import annotations

import pytest

import looplint

FIT = """
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
FUNCTION = "def fit(net, opt, loader):" + FIT
METHOD = "class Trainer:\n    def fit(self, net, opt, loader):" + FIT.replace("\n    ", "\n        ")
PREFIX = "import torch\nfrom torch import nn\n\n\ndef keep(thing):\n    return thing\n\n\n"


def found(first: str, between: str, second: str) -> list[str]:
    """The codes found in a file of two definitions of one name, of which the first clears what it has just computed."""
    wrong = first.replace("loss.backward()", "LATER").replace("opt.zero_grad()", "loss.backward()").replace("LATER", "opt.zero_grad()")
    return [f.code for f in looplint.lint(PREFIX + wrong + between + second, isolated=True)]


@pytest.mark.parametrize("text", [FUNCTION, METHOD], ids=["a function", "a class"])
@pytest.mark.parametrize(
    "between", ["\n\n", "\n\nROWS = 3\n\n\ndef other():\n    return fit, Trainer\n\n\n"], ids=["nothing", "what reads it later"]
)
def test_nobody_reaches_it(text: str, between: str) -> None:
    assert found(text, between, text) == []


@pytest.mark.parametrize("text", [FUNCTION, METHOD], ids=["a function", "a class"])
@pytest.mark.parametrize(
    "between",
    ["\n\nfirst = NAME\n\n\n", "\n\nkeep(3)\n\n\n", "\n\nclass Other(NAME):\n    pass\n\n\n", "\n\ndef other(made=NAME):\n    pass\n\n\n"],
    ids=["another name", "a call", "a base", "a default"],
)
def test_somebody_may_have_reached_it(text: str, between: str) -> None:
    assert found(text, between.replace("NAME", "Trainer" if "class" in text else "fit"), text) == ["LL101"]


def test_what_a_decorator_may_have_kept() -> None:
    assert found("@keep\n" + FUNCTION, "\n\n", FUNCTION) == ["LL101"]
