"""The evidence of the catalogue: every fixture of every rule is run broken and repaired, and shows what its rule claims."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest

from looplint.linting import catalogue
from looplint.linting.evidence import Evidence, load, section
from looplint.runtime.evidence.claims import CLAIMS
from looplint.runtime.harness.verify import Verdict, verify

RULES = sorted(rule.code for rule in catalogue.load() if (catalogue.folder("fixtures") / rule.name.replace("-", "_")).is_dir())


@pytest.fixture(scope="module")
def verdicts() -> Mapping[str, list[Verdict]]:
    """All cases, run at once: about half a second of a processor's time for each."""
    found: dict[str, list[Verdict]] = {}
    for verdict in verify(device="cpu", jobs=os.cpu_count() or 1):
        found.setdefault(verdict.code, []).append(verdict)
    return found


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("code", RULES)
def test_each_case_of_a_rule_is_proven(code: str, verdicts: Mapping[str, list[Verdict]]) -> None:
    cases = verdicts.get(code, [])
    if code in CLAIMS and CLAIMS[code].accelerator:
        assert {(v.status, v.note) for v in cases} == {("not run", "only a copy to an accelerator can show it")}
    elif code in CLAIMS:
        assert [(v.case, v.note) for v in cases if v.status != "proven"] == []
        assert len(cases) >= 3
    else:
        assert {v.status for v in cases} <= {"not run"}


@pytest.mark.parametrize("evidence", load(), ids=lambda e: f"{e.torch}-{e.device}")
def test_what_is_stored_holds_of_cases_that_there_are(evidence: Evidence) -> None:
    names = {rule.code: rule.name.replace("-", "_") for rule in catalogue.load()}
    for case in evidence.cases:
        assert case["status"] in ("proven", "not run"), case
        assert list((catalogue.folder("fixtures") / names[case["code"]]).glob(f"{case['case']}*")), case["case"]


def test_a_page_says_what_was_run_where_and_what_was_not() -> None:
    case = {"code": "LL101", "rule": "x", "case": "a", "status": "proven", "note": "", "same": True}
    shown = {"broken": {"text": "9 of 9 steps use nothing"}, "expert": {"text": "0 of 9 steps use nothing"}}
    text = section("LL101", [Evidence("2.13.0+cpu", "cpu", ({**case, **shown},), {})])
    assert "On CPU, torch 2.13.0: 1 of 1 cases proven." in text
    assert "9 of 9 steps use nothing. Repaired: 0 of 9 steps use nothing; as the linter repairs it" in text
    assert text.endswith("On CUDA: not run.")
    text = section("LL101", [Evidence("2.11.0", "cuda", ({**case, **shown},), {}, "a card")])
    assert text.startswith("On CPU: not run.\n\nOn CUDA (a card), torch 2.11.0: 1 of 1 cases proven.")
    assert section("LL102", [Evidence("2.13.0", "cpu", (case,), {})]) == "On CPU: not run.\n\nOn CUDA: not run."
