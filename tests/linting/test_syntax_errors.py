"""What is no Python is said in Python's own words, at the place that Python names: in every format alike."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import looplint
from command_line import looplint_text
from looplint.report import FORMATS
from programs import BROKEN

HEAD = "import torch\n"
TORN = {
    "for x in y:\nloss.backward()\n": (3, 1, "expected an indented block after 'for' statement on line 2"),
    "s = 'abc\nloss.backward()\n": (2, 5, "unterminated string literal (detected at line 2)"),
    "loss.backward()\ns = '''abc\n\n": (3, 5, "unterminated triple-quoted string literal (detected at line 4)"),
    "loss.backward(\nopt.step()\n": (2, 14, "'(' was never closed"),
    "print 'a'\nloss.backward()\n": (2, 1, "Missing parentheses in call to 'print'. Did you mean print(...)?"),
    "def f():\n\tx = 1\n        loss.backward()\n": (4, 1, "inconsistent use of tabs and spaces in indentation"),
    "é = 'é'; x = = loss.backward()\n": (2, 14, "invalid syntax"),
}


@pytest.mark.parametrize("text", TORN, ids=[words for _, _, words in TORN.values()])
def test_the_place_and_the_words_are_those_of_python(text: str) -> None:
    row, column, words = TORN[text]
    with pytest.raises(looplint.UnreadError) as caught:
        looplint.lint(HEAD + text)
    (problem,) = caught.value.problems
    assert problem.location is not None
    assert problem.message == f"syntax error: {words}"
    assert problem.location.row == row
    assert words.startswith("inconsistent") or problem.location.column == column


def test_what_only_the_parser_cannot_read_is_said_with_its_place() -> None:
    with pytest.raises(looplint.UnreadError, match=r"<text>:2:5: syntax error: the parser, LibCST, cannot read this: expected one of"):
        looplint.lint("loss.backward()\n(a): int = 1\n")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows the syntax")
@pytest.mark.parametrize("line", ["type X = int", "def f[T](a): pass", "class C[T](A): pass", "x = t'{a}'", "x = f'{a['b']}'"])
def test_a_newer_syntax_is_linted_and_takes_no_error_upon_itself(line: str) -> None:
    assert [f.code for f in looplint.lint(f"{line}\n{BROKEN}")] == ["LL102"]
    with pytest.raises(looplint.UnreadError) as caught:
        looplint.lint(f"{line}\n{BROKEN}    opt.step(\n")
    (problem,) = caught.value.problems
    assert problem.location is not None and problem.location.row == 11 and problem.location.column == len("    opt.step(")
    assert "(in line 1 is syntax of Python 3.1" in problem.message and "on which looplint runs, does not know)" in problem.message


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_says_the_same(name: str, tmp_path: Path) -> None:
    text = "for x in y:\nloss.backward()\n"
    row, column, words = TORN[text]
    (tmp_path / "torn.py").write_text(HEAD + text)
    done = looplint_text("torn.py", "--output-format", name, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"error: torn.py:{row}:{column}: syntax error: {words}\n"
    if name in ("sarif", "github", "junit", "gitlab"):
        assert words.replace("'", "&#x27;") in done.stdout or words in done.stdout


def test_a_cell_counts_its_own_rows(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "execution_count": None, "id": str(n), "metadata": {}, "outputs": [], "source": source}
        for n, source in enumerate(["import torch\n", "x = 1\nfor x in y:\nloss.backward()\n"])
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    with pytest.raises(looplint.UnreadError) as caught:
        looplint.lint(text + "\n", filename="nb.ipynb")
    assert str(caught.value) == "nb.ipynb:cell 2:3:1: syntax error: expected an indented block after 'for' statement; the cell is left out"
