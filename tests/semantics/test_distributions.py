"""What is computed of a distribution is computed of its parameters, also where a class of the program, or one out of sight, stands between."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    import torch
    from torch import nn, optim
    from torch.distributions import Independent, Normal, kl_divergence
    import lib
    class Actor(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 4)
        def forward(self, x):
            return self.body(x)
    {cls}
    def fit(loader):
        actor, critic = Actor(), nn.Linear(4, 1)
        optimizer = optim.SGD(actor.parameters(), lr=0.1)
        for x, y in loader:
            made = {made}
            loss = critic({given}).mean(){term}
            optimizer.zero_grad()
            loss.backward()
            optimizer.step(){mark}
"""
SQUASHED = """
    class Squashed({base}):
        def __init__(self, loc, scale):
            super().__init__(loc, scale)
            self.eps = 1e-6
        def rsample(self, shape=()):
            return torch.tanh(super().rsample(shape))
        @property
        def squashed_mean(self):
            return torch.tanh(self.mean)
        @property
        def mean(self):
            return super().mean
"""
OF_TORCH, OUT_OF_SIGHT = SQUASHED.format(base="Normal"), SQUASHED.format(base="lib.Normal")
BARE = "class Squashed({base}): pass"
WITH_A_GRAPH = {
    "what is drawn with a graph": ("", "Normal(actor(x), 1.0)", "made.rsample()", ""),
    "an attribute": ("", "Normal(actor(x), 1.0)", "made.mean", ""),
    "one in another": ("", "Independent(Normal(actor(x), 1.0), 1)", "made.rsample()", ""),
    "how far two are apart": ("", "Normal(actor(x), 1.0)", "x", " + kl_divergence(made, Normal(0.0, 1.0)).mean()"),
    "that times a factor": ("", "Normal(actor(x), 1.0)", "x", " + 0.1 * kl_divergence(made, Normal(0.0, 1.0))"),
    "a class of its own": (OF_TORCH, "Squashed(actor(x), 1.0)", "made.rsample()", ""),
    "an attribute of a class of its own": (OF_TORCH, "Squashed(actor(x), 1.0)", "made.squashed_mean", ""),
    "a class that adds nothing": (BARE.format(base="Normal"), "Squashed(actor(x), 1.0)", "made.rsample()", ""),
    "a base out of sight": (OUT_OF_SIGHT, "Squashed(actor(x), 1.0)", "made.rsample()", ""),
    "an attribute of a base out of sight": (OUT_OF_SIGHT, "Squashed(actor(x), 1.0)", "made.squashed_mean", ""),
    "a base out of sight alone": (BARE.format(base="lib.Normal"), "Squashed(actor(x), 1.0)", "made.rsample()", ""),
    "an attribute of that": (BARE.format(base="lib.Normal"), "Squashed(actor(x), 1.0)", "made.mean", ""),
}


@pytest.mark.parametrize(("cls", "made", "given", "term"), WITH_A_GRAPH.values(), ids=WITH_A_GRAPH)
def test_what_is_computed_of_parameters_trains_what_gave_them(cls: str, made: str, given: str, term: str) -> None:
    assert_marked(PROGRAM.format(cls=cls, made=made, given=given, term=term, mark=""))


WITHOUT = {
    "what is drawn without one": ("", "Normal(actor(x), 1.0)", "made.sample()"),
    "parameters without one": (OF_TORCH, "Squashed(actor(x).detach(), 1.0)", "made.rsample()"),
    "such of a base out of sight": (OUT_OF_SIGHT, "Squashed(actor(x).detach(), 1.0)", "made.rsample()"),
}


@pytest.mark.parametrize(("cls", "made", "given"), WITHOUT.values(), ids=WITHOUT)
def test_what_has_no_graph_trains_nothing(cls: str, made: str, given: str) -> None:
    assert_marked(PROGRAM.format(cls=cls, made=made, given=given, term="", mark="  # expect: LL107"))
