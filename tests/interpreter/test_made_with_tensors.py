"""What code out of sight makes with tensors is no tensor where its use tells that it is a model or an optimizer: `Model(config, embeddings)`."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    from lib import Model, build, registry, embeddings

    class Learner:
        def __init__(self, config):
            self.net = Model(config, torch.from_numpy(embeddings))

    def train(config, loader, device):
        weights = torch.from_numpy(embeddings).float()
        {made}
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.zero_grad()
            opt.step()

    train(read(), batches(), "cuda")
"""
MADE = {
    "by a class": "net = Model(config, weights)",
    "by a class, and moved": "net = Model(config, weights).to(device)",
    "by a registry": "net = registry.get(config.name)(embeddings=weights)",
    "by a function that may get nothing": "net = build(weights if config.pretrained else None)",
}
STEP = """
    import torch
    from lib import make_stepper

    def train(net: torch.nn.Module, loader):
        weights = torch.rand(3)
        opt = make_stepper(net, weights)
        for x in loader:
            net(x).sum().backward()
            opt.zero_grad()
            opt.step()

    train(read(), batches())
"""


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(dedent(program), isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_its_use_tells_what_it_is(made: str) -> None:
    assert codes(PROGRAM.format(made=made)) == ["LL101"]


def test_an_optimizer_made_with_a_tensor() -> None:
    assert codes(STEP) == ["LL101"]
