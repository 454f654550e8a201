"""The cases of fixtures/: which there are, and what their comments say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from looplint.linting.catalogue import folder, load

FIXTURES = folder("fixtures")
RULES = load()
EXPECT = re.compile(r"#\s*expect:\s*([A-Z0-9, ]+)")


def cases() -> Iterator[Path]:
    for rule in sorted(p for p in FIXTURES.iterdir() if p.is_dir()):
        for case in sorted(rule.iterdir()):
            if "fixed" not in case.name.split(".") and (case.suffix == ".py" or (case / "main.py").exists()):
                yield case


def files(case: Path) -> list[Path]:
    return sorted(case.glob("**/*.py")) if case.is_dir() else [case]


def own_rule(case: Path) -> str:
    """The code of the rule whose folder a case stands in."""
    return next(r.code for r in RULES if r.name == case.parent.name.replace("_", "-"))


def parameters(cases: Iterable[Path]) -> list[object]:
    """Cases as parameters of a test. The first of each rule is quick enough to be run with every change, the others are marked as slow."""
    seen: set[str] = set()
    made = []
    for case in cases:
        rule = case.parent.name
        made.append(pytest.param(case, id=f"{rule}/{case.name}", marks=[pytest.mark.slow] if rule in seen else []))
        seen.add(rule)
    return made
