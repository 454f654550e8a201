"""LL904 points to where a reader has to change something: the call of a helper that sets the seed, and not its inside, which serves others too."""

from __future__ import annotations

import pytest

import looplint

HEAD = """import torch
from torch import nn, optim


def fit(net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()


"""
HELPER = "def set_seed(seed):\n    torch.manual_seed(seed)\n\n\n"
TRAINER = "class Trainer:\n    def __init__(self, net):\n        self.net = net\n        set_seed(3)\n\n\n"


@pytest.mark.parametrize(
    ("program", "notes"),
    [
        ("net = nn.Linear(8, 2)\ntorch.manual_seed(3)  # here\nfit(net, loader)\n", 1),
        (HELPER + "net = nn.Linear(8, 2)\nset_seed(3)  # here\nfit(net, loader)\n", 2),
        (HELPER + TRAINER + "net = nn.Linear(8, 2)\ntrainer = Trainer(net)  # here\nfit(trainer.net, loader)\n", 2),
        (HELPER + "def main():\n    net = nn.Linear(8, 2)\n    set_seed(3)  # here\n    fit(net, loader)\n\n\nmain()\n", 2),
    ],
)
def test_the_place_is_where_the_ways_to_the_model_and_to_the_seed_part(program: str, notes: int) -> None:
    text = HEAD + program
    (found,) = [f for f in looplint.lint(text, isolated=True) if f.code == "LL904"]
    assert "# here" in text.splitlines()[found.location.row - 1]
    assert len(found.related) == notes


@pytest.mark.parametrize(
    "seeded", ["env.seed(3)", "env.action_space.seed(3)", "for each in envs: each.seed(3)", "sampler = make(env); sampler.seed(3)"]
)
def test_the_seed_of_an_object_is_for_what_that_draws(seeded: str) -> None:
    program = f"from elsewhere import make\n{HEAD}env, envs = make(1), make(4)\nnet = nn.Linear(8, 2)\n{seeded}\nfit(net, loader)\n"
    assert not [f for f in looplint.lint(program, isolated=True) if f.code == "LL904"]
    late = program.replace("fit(net, loader)\n", "torch.manual_seed(3)\nfit(net, loader)\n")
    assert [f.code for f in looplint.lint(late, isolated=True) if f.code == "LL904"]


@pytest.mark.parametrize("seeded", ["utils.seed(3)", "set_seeds(3)", "make.seed_all(3)"])
def test_what_seeds_all_by_its_name_counts(seeded: str) -> None:
    program = (
        f"from elsewhere import make, set_seeds\nimport elsewhere.utils as utils\n{HEAD}net = nn.Linear(8, 2)\n{seeded}\nfit(net, loader)\n"
    )
    assert [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL904"]


CHOSEN = """
class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()
        if kind == "a":
            self.trunk = nn.Linear(8, 2)
        else:
            self.trunk = nn.Sequential(nn.Linear(8, 2), nn.ReLU())

    def forward(self, x):
        return self.trunk(x)


def main(kind):
    net = Net(kind)  # drawn
    torch.manual_seed(3)
    fit(net, loader)


main("a" if loader else "b")
"""


def test_the_whole_is_named_where_a_branch_builds_its_part() -> None:
    text = HEAD + CHOSEN
    (found,) = [f for f in looplint.lint(text, isolated=True) if f.code == "LL904"]
    assert found.message.startswith("net was built before this seed")
    assert "# drawn" in text.splitlines()[found.related[0].location.row - 1]
