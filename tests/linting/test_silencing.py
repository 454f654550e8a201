"""`--add-noqa` and LL001 as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import looplint_text as looplint

ENGINE = """\
def fit(net, loader, opt):
    for x, y in loader:
        net(x).sum().backward()
        opt.step()
"""
MAIN = """\
import torch
from engine import fit

net = torch.nn.Linear(1, 1)
fit(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))
"""
ASK = ("--extend-select", "LL001", "--output-format", "concise")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path


def test_add_noqa_silences_what_is_found_and_no_more(folder: Path) -> None:
    done = looplint(".", "--add-noqa", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "Silenced 1 problem in 1 file.\n")
    assert (folder / "engine.py").read_text() == ENGINE.replace("backward()", "backward()  # looplint: ignore[LL102]")
    assert (folder / "main.py").read_text() == MAIN
    assert looplint(".", cwd=folder).returncode == 0
    assert looplint(".", "--add-noqa", cwd=folder).stdout == "Silenced 0 problems in 0 files.\n"


def test_add_noqa_writes_only_what_was_given(folder: Path) -> None:
    done = looplint("main.py", "--add-noqa", cwd=folder)
    assert done.returncode == 2 and done.stderr == "error: engine.py: is not among the given paths, so LL102 is not silenced in it\n"
    assert (folder / "engine.py").read_text() == ENGINE


def test_add_noqa_keeps_encoding_and_line_ends(folder: Path) -> None:
    raw = ("# -*- coding: latin-1 -*-\n# ü\n" + ENGINE).replace("\n", "\r\n").encode("latin-1")
    (folder / "engine.py").write_bytes(raw)
    assert looplint(".", "--add-noqa", cwd=folder).returncode == 0
    assert (folder / "engine.py").read_bytes() == raw.replace(b"backward()", b"backward()  # looplint: ignore[LL102]")


def test_add_noqa_refuses_what_it_cannot_write(folder: Path) -> None:
    done = looplint("-", "--add-noqa", cwd=folder, stdin=MAIN.replace("from engine import fit", ENGINE))
    assert done.returncode == 2 and "<stdin>: cannot be written to" in done.stderr
    assert looplint(".", "--add-noqa", "--fix", cwd=folder).returncode == 2


def test_add_noqa_reaches_the_cells_of_a_notebook(tmp_path: Path) -> None:
    texts = (ENGINE, MAIN.replace("from engine import fit\n", ""))
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text.splitlines(True)} for text in texts
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
    assert looplint("train.ipynb", "--add-noqa", cwd=tmp_path).stdout == "Silenced 1 problem in 1 file.\n"
    cells[0]["source"] = ENGINE.replace("backward()", "backward()  # looplint: ignore[LL102]").splitlines(True)
    assert json.loads((tmp_path / "train.ipynb").read_text()) == notebook
    assert looplint("train.ipynb", cwd=tmp_path).returncode == 0


def test_a_document_is_left_as_it_is(tmp_path: Path) -> None:
    text = f"# How to\n\n```python\n{ENGINE}```\n\n```python\nx = 1  # noqa: LL102\n```\n"
    (tmp_path / "guide.md").write_text(text)
    done = looplint("guide.md", "--add-noqa", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr == "error: guide.md: is a document, so LL102 is not silenced in it\n"
    assert "guide.md:11:8: advice: LL001" in looplint("guide.md", *ASK, "--fix", cwd=tmp_path).stdout
    assert (tmp_path / "guide.md").read_text() == text


def test_unused_comments_are_reported_only_where_that_is_asked(folder: Path) -> None:
    (folder / "main.py").write_text(MAIN.replace("fit\n", "fit  # noqa: LL102\n"))
    looplint("engine.py", "--add-noqa", cwd=folder)
    assert looplint(".", cwd=folder).returncode == 0
    said = "main.py:2:25: advice: LL001 [unused-suppression] LL102 is silenced here, and would not be reported\n"
    assert looplint(".", *ASK, cwd=folder).stdout == said
    assert looplint(".", *ASK, "--jobs", "2", cwd=folder).stdout == said
    # Which other rules are selected makes no difference to what a comment is needed for.
    assert looplint(".", "--select", "LL001", *ASK[2:], cwd=folder).stdout == said
    assert looplint(".", "--select", "unused-suppression,LL2", *ASK[2:], cwd=folder).stdout == said


def test_the_configuration_may_ask(folder: Path) -> None:
    (folder / "main.py").write_text(MAIN.replace("fit\n", "fit  # noqa: LL102\n"))
    (folder / "looplint.toml").write_text('extend-select = ["LL001"]\nignore = ["LL102"]\n')
    assert looplint(".", *ASK[2:], cwd=folder).stdout.count("\n") == 1
    with (folder / "looplint.toml").open("a") as file:
        file.write('[per-file-ignores]\n"main.py" = ["LL001"]\n')
    assert looplint(".", *ASK[2:], cwd=folder).stdout == ""


def test_files_without_loops_are_read_for_their_comments(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("print(1)  # looplint: ignore[LL102]\n")
    assert looplint(".", cwd=tmp_path).returncode == 0
    assert looplint(".", *ASK, cwd=tmp_path).stdout.startswith("setup.py:1:11: advice: LL001")


def test_a_comment_for_what_another_file_brings_about_is_needed(folder: Path) -> None:
    engine = ENGINE.replace("opt):\n", "opt, clear):\n").replace("        net(x)", "        clear()\n        net(x)")
    (folder / "engine.py").write_text(engine.replace("backward()", "backward()  # noqa: LL102"))
    (folder / "main.py").write_text(MAIN.replace("lr=0.1)", "lr=0.1), print"))
    assert looplint(".", *ASK, cwd=folder).stdout == ""


def test_nothing_is_said_of_comments_where_a_file_cannot_be_analysed(folder: Path) -> None:
    (folder / "engine.py").write_text(ENGINE.replace("loader:", "loader:  # noqa: LL303"))
    assert "LL001" in looplint(".", *ASK, cwd=folder).stdout
    (folder / "main.py").write_text("import torch\nloss.backward(\n")
    assert "LL001" not in looplint(".", *ASK, cwd=folder).stdout


def test_fix_takes_unused_comments_away_with_the_problem_they_silenced(folder: Path) -> None:
    text = ENGINE.replace("loader:", "loader:  # why  # noqa: LL303, E501").replace("step()", "step()  # noqa: LL104")
    (folder / "engine.py").write_text(text)
    done = looplint(".", *ASK, "--fix", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    fixed = (folder / "engine.py").read_text()
    assert "# why  # noqa: E501\n" in fixed and "LL1" not in fixed and "zero_grad()" in fixed
