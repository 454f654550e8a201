"""LL113: a clip that is given an iterator which something has gone through already finds nothing in it."""

from __future__ import annotations

import pytest

import looplint
from looplint.finding import Fix

HEAD = """\
import itertools
import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

net, other = nn.Linear(4, 1), nn.Linear(1, 1)
"""
LOOP = """\
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(other(net(x)), y)
    loss.backward()
    CLIP
    optimizer.step()
"""
CLIP = "clip_grad_norm_(params, 1.0)"
BUILT = "optimizer = optim.SGD(params, lr=0.1)\n"
BESIDE = "optimizer = optim.SGD(net.parameters(), lr=0.1)\n"


def linted(text: str) -> list[looplint.Finding]:
    return [f for f in looplint.lint(text, isolated=True) if f.code == "LL113"]


def script(before: str, clip: str = CLIP) -> str:
    return HEAD + before + LOOP.replace("CLIP", clip)


def fix_of(text: str) -> Fix:
    (finding,) = linted(text)
    assert finding.fix is not None
    return finding.fix


@pytest.mark.parametrize(
    "iterator",
    [
        "net.parameters()",
        "filter(lambda p: p.requires_grad, net.parameters())",
        "map(lambda p: p, net.parameters())",
        "itertools.chain(net.parameters(), other.parameters())",
        "itertools.chain.from_iterable(m.parameters() for m in (net, other))",
        "(p for p in net.parameters() if p.requires_grad)",
        "(p for name, p in net.named_parameters() if 'bias' not in name)",
    ],
)
def test_an_optimizer_goes_through_an_iterator(iterator: str) -> None:
    (finding,) = linted(script(f"params = {iterator}\n{BUILT}"))
    assert finding.message.startswith("params is an iterator that is used up already")
    assert finding.severity == "error"
    assert linted(script(f"params = list({iterator})\n{BUILT}")) == []
    assert linted(script(f"params = tuple({iterator})\n{BUILT}")) == []
    assert linted(script(f"params = [*{iterator}]\n{BUILT}")) == []
    assert linted(script(f"params = nn.ParameterList({iterator})\n{BUILT}")) == []
    assert linted(script(f"params = {iterator}\n{BUILT}", clip=f"clip_grad_norm_({iterator}, 1.0)")) == []


@pytest.mark.parametrize(
    "use",
    [
        "print(sum(p.numel() for p in params))\n",
        "print(len(list(params)))\n",
        "sizes = [p.numel() for p in params]\n",
        "for p in params:\n    nn.init.normal_(p)\n",
        "optim.SGD([{'params': params, 'lr': 0.1}])\n",
        "clip_grad_norm_(params, 1.0)\n",
        "clip_grad_norm_(params, float('inf'))\n",
    ],
)
def test_other_uses_go_through_an_iterator(use: str) -> None:
    assert len(linted(script(f"{BESIDE}params = net.parameters()\n{use}", clip=f"{CLIP}; params = net.parameters()"))) == 0
    once = f"{BESIDE}params = net.parameters()\n{{}}for x, y in loader:\n    net(x).mean().backward()\n{CLIP}\noptimizer.step()\n"
    assert linted(HEAD + once.format("")) == []
    assert [f.location.row for f in linted(HEAD + once.format(use))] == [HEAD.count("\n") + use.count("\n") + 5]


@pytest.mark.parametrize(
    "use",
    [
        "if verbose:\n    print(sum(p.numel() for p in params))\n",
        "for p in params:\n    if p.ndim > 1:\n        break\n",
        "average = ema(params)\n",
        "some = (p for p in params)\n",
        "copy, params = itertools.tee(params)\nlist(copy)\n",
        "first = next(params)\n",
    ],
)
def test_what_may_leave_an_iterator_as_it_was(use: str) -> None:
    text = f"{BESIDE}params = net.parameters()\n{use}for x, y in loader:\n    net(x).mean().backward()\n{CLIP}\noptimizer.step()\n"
    assert linted(HEAD + text) == []


def test_the_turns_of_a_loop() -> None:
    (finding,) = linted(script(f"{BESIDE}params = net.parameters()\n"))
    assert "is used up after the first turn of its loop" in finding.message
    assert linted(script(BESIDE, clip=f"params = net.parameters(); {CLIP}")) == []
    assert linted(script(BUILT.replace("params", "net.parameters()"), clip=f"if x: params = net.parameters(); {CLIP}")) == []
    assert linted(script(f"{BESIDE}params = net.parameters()\n", clip=f"{CLIP}\n    optimizer.step()\n    break")) == []


def test_a_value_is_clipped() -> None:
    (finding,) = linted(script(f"params = net.parameters()\n{BUILT}", clip="clip_grad_value_(params, clip_value=1.0)"))
    assert "newer torch raises an error there" in finding.message


def test_torch_refuses_an_optimizer_of_nothing() -> None:
    assert linted(script(f"params = net.parameters()\nprint(len(list(params)))\n{BUILT}")) == []


@pytest.mark.parametrize(
    "clip", ["clipped = params\n    clip_grad_norm_(clipped, 1.0)", "clip_grad_norm_(parameters=params, max_norm=1.0)"]
)
def test_other_names_and_arguments(clip: str) -> None:
    assert len(linted(script(f"params = net.parameters()\n{BUILT}", clip=clip))) == 1
    assert linted(script(f"params = [*net.parameters()]\n{BUILT}", clip=clip)) == []


def test_a_function_is_given_the_iterator() -> None:
    function = "def update(params, optimizer):\n    clip_grad_norm_(params, 1.0)\n    optimizer.step()\n\n\n"
    call = "update(params, optimizer)"
    assert len(linted(script(f"{function}params = net.parameters()\n{BUILT}", clip=call))) == 1
    assert linted(script(f"{function}params = [*net.parameters()]\n{BUILT}", clip=call)) == []
    assert linted(script(f"{function}{BESIDE}", clip="update(net.parameters(), optimizer)")) == []
    assert linted(HEAD + function) == []


AGENT = """\
class Agent:
    def __init__(self):
        self.actor, self.critic = nn.Linear(4, 1), nn.Linear(4, 1)
        self.params = ITERATOR
        self.optimizer = optim.Adam(self.params, lr=1e-3)

    def update(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.actor(x) + self.critic(x), y)
        loss.backward()
        MORE
        clip_grad_norm_(self.params, 1.0)
        self.optimizer.step()
"""
CHAIN = "itertools.chain(self.actor.parameters(), self.critic.parameters())"


def agent(iterator: str, more: str = "pass") -> str:
    return HEAD + AGENT.replace("ITERATOR", iterator).replace("MORE", more)


def test_an_attribute_that_the_constructor_sets() -> None:
    assert fix_of(agent(CHAIN)).applicability == "safe"
    assert linted(agent(f"list({CHAIN})")) == []
    assert linted(agent(CHAIN, more=f"self.params = {CHAIN}")) == []
    assert linted(agent(CHAIN, more="self.params = list(self.actor.parameters())")) == []


def test_iterators_of_a_list() -> None:
    others = "class Model:\n    def __init__(self):\n        self.net = nn.Linear(4, 1)\n        self.params = self.net.parameters()\n\n\n"
    clipped = "models = []\nfor _ in range(3):\n    models.append(Model())\nfor model in models:\n    clip_grad_norm_(model.params, 1.0)\n"
    assert linted(HEAD + others + clipped) == []
    assert (
        linted(
            HEAD
            + "kept = []\nfor m in (net, other) * 9:\n    p = m.parameters()\n    kept.append(p)\nfor p in kept:\n    clip_grad_norm_(p, 1.0)\n"
        )
        == []
    )


@pytest.mark.parametrize(
    ("base", "init", "found"),
    [
        ("optim.Optimizer", "super().__init__(params, {})", 1),
        ("object", "self.params = params", 0),
        ("object", "self.inner = optim.SGD(params, lr=0.1)", 1),
    ],
)
def test_optimizers_of_the_program(base: str, init: str, found: int) -> None:
    own = f"class Own({base}):\n    def __init__(self, params):\n        {init}\n"
    own += "    def step(self):\n        self.inner.step()\n    def zero_grad(self):\n        self.inner.zero_grad()\n\n\n"
    clip = f"{CLIP}\n    optimizer.step()\n    break"
    assert len(linted(script(f"{own}params = net.parameters()\noptimizer = Own(params)\n", clip=clip))) == found


def test_parameters_by_a_method_of_the_program() -> None:
    own = "class Both:\n    def parameters(self):\n        return GIVEN\n    @property\n    def params(self):\n        return net.parameters()\n\n\nboth = Both()\n"
    lists = own.replace("GIVEN", "[*net.parameters(), *other.parameters()]")
    assert linted(script(f"{lists}params = both.parameters()\n{BUILT}")) == []
    assert linted(script(f"{lists}optimizer = optim.SGD(both.params, lr=0.1)\n", clip="clip_grad_norm_(both.params, 1.0)")) == []
    chain = own.replace("GIVEN", "itertools.chain(net.parameters(), other.parameters())")
    assert len(linted(script(f"{chain}params = both.parameters()\n{BUILT}"))) == 1


def test_an_accelerator() -> None:
    head = "from accelerate import Accelerator\naccelerator = Accelerator()\n"
    clip = "if accelerator.sync_gradients:\n        accelerator.clip_grad_norm_(params, 1.0)"
    assert len(linted(script(f"{head}params = filter(lambda p: p.requires_grad, net.parameters())\n{BUILT}", clip=clip))) == 1
    assert linted(script(f"{head}params = [p for p in net.parameters() if p.requires_grad]\n{BUILT}", clip=clip)) == []


FILTER = "params = filter(lambda p: p.requires_grad, net.parameters())\n"


@pytest.mark.parametrize(
    ("between", "applicability"),
    [
        ("", "safe"),
        ("net.train()\n", "safe"),
        ("net.requires_grad_(False)\n", "unsafe"),
        ("net.bias.requires_grad = False\n", "unsafe"),
        ("net.extra = nn.Linear(2, 2)\n", "unsafe"),
        ("prepare(net)\n", "unsafe"),
        ("first = next(params)\n", "unsafe"),
    ],
)
def test_a_list_holds_what_the_optimizer_took(between: str, applicability: str) -> None:
    text = script(f"{FILTER}{between}{BUILT}")
    fix = fix_of(text)
    assert fix.applicability == applicability
    assert [edit.content for edit in fix.edits] == ["list(", ")"]


def test_a_generator_expression_becomes_the_argument_of_list() -> None:
    fix = fix_of(script(f"params = (p for p in net.parameters())\n{BUILT}"))
    assert [edit.content for edit in fix.edits] == ["list"]
