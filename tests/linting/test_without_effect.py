"""Comments that are meant to silence a finding and do not: they are named, whatever rules are asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import looplint_text
from looplint.linting.suppression import without_effect
from programs import BROKEN

KNOWN = [("LL102", "missing-zero-grad"), ("LL103", "clip-before-backward")]
NOTHING = "this comment silences nothing; `# looplint: ignore[CODE]` silences a line"


@pytest.mark.parametrize(
    "comment",
    [
        "# looplint: disable=LL102", "# looplint ignore[LL102]", "# looplint:disable-next-line", "# looplint: skip", "# looplint: ignore[]", "#looplint=off",
        "# nolooplint", "# looplint: ignore-next-line", "step()  # looplint: ignore-next-line[LL102]", "# looplint: ignore_file", "# looplint: noqa-file", "# type: ignore  # looplint: disable", "# Looplint: Suppress LL102",
        "# looplint: ignroe[LL102]", "# looplint: ignore-lines [missing-zero-grad]", "# looplint[LL102]", "# looplint: LL102", "# looplint LL102",
    ],
)  # fmt: skip
def test_what_silences_nothing_is_named(comment: str) -> None:
    (found,) = without_effect(f"x = 1\nstep()  {comment}\n", KNOWN)
    assert found == (2, 9 + comment.lower().rindex("#"), NOTHING)


@pytest.mark.parametrize("word", ["LL999", "missing-zerograd", "E501", "clip_before_backward"])
def test_a_name_of_no_rule_is_named(word: str) -> None:
    (found,) = without_effect(f"step()  # looplint: ignore[LL103, {word}]\n", KNOWN)
    assert found == (1, 35, f"no rule has the code or name {word}, so the comment silences nothing by it")


@pytest.mark.parametrize(
    "line",
    [
        "step()  # looplint: ignore[LL102]", "step()  # looplint: ignore", "# looplint: ignore-file[missing-zero-grad, LL1]", "step()  # noqa: LL999, E501",
        "# looplint is a linter", "# see looplint: the rules", "x = '# looplint: disable'", "# looplint: noqa", "# run looplint --fix and ignore the rest", "# looplint: see LL102", "# looplint has rules [2]",
        "# https://github.com/looplint/looplint", "step()  # type: ignore",
    ],
)  # fmt: skip
def test_what_silences_something_or_means_nothing_is_left(line: str) -> None:
    assert list(without_effect(f"{line}\nx = 1\n", KNOWN)) == []


def test_a_run_warns_of_them(tmp_path: Path) -> None:
    text = BROKEN.replace("loss.backward()", "loss.backward()  # looplint: disable=LL102")
    (tmp_path / "train.py").write_text(text)
    done = looplint_text(".", "--output-format", "concise", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, f"warning: train.py:8:22: {NOTHING}\n")
    assert looplint_text(".", "--quiet", cwd=tmp_path).stderr == ""
    cell = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": text}
    notebook = {"cells": [{**cell, "source": "x = 1\n", "id": "b"}, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "book.ipynb").write_text(json.dumps(notebook))
    assert looplint_text("book.ipynb", cwd=tmp_path).stderr == f"warning: book.ipynb:cell 2:8:22: {NOTHING}\n"
