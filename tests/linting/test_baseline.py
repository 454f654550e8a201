"""A baseline hides what was there and nothing else, wherever lines move."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from command_line import looplint_text as looplint

LOOP = """\
import torch
from torch import nn, optim


def train(net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
"""
SECOND = LOOP[LOOP.index("def train") :].replace("train", "again")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(LOOP)
    (tmp_path / "b.py").write_text(LOOP)
    assert looplint(".", "--write-baseline", "known.json", cwd=tmp_path).returncode == 0
    return tmp_path


def test_writing_says_what_was_written_and_reports_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LOOP)
    done = looplint(".", "--write-baseline", "known.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Wrote 1 known problem to known.json.\n")
    assert (tmp_path / "known.json").read_text() == (
        '{\n  "version": 1,\n  "findings": [\n'
        '    {"file": "a.py", "code": "LL102", "function": "train", "line": "loss.backward()"}\n  ]\n}\n'
    )


def test_what_is_known_is_not_reported(folder: Path) -> None:
    done = looplint(".", "--baseline", "known.json", cwd=folder)
    assert done.returncode == 0
    assert (
        done.stdout
        == "No problems found (2 files checked).\n2 known problems of known.json are not shown.\nJudged 2 training loops in 2 files.\n"
    )


def test_lines_may_move_and_change_around_it(folder: Path) -> None:
    moved = LOOP.replace("import torch\n", '"""Train."""\n\nimport os\nimport torch\n').replace(
        "loss.backward()", "loss.backward()  # here"
    )
    (folder / "a.py").write_text(moved.replace("    for x", "    print(opt)\n    for x"))
    assert looplint(".", "--baseline", "known.json", cwd=folder).returncode == 0


def test_a_second_problem_of_the_same_kind_is_new(folder: Path) -> None:
    (folder / "a.py").write_text(f"{LOOP}\n\n{SECOND}")
    done = looplint(".", "--baseline", "known.json", "--output-format", "concise", cwd=folder)
    assert done.returncode == 1 and [line.split(" ")[0] for line in done.stdout.splitlines()] == ["a.py:17:9:"]


def test_equal_problems_are_counted(folder: Path) -> None:
    third = f"kept = train\n\n\n{SECOND.replace('again', 'train')}"
    (folder / "a.py").write_text(f"{LOOP}\n\n{third}")
    looplint(".", "--write-baseline", "known.json", cwd=folder)
    assert looplint(".", "--baseline", "known.json", cwd=folder).returncode == 0
    (folder / "a.py").write_text(f"{LOOP}\n\n{third}\n\n{third}")
    assert looplint(".", "--baseline", "known.json", cwd=folder).stdout.count("LL102") == 1


def test_what_no_longer_occurs_is_mentioned_and_dropped_when_it_is_written(folder: Path) -> None:
    (folder / "a.py").write_text(LOOP.replace("        loss =", "        opt.zero_grad()\n        loss ="))
    os.remove(folder / "b.py")
    done = looplint(".", "--baseline", "known.json", cwd=folder)
    assert done.returncode == 0
    said = "2 problems of known.json no longer occur (LL102 in a.py, LL102 in b.py): --write-baseline known.json drops what is gone."
    assert done.stdout.splitlines()[1:] == [said, "Judged 1 training loop in 1 file."]
    looplint(".", "--write-baseline", "known.json", cwd=folder)
    assert json.loads((folder / "known.json").read_text()) == {"version": 1, "findings": []}


def test_a_run_over_a_part_says_nothing_of_the_rest_and_keeps_it(folder: Path) -> None:
    before = (folder / "known.json").read_text()
    assert "no longer" not in looplint("a.py", "--baseline", "known.json", cwd=folder).stdout
    assert "no longer" not in looplint(".", "--select", "LL2", "--baseline", "known.json", cwd=folder).stdout
    looplint("a.py", "--write-baseline", "known.json", cwd=folder)
    looplint(".", "--select", "LL2", "--write-baseline", "known.json", cwd=folder)
    assert (folder / "known.json").read_text() == before


def test_a_baseline_holds_from_another_folder(folder: Path) -> None:
    (folder / "inner").mkdir()
    done = looplint("..", "--baseline", "../known.json", cwd=folder / "inner")
    assert done.returncode == 0, done.stdout


def test_other_formats_leave_known_problems_out_too(folder: Path) -> None:
    assert looplint(".", "--baseline", "known.json", "--output-format", "json", cwd=folder).stdout == "[]\n"
    assert "2 known problems" in looplint(".", "--baseline", "known.json", "--statistics", cwd=folder).stdout


NO_BASELINES = {
    "missing.json": (None, "missing.json: cannot be read: No such file or directory; `--write-baseline missing.json` writes"),
    "half.json": ('{"version": 1,', "half.json:1:15: is not a baseline: "),
    "list.json": ("[]", 'list.json: is not a baseline: it has no list "findings"'),
    "future.json": ('{"version": 9, "findings": []}', "future.json: is a baseline of version 9; this looplint reads version 1"),
    "row.json": (
        '{"version": 1, "findings": [{"file": "a.py"}]}',
        "row.json: is not a baseline: finding 1 must have file, code, function, line, each a string",
    ),
}


@pytest.mark.parametrize("name", NO_BASELINES)
def test_what_is_no_baseline_is_said_in_one_line(folder: Path, name: str) -> None:
    text, said = NO_BASELINES[name]
    if text is not None:
        (folder / name).write_text(text)
    done = looplint(".", "--baseline", name, cwd=folder)
    assert done.returncode == 2 and done.stderr.startswith(f"error: {said}") and done.stderr.count("\n") == 1


def test_a_script_is_not_overwritten_by_a_baseline(folder: Path) -> None:
    done = looplint("--write-baseline", "a.py", cwd=folder)
    assert done.returncode == 2 and "is not a baseline" in done.stderr
    assert (folder / "a.py").read_text() == LOOP


def test_both_options_at_once_are_refused(folder: Path) -> None:
    done = looplint(".", "--baseline", "known.json", "--write-baseline", "known.json", cwd=folder)
    assert done.returncode == 2 and "--baseline" in done.stderr


def test_a_cell_of_a_notebook_may_move(tmp_path: Path) -> None:
    def write(*texts: str) -> None:
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text} for text in texts]
        (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))

    write("print(1)", LOOP + "train(net, loader)")
    assert looplint(".", "--write-baseline", "known.json", cwd=tmp_path).stdout == "Wrote 1 known problem to known.json.\n"
    assert '"function": "train", "line": "loss.backward()"' in (tmp_path / "known.json").read_text()
    write("print(1)", "print(2)", f"# here\n{LOOP}train(net, loader)")
    done = looplint(".", "--baseline", "known.json", cwd=tmp_path)
    assert done.returncode == 0 and "1 known problem of known.json is not shown" in done.stdout
