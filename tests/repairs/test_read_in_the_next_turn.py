"""A converted copy that is thrown away is assigned where the next turn of a loop reads it (LL503)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
import torch


def sample(mask, rows):
    ended = torch.ones(4, dtype=torch.bool)
    for row in rows:
        {above}
        ended = torch.logical_and(ended, row)
        {converted}
        print(row)
"""
CONVERTED = "ended.to(mask.dtype)"


@pytest.mark.parametrize(
    "above", ["mask = torch.cat([mask, ended])", "if len(row) > 2: ended = row\n        print(ended)", "print(ended.sum())"]
)
def test_the_next_turn_reads_it(tmp_path: Path, above: str) -> None:
    broken = PROGRAM.format(above=above, converted=CONVERTED)
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == PROGRAM.format(above=above, converted=f"ended = {CONVERTED}")


@pytest.mark.parametrize("above", ["ended = row", "ended = torch.zeros(4); print(ended)"])
def test_the_next_turn_sets_it_first(tmp_path: Path, above: str) -> None:
    alone = PROGRAM.format(above=above, converted=CONVERTED).replace("torch.logical_and(ended, row)", "torch.logical_not(row)")
    assert fixed(tmp_path / "train.py", alone.encode()).decode() == alone


@pytest.mark.parametrize(
    ("converted", "keeps"),
    [("ended.to(mask.dtype)", "keeps its type"), ("ended.to(mask.device)", "stays where it is"), ("ended.cuda()", "stays where it is")],
)
def test_what_the_copy_would_have_changed(converted: str, keeps: str) -> None:
    (found,) = looplint.lint(PROGRAM.format(above="print(ended)", converted=converted), isolated=True)
    assert found.code == "LL503"
    assert keeps in found.message
