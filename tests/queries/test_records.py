"""What a loop collects is a record where it trains, goes over a loader, or the program trains the model; elsewhere it is what one call computes."""

from __future__ import annotations

import pytest

import looplint

COLLECTED = """\
import torch
from torch import nn

class Sampler:
    def __init__(self, model: nn.Module):
        self.model = model
{trains}
    def embed(self, {given}, parts):
        found, total = [], 0.0
        for part in {given}:
            out = self.model(part)
            found.append(out)
            total += out.mean()
        self.found = found
        return total.item()
"""
TRAINS = """\
    def train(self, loader):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            optimizer.step()
"""


def kept(source: str) -> set[str]:
    return {f.code for f in looplint.lint(source, isolated=True) if f.code in ("LL401", "LL402") and f.severity != "advice"}


@pytest.mark.parametrize("given", ["tiles", "prompts", "boxes"])
def test_the_parts_of_what_one_call_computes_are_no_record(given: str) -> None:
    assert kept(COLLECTED.format(given=given, trains="")) == set()


@pytest.mark.parametrize(("given", "trains"), [("val_loader", ""), ("dataloader", ""), ("prompts", TRAINS)])
def test_a_pass_over_a_loader_or_of_a_trained_model_is_recorded(given: str, trains: str) -> None:
    assert kept(COLLECTED.format(given=given, trains=trains)) == {"LL401", "LL402"}
