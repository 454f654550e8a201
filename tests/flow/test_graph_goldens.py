"""The graph and the states of small programs, as text. `pytest --bless` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.analysis import build_program
from looplint.queries.description import describe
from looplint.sources.reading import decode
from places import GOLDENS


@pytest.mark.parametrize("program", sorted(GOLDENS.glob("*.py")), ids=lambda p: p.stem)
def test_graph_and_states(program: Path, request: pytest.FixtureRequest) -> None:
    built, _ = build_program(decode(program.read_bytes(), None, program.name))
    text = describe(built) + "\n"
    golden = program.with_suffix(".txt")
    if request.config.getoption("--bless"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
