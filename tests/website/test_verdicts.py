"""The page on verdicts has each rule's conditions, as the code has them."""

from __future__ import annotations

import re

from looplint.linting.catalogue import load
from looplint.runtime.evidence.claims import CLAIMS
from website.verdicts import page

PAGE = page(load())


def test_each_rule_stands_on_it_with_its_conditions() -> None:
    rows = {match[1]: row for row in PAGE.splitlines() if (match := re.match(r"\| \[(\w+)\]", row))}
    observed = {code: claim.observed for code, claim in CLAIMS.items() if claim.observed is not None}
    assert set(rows) == set(observed)
    for code, conditions in observed.items():
        cells = [cell.strip() for cell in rows[code].strip("|").split(" | ")]
        assert cells[1:4] == [conditions.confirms, conditions.needs, str(conditions.turns or "")]
        assert (cells[5] == "the observation") == conditions.harm
    assert len(rows) > 40


def test_what_one_run_does_not_show_is_named() -> None:
    last = PAGE.strip().splitlines()[-1]
    assert set(re.findall(r"\[(\w+)\]", last)) == {code for code, claim in CLAIMS.items() if claim.observed is None}
