"""A flag that tells the first call of a method from all others hides neither: what sets it is one of the object's own methods."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from simulator import Base


class Agent{bases}:
    def {setup}(self, path):
        self.ready = {before}
        self.device = torch.device("cuda:0")

    def prepare(self):
        self.ready = {after}

    def run_step(self, data):
        if {first}:
            self.prepare()
            return None
        x = torch.from_numpy(data).unsqueeze(0)
        x.to(self.device, dtype=torch.float32)
        return self.net(x)
"""


@pytest.mark.parametrize("bases", ["", "(Base)"], ids=["alone", "of a base out of sight"])
@pytest.mark.parametrize("setup", ["__init__", "setup"])
@pytest.mark.parametrize(("before", "after", "first"), [("False", "True", "not self.ready"), ("True", "False", "self.ready")])
def test_what_runs_from_the_second_call_on_is_judged(bases: str, setup: str, before: str, after: str, first: str) -> None:
    found = looplint.lint(PROGRAM.format(bases=bases, setup=setup, before=before, after=after, first=first), isolated=True)
    assert [finding.code for finding in found] == ["LL503"]


def test_a_flag_that_nothing_sets_again_decides() -> None:
    found = looplint.lint(PROGRAM.format(bases="", setup="__init__", before="False", after="False", first="not self.ready"), isolated=True)
    assert list(found) == []
