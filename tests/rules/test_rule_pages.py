"""The page of every rule: its headings, and its examples, which are linted."""

from __future__ import annotations

import re

import pytest

from looplint.linting.catalogue import Rule, folder, load
from looplint.linting.files import findings_of, judge
from looplint.linting.selection import Selection, Selections
from looplint.sources.reading import decode

pytestmark = pytest.mark.slow

RULES = load()
HEADINGS = ["What it does", "Why it matters", "Bad", "Good", "Stays quiet", "Repair", "Evidence"]


def section(rule: Rule, heading: str) -> str:
    found = re.search(rf"^## {heading}\n\n(.*?)\n\n## ", rule.doc, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def codes_for(rule: Rule, heading: str) -> set[str]:
    block = re.search(rf"## {heading}\n\n```python\n(.*?)```", rule.doc, re.DOTALL)
    assert block is not None
    source, selections = decode(block[1].encode(), None, "page.py"), Selections(selection=Selection(extend_select=(rule.code,)))
    result = judge(source, selections.of_source(source))
    assert not result.problems
    return {f.code for f in findings_of([result], [source], selections)}


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_headings(rule: Rule) -> None:
    assert re.findall(r"^## (.+)$", rule.doc, re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_what_it_does_is_a_definition(rule: Rule) -> None:
    what = section(rule, "What it does")
    assert what.startswith("Reports ")
    # It says when a finding is reported; the first line, in other words, would not.
    words = [set(re.findall(r"[a-z_]{4,}", text.lower())) for text in (what, rule.summary)]
    assert len(words[0] - words[1]) > len(words[0] & words[1]) + 1


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_exceptions_are_a_list(rule: Rule) -> None:
    items = re.findall(r"^- \S.*\n(?:  \S.*\n)*", f"{section(rule, 'Stays quiet')}\n", re.MULTILINE)
    assert items and "".join(items) == f"{section(rule, 'Stays quiet')}\n"
    assert all(item.endswith(".\n") for item in items)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_bad_is_reported_and_good_is_not(rule: Rule) -> None:
    assert codes_for(rule, "Bad") == {rule.code}
    assert codes_for(rule, "Good") == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_a_rule_file_can_be_read_in_a_sitting(rule: Rule) -> None:
    text = re.sub(r"^from looplint.rule import \([^)]*\)\n", "", rule.path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(text.splitlines()) <= 160
    assert folder().resolve() in rule.path.resolve().parents
