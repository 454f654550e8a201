"""LL108 says of which k it speaks where the text has no number for it above 1, and then it is a warning: with a k of 1 the loop is right."""

from __future__ import annotations

import pytest

import looplint

LOOP = """
    seen = 0
    for step, (x, y) in enumerate(loader):
        seen += 1
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        if {condition}:
            optimizer.step()
            optimizer.zero_grad()
            seen = 0
"""
CONDITIONS = ["(step + 1) % {k} == 0", "seen == {k}", "seen >= {k}"]
PARSER = """
parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default={default})
args = parser.parse_args()
def train(model, optimizer, loader):"""
OPEN = {
    "a parameter": ("def train(model, optimizer, loader, every):", "every"),
    "a parameter that is 1": ("def train(model, optimizer, loader, every=1):", "every"),
    "of a configuration": ("def train(model, optimizer, loader, cfg):", "cfg.every"),
    "an option that is 1": (PARSER.format(default=1), "args.every"),
}
SEVERAL = {
    "a parameter": ("def train(model, optimizer, loader, every=4):", "every"),
    "a global": ("EVERY = 4\ndef train(model, optimizer, loader):", "EVERY"),
    "a number": ("def train(model, optimizer, loader):", "4"),
    "a field": ("class Config:\n    every: int = 4\ndef train(model, optimizer, loader, cfg: Config):", "cfg.every"),
    "an option": (PARSER.format(default=4), "args.every"),
}
KEPT = """
class Trainer:
    def __init__(self, model, optimizer, every={default}):
        self.model, self.optimizer = model, optimizer
        self.every = every

    def train(self, loader):
        for step, (x, y) in enumerate(loader):
            nn.functional.mse_loss(self.model(x), y).backward()
            if (step + 1) % self.every == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
"""


def found(text: str) -> list[tuple[str, bool]]:
    findings = looplint.lint(f"import argparse\nimport torch\nfrom torch import nn\n{text}", isolated=True)
    return [(f.severity, "is more than 1, gradients of" in f.message) for f in findings if f.code == "LL108"]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("case", OPEN)
def test_a_number_that_the_text_has_not_is_a_condition(case: str, condition: str) -> None:
    head, k = OPEN[case]
    assert found(head + LOOP.format(condition=condition.format(k=k))) == [("warning", True)]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("case", SEVERAL)
def test_a_number_of_the_text_is_none(case: str, condition: str) -> None:
    head, k = SEVERAL[case]
    assert found(head + LOOP.format(condition=condition.format(k=k))) == [("error", False)]


def test_what_a_constructor_keeps_has_the_number_of_its_parameter() -> None:
    assert found(KEPT.format(default=4)) == [("error", False)]
    assert found(KEPT.format(default=1)) == [("warning", True)]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_batch_counted_or_divided_is_not_too_many(condition: str) -> None:
    assert found("EVERY = 1\ndef train(model, optimizer, loader):" + LOOP.format(condition=condition.format(k="EVERY"))) == []
