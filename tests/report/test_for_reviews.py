"""The formats for reviews: reviewdog's, and a table in Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command_line import looplint_text
from looplint.finding import Edit, Finding, Fix, Location, Problem, Related
from looplint.linting.files import LintResult
from looplint.report import render
from programs import BROKEN

ODD = Finding("LL102", "a-name", "a|b *c* <d> [e](f)\n", "x|y.py", Location(1, 1), Location(1, 2), severity="warning")


def test_rdjson_has_what_reviewdog_reads(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    found = json.loads(looplint_text("train.py", "--output-format", "rdjson", cwd=tmp_path).stdout)
    (diagnostic,) = found["diagnostics"]
    assert found["source"]["name"] == "looplint"
    assert diagnostic["location"] == {
        "path": "train.py",
        "range": {"start": {"line": 8, "column": 5}, "end": {"line": 8, "column": 20}},
    }
    assert diagnostic["severity"] == "ERROR" and diagnostic["code"]["value"] == "LL102"
    (suggestion,) = diagnostic["suggestions"]
    assert suggestion["range"]["start"] == suggestion["range"]["end"] and suggestion["text"] == "    opt.zero_grad()\n"


def test_rdjson_counts_columns_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("é𐐀 = f(x)\n", encoding="utf-8")
    fix = Fix("do", "safe", (Edit("a.py", Location(1, 6), Location(1, 7), "g"),))
    finding = Finding("LL1", "n", "m", "a.py", Location(1, 3), Location(1, 10), related=(Related("r", "a.py", Location(1, 2)),), fix=fix)
    result = LintResult((finding,), (Problem("a.py", "p", Location(1, 2)),), 1)
    first, second = json.loads(render("rdjson", result))["diagnostics"]
    assert first["location"]["range"] == {"start": {"line": 1, "column": 7}, "end": {"line": 1, "column": 14}}
    assert first["related_locations"][0]["location"]["range"]["start"]["column"] == 3
    assert first["suggestions"][0]["range"]["start"]["column"] == 10
    assert second["location"]["range"]["start"]["column"] == 3 and second["severity"] == "ERROR"


def test_markdown_is_a_table_in_which_nothing_is_markup() -> None:
    text = render("markdown", LintResult((ODD,), (Problem("b.py", "cannot be read"),), 3))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3 and all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert r"a\|b \*c\* \<d\> \[e\](f)" in rows[2] and "https://looplint.readthedocs.io/rules/a-name/" in rows[2]
    assert "- b.py: cannot be read" in text and text.startswith("**looplint**: 1 finding in 3 files\n")
