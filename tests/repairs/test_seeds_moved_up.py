"""A seed goes above the model with the conditions under which it is set, and not away from what starts from it (LL904)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

HEAD = """\
import logging
import torch
from torch import nn


def fit(net, loader):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()


"""
MAIN = """\
def main(config, loader):
    net = nn.Linear(8, 2)
{seeded}    fit(net, loader)


main(settings(), [])
"""
GUARDED = """\
    if "seed" in config:
        logging.info("seeded")
        torch.manual_seed(config["seed"])
        torch.backends.cudnn.deterministic = True
"""
NESTED = """\
    if config:
        if config.seed is not None:
            torch.manual_seed(config.seed)
        else:
            print("not seeded")
"""


@pytest.mark.parametrize("seeded", ["    torch.manual_seed(0)\n", GUARDED, NESTED])
def test_its_conditions_go_with_it(tmp_path: Path, seeded: str) -> None:
    program = HEAD + MAIN.format(seeded=seeded)
    built = "    net = nn.Linear(8, 2)\n"
    assert fixed(tmp_path / "loop.py", program.encode()).decode() == program.replace(built + seeded, seeded + built)


@pytest.mark.parametrize(
    "seeded",
    [
        '    if "seed" in config:\n        steps = config["steps"]\n        torch.manual_seed(config["seed"])\n        print(steps)\n',
        '    if "seed" in config:\n        fit(net, loader)\n        torch.manual_seed(config["seed"])\n',
        '    try:\n        torch.manual_seed(config["seed"])\n    except KeyError:\n        pass\n',
        '    with open("seed") as file:\n        torch.manual_seed(int(file.read()))\n',
        "    with torch.random.fork_rng():\n        torch.manual_seed(0)\n",
        '    config.setdefault("seed", 0)\n    torch.manual_seed(config["seed"])\n',
        "    generator = torch.manual_seed(0)\n",
    ],
)
def test_it_stays_where_its_conditions_cannot_be_moved(tmp_path: Path, seeded: str) -> None:
    program = HEAD + MAIN.format(seeded=seeded)
    assert fixed(tmp_path / "loop.py", program.encode()).decode() == program


FIRST = "net = nn.Linear(8, 2)\nfit(net, loader)\n"
SECOND = "net = nn.Linear(4, 2)\nfit(net, others)\n"
IN_FUNCTIONS = """\
def first():
    net = nn.Linear(8, 2)
    fit(net, loader)


def second():
    torch.manual_seed(0)
    net = nn.Linear(8, 2)
    fit(net, loader)


first()
second()
"""


@pytest.mark.parametrize(
    "sections",
    [
        FIRST + "torch.manual_seed(0)\n" + SECOND,
        FIRST + "torch.manual_seed(0)\n" + SECOND.replace("net", "other"),
        FIRST + "torch.manual_seed(0)\n" + FIRST.removeprefix("net = nn.Linear(8, 2)\n"),  # trained before the seed already
        IN_FUNCTIONS,
    ],
)
def test_a_seed_after_the_training_of_a_model_begins_another_part(sections: str) -> None:
    assert not [f for f in looplint.lint(HEAD + sections, isolated=True) if f.code == "LL904"]


def test_a_seed_is_not_moved_past_the_training_of_another_model(tmp_path: Path) -> None:
    program = HEAD + "other = nn.Linear(4, 2)\n" + FIRST + "torch.manual_seed(0)\nfit(other, others)\n"
    (found,) = [f for f in looplint.lint(program, isolated=True) if f.code == "LL904"]
    assert found.message.startswith("other was built")
    assert fixed(tmp_path / "loop.py", program.encode()).decode() == program


def test_a_seed_goes_above_all_that_is_trained_after_it(tmp_path: Path) -> None:
    program = HEAD + "net = nn.Linear(8, 2)\ntorch.manual_seed(0)\nfit(net, loader)\n" + SECOND.replace("net", "other")
    moved = program.replace("net = nn.Linear(8, 2)\ntorch.manual_seed(0)\n", "torch.manual_seed(0)\nnet = nn.Linear(8, 2)\n")
    assert fixed(tmp_path / "loop.py", program.encode()).decode() == moved
