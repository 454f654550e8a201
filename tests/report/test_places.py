"""Places in every format: what a reader is shown ends where it begins, or after."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest

from looplint.finding import Finding, Location
from looplint.linting.files import LintResult, lint_paths
from looplint.report import FORMATS, render
from looplint.sources.magics import rows_of
from looplint.sources.notebook_edit import place_in_json
from looplint.sources.notebook_json import scan
from places import EXAMPLES

Span = tuple[tuple[int, int], tuple[int, int]]


def _json(entries: list[Any]) -> Iterator[Span]:
    for entry in entries:
        start, end = entry["location"], entry["end_location"]
        yield (start["row"], start["column"]), (end["row"], end["column"])


def _sarif(text: str) -> Iterator[Span]:
    for result in json.loads(text)["runs"][0]["results"]:
        region = result["locations"][0]["physicalLocation"]["region"]
        yield (region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"])


def _gitlab(text: str) -> Iterator[Span]:
    for entry in json.loads(text):
        begin, end = entry["location"]["positions"]["begin"], entry["location"]["positions"]["end"]
        yield (begin["line"], begin["column"]), (end["line"], end["column"])


def _github(text: str) -> Iterator[Span]:
    for line in text.splitlines():
        found = dict(re.findall(r"\b(line|col|endLine|endColumn)=(\d+)", line.split("::")[1]))
        yield (int(found["line"]), int(found.get("col", 0))), (int(found["endLine"]), int(found.get("endColumn", 0)))


def _rdjson(text: str) -> Iterator[Span]:
    for diagnostic in json.loads(text)["diagnostics"]:
        start, end = diagnostic["location"]["range"]["start"], diagnostic["location"]["range"]["end"]
        yield (start["line"], start["column"]), (end["line"], end["column"])


SPANS: dict[str, Callable[[str], Iterator[Span]]] = {
    "json": lambda text: _json(json.loads(text)),
    "json-lines": lambda text: _json([json.loads(line) for line in text.splitlines()]),
    "sarif": _sarif,
    "gitlab": _gitlab,
    "github": _github,
    "rdjson": _rdjson,
}


def notebook(*sources: str | list[str], ascii_only: bool = True) -> str:
    cells = [
        {"cell_type": "code", "execution_count": None, "id": f"c{n}", "metadata": {}, "outputs": [], "source": source}
        for n, source in enumerate(sources)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=ascii_only)


ODD = "s = '\\t\U0001f600\u00e9\"'\n\n%time x = 1\r\nlast(s)"
NOTEBOOKS = {
    "lists": notebook(ODD.splitlines(keepends=True), ["only\n"], [""]),
    "one string a cell": notebook(ODD, ODD + "\n", ""),
    "characters as they are": notebook(ODD, [ODD[:3], ODD[3:]], ascii_only=False),
}


def test_every_format_with_an_end_is_looked_at() -> None:
    assert set(FORMATS) - set(SPANS) == {"text", "concise", "junit", "markdown"}, "these have a beginning only"


@pytest.mark.parametrize("kind", NOTEBOOKS)
def test_places_of_a_cell_keep_their_order_and_their_characters_in_its_json(kind: str) -> None:
    raw = NOTEBOOKS[kind].encode()
    lines = NOTEBOOKS[kind].split("\n")
    for cell in scan(raw).cells:
        rows = rows_of("".join(cell.source))
        before = Location(1, 1)
        for row in range(1, len(rows) + 3):
            text = rows[row - 1].rstrip("\r\n") if row <= len(rows) else ""
            for column in range(1, len(text) + 4):
                place = place_in_json(raw, cell.number, Location(row, column))
                assert place is not None and place >= before
                before = place
                if column <= len(text):
                    written = lines[place.row - 1][place.column - 1 :]
                    char = text[column - 1]
                    assert written.startswith((char, json.dumps(char)[1:-1])), (row, column)


@pytest.mark.parametrize("kind", NOTEBOOKS)
@pytest.mark.parametrize("name", SPANS)
def test_no_end_is_before_its_beginning(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text(NOTEBOOKS[kind], encoding="utf-8", newline="")
    places = [Location(row, column) for row in range(1, 6) for column in (1, 2, 5, 8, 9, 10, 12)]
    findings = tuple(
        Finding("LL102", "missing-zero-grad", "said", str(path), start, end, cell=cell)
        for cell in (1, 2)
        for start, end in combinations_with_replacement(places, 2)
    )
    spans = list(SPANS[name](render(name, LintResult(findings, (), 1))))
    assert len(spans) == len(findings)
    assert all(start <= end for start, end in spans)


@pytest.mark.parametrize("name", SPANS)
def test_what_ends_with_its_cell_ends_there(name: str) -> None:
    spans = list(SPANS[name](render(name, lint_paths([str(EXAMPLES / "train.ipynb")]))))
    assert all(start[0] == end[0] for start, end in spans)
    assert [end[1] - start[1] for start, end in spans] == [len("loss.backward()"), len("losses.append(loss)")]
