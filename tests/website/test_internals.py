"""docs/internals.md describes the code that is there. `pytest --bless` draws the wings anew."""

from __future__ import annotations

import re

import pytest

from places import ROOT
from website.wings import rendered

PAGE = ROOT / "docs" / "internals.md"
TEXT = PAGE.read_text(encoding="utf-8")
GLOSSARY = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", TEXT.partition("## Glossary")[2], re.MULTILINE)


def test_the_drawing_is_that_of_the_contracts(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--bless"):
        PAGE.write_text(rendered(TEXT), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == rendered(TEXT)


def test_the_files_of_the_glossary_are_there() -> None:
    assert len(GLOSSARY) >= 35
    assert [file for _, _, file in GLOSSARY if not (ROOT / file).exists()] == []
    terms = [term for term, _, _ in GLOSSARY]
    assert terms == sorted(set(terms))


def test_every_path_it_names_is_there() -> None:
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", TEXT))
    assert len(named) > 30
    assert [path for path in sorted(named) if not (ROOT / path).exists() and not (ROOT / "looplint" / path).exists()] == []
