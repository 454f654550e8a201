"""The page about findings in other repositories has a section for each proof, with what it measured. `pytest --bless` writes the tables anew."""

from __future__ import annotations

import re

import pytest

from benchmarks.found_in_the_wild.__main__ import differences, read
from benchmarks.found_in_the_wild.page import BLOCK, block
from benchmarks.found_in_the_wild.proofs import proofs
from looplint.linting.catalogue import load
from places import ROOT

PAGE = ROOT / "docs" / "found-in-the-wild.md"


def test_each_proof_has_its_section_with_what_it_measured(request: pytest.FixtureRequest) -> None:
    known, measured = {proof.name: proof for proof in proofs()}, read()
    assert known.keys() == measured.keys()
    page = PAGE.read_text(encoding="utf-8")
    assert sorted(BLOCK.findall(page)) == sorted(known)
    rendered = BLOCK.sub(lambda found: block(known[found[1]], measured[found[1]]), page)
    if request.config.getoption("--bless"):
        PAGE.write_text(rendered, encoding="utf-8")
    assert page == rendered or request.config.getoption("--bless")


def test_the_page_counts_what_it_lists() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sections = re.findall(r"^## \d+\. (.+)$", page, re.MULTILINE)
    assert len(sections) == len(list(proofs()))
    counted = f"{len(sections)} bugs in {len({proof.repo for proof in proofs()})} repositories"
    assert counted in page and f"[{counted}](found-in-the-wild.md)" in (ROOT / "docs" / "measured.md").read_text(encoding="utf-8")


def test_proofs_name_rules_and_commits() -> None:
    codes = {rule.code for rule in load()}
    for proof in proofs():
        assert proof.found and set(proof.found.values()) <= codes
        assert re.fullmatch(r"[0-9a-f]{40}", proof.commit)


def test_other_numbers_are_told() -> None:
    assert differences({"norm": 1.01, "kept": True}, {"norm": 1.0, "kept": True}) == []
    assert differences({"norm": 1.2, "kept": False}, {"norm": 1.0, "kept": True}) == ["kept was True", "norm was 1.0"]
