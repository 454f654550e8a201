"""The page of every rule: its headings, and its examples, which are linted."""

from __future__ import annotations

import re

import pytest

from looplint.catalogue import Rule, folder, load
from looplint.lint import analyse
from looplint.sources import decode

RULES = load()
HEADINGS = ["What it does", "Why it matters", "Bad", "Good", "Stays quiet", "Repair", "Evidence"]


def codes_for(rule: Rule, heading: str) -> set[str]:
    block = re.search(rf"## {heading}\n\n```python\n(.*?)```", rule.doc, re.DOTALL)
    assert block is not None
    result = analyse(decode(block[1].encode(), None, "page.py"), [r for r in RULES if r.default or r is rule])
    assert not result.problems
    return {f.code for f in result.findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_headings(rule: Rule) -> None:
    assert re.findall(r"^## (.+)$", rule.doc, re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_bad_is_reported_and_good_is_not(rule: Rule) -> None:
    assert codes_for(rule, "Bad") == {rule.code}
    assert codes_for(rule, "Good") == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_a_rule_file_can_be_read_in_a_sitting(rule: Rule) -> None:
    assert len(rule.path.read_text(encoding="utf-8").splitlines()) <= 160
    assert folder().resolve() in rule.path.resolve().parents
