"""Notebooks as a user meets them: findings by cell, odd files, and other languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from command_line import looplint_text as looplint
from looplint.sources.notebooks import combine, locate
from looplint.sources.reading import SourceError, decode

SETUP = "import torch\nfrom torch import nn, optim\n\nnet = nn.Linear(2, 1)\nopt = optim.SGD(net.parameters(), lr=0.1)"
LOOP = "%%time\nfor x, y in loader:\n    loss = nn.functional.mse_loss(net(x), y)\n    loss.backward()\n    opt.step()"


def notebook(*cells: str | tuple[str, str], **metadata: Any) -> bytes:
    """A notebook as nbformat writes it; a cell that is no code is (kind, text)."""
    made = []
    for cell in cells:
        kind, text = cell if isinstance(cell, tuple) else ("code", cell)
        made.append(getattr(nbformat.v4, f"new_{kind}_cell")(text))
    return (nbformat.writes(nbformat.v4.new_notebook(cells=made, metadata=metadata)) + "\n").encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "nb.ipynb").write_bytes(
        notebook(("markdown", "# Training"), "!pip install torch\n%matplotlib inline", SETUP, ("raw", "---"), LOOP)
    )
    return tmp_path


def test_a_finding_names_its_cell_and_the_row_in_it(folder: Path) -> None:
    done = looplint("nb.ipynb", "--output-format", "concise", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.startswith("nb.ipynb:cell 5:4:5: error: LL102 [missing-zero-grad]")


def test_json_has_ruffs_cell(folder: Path) -> None:
    (finding,) = json.loads(looplint("nb.ipynb", "--output-format", "json", cwd=folder).stdout)
    assert finding["cell"] == 5 and finding["location"] == {"row": 4, "column": 5} and finding["noqa_row"] == 4
    assert finding["related"] == [
        {"message": "the gradients are used here, and stay", "filename": "nb.ipynb", "cell": 5, "location": {"row": 5, "column": 5}}
    ]


def test_text_shows_the_lines_of_the_cell_and_says_when_another_cell_takes_part(folder: Path) -> None:
    (folder / "two.ipynb").write_bytes(notebook(SETUP, "def update(opt):\n    opt.step()", LOOP.replace("opt.step()", "update(opt)")))
    assert "4 |     loss.backward()" in looplint("nb.ipynb", cwd=folder).stdout
    out = looplint("two.ipynb", cwd=folder).stdout
    assert "two.ipynb:cell 3:4:5: error: LL102" in out
    assert "::: two.ipynb:cell 2\n2 |     opt.step()" in out


def test_cells_are_one_program_in_order(folder: Path) -> None:
    (folder / "nb.ipynb").write_bytes(
        notebook(SETUP, "def clear():\n    opt.zero_grad()", LOOP.replace("    loss =", "    clear()\n    loss ="))
    )
    assert looplint("nb.ipynb", cwd=folder).returncode == 0


def test_a_folders_notebooks_are_found_and_checkpoints_are_not(folder: Path) -> None:
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "nb-checkpoint.ipynb").write_bytes((folder / "nb.ipynb").read_bytes())
    out = looplint(".", "--output-format", "concise", cwd=folder).stdout
    assert out.count("LL102") == 1 and out.startswith("nb.ipynb:cell 5")


def test_a_loop_in_a_cell_that_is_no_python_is_not_passed_over(folder: Path) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in ("import torch\n", "loss.backward()\n___ = \n")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "exercise.ipynb")
    done = looplint("exercise.ipynb", cwd=folder)
    assert done.returncode == 2 and "exercise.ipynb:cell 2:2:7: syntax error: invalid syntax; the cell is left out" in done.stderr


@pytest.mark.parametrize("comment", ["# noqa: LL102", "# looplint: ignore[missing-zero-grad]"])
def test_a_comment_silences_its_row_in_the_cell(folder: Path, comment: str) -> None:
    (folder / "nb.ipynb").write_bytes(notebook(SETUP, LOOP.replace("loss.backward()", f"loss.backward()  {comment}")))
    assert looplint("nb.ipynb", cwd=folder).returncode == 0


def test_a_notebook_uses_the_modules_beside_it(folder: Path) -> None:
    (folder / "engine.py").write_text(
        "def fit(net, loader, opt):\n    for x, y in loader:\n        net(x).sum().backward()\n        opt.step()\n"
    )
    (folder / "nb.ipynb").write_bytes(notebook(SETUP, "from engine import fit\nfit(net, loader, opt)"))
    assert looplint("nb.ipynb", "--output-format", "concise", cwd=folder).stdout.startswith("engine.py:3:9: error: LL102")


def test_a_cell_that_is_no_python_is_named_and_the_others_are_linted(folder: Path) -> None:
    (folder / "nb.ipynb").write_bytes(notebook(SETUP, "x = 1\nlogits = <YOUR CODE>", LOOP))
    done = looplint("nb.ipynb", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == "error: nb.ipynb:cell 2:2:10: syntax error: invalid syntax; the cell is left out\n"
    assert done.stdout.startswith("nb.ipynb:cell 3:4:5: error: LL102")


def test_a_cell_that_is_indented_as_a_whole_is_what_ipython_takes_it_for(folder: Path) -> None:
    indented = "\n".join("    " + line for line in LOOP.splitlines()[1:])
    (folder / "nb.ipynb").write_bytes(notebook(SETUP, indented))
    assert looplint("nb.ipynb", "--output-format", "concise", cwd=folder).stdout.startswith("nb.ipynb:cell 2:3:9: error: LL102")


@pytest.mark.parametrize(
    "metadata",
    [{"kernelspec": {"language": "julia", "name": "j", "display_name": "J"}}, {"language_info": {"name": "R"}}],
    ids=["by its kernel", "by its language"],
)
def test_a_notebook_in_another_language_is_left_alone(folder: Path, metadata: dict[str, Any]) -> None:
    (folder / "nb.ipynb").write_bytes(notebook(SETUP, LOOP, **metadata))
    done = looplint("nb.ipynb", cwd=folder)
    assert done.returncode == 0 and not done.stderr


BAD = {
    "empty": (b"", "is empty, not a notebook"),
    "no json": (b"loss.backward()", "is not valid JSON: expecting value"),
    "cut off": (notebook(SETUP, LOOP)[:-40], "is not valid JSON"),
    "a comma too many": (b'{"cells": [],,}', "is not valid JSON: expecting property name"),
    "two documents": (b'{"cells": []} {}', "is not valid JSON: extra data"),
    "a list": (b"[]", 'no list "cells"'),
    "no cells": (b'{"metadata": {}}', 'no list "cells"'),
    "format 3": (b'{"worksheets": [{"cells": []}], "nbformat": 3}', "is a notebook of format 3"),
    "a source that is a number": (b'{"cells": [{"cell_type": "code", "source": 3}]}', "the source of cell 1 is no text"),
    "not utf-8": (b'{"cells": ["\xff"]}', "cannot be decoded as utf-8"),
    "deep": (b'{"cells": ' + b"[" * 200_000, "is nested too deeply"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_notebook_is_one_clear_problem(name: str) -> None:
    raw, said = BAD[name]
    with pytest.raises(SourceError) as caught:
        decode(raw, None, "nb.ipynb", "ipynb")
    assert said in str(caught.value.problem)


@pytest.mark.parametrize(
    "raw", [b'{"cells": []}', b'{"cells": [{"cell_type": "code"}, {"cell_type": "code", "source": []}, 7]}', b'\xef\xbb\xbf{"cells": []}']
)
def test_a_notebook_without_code_is_an_empty_program(raw: bytes) -> None:
    assert combine(raw).text == ""


def test_rows_of_the_program_are_rows_of_cells() -> None:
    program = combine(notebook("a = 1\nb = 2", ("markdown", "x"), "", "c = 3\n"))
    assert program.text.splitlines() == ["# %% cell 1", "a = 1", "b = 2", "# %% cell 4", "c = 3"]
    assert [locate(program.cells, row) for row in (2, 3, 5)] == [(1, 1), (1, 2), (4, 1)]


def test_a_cell_that_looks_like_a_heading_is_told_from_one() -> None:
    program = combine(notebook("# %% cell 7\nx = 1", "y = 2"))
    assert [cell.count for cell in program.cells] == [2, 1]
    assert program.text.splitlines()[0] == "# %% cell% 1"


def test_a_repair_changes_its_cell_and_nothing_else(folder: Path) -> None:
    before = (folder / "nb.ipynb").read_bytes()
    done = looplint("nb.ipynb", "--diff", cwd=folder)
    assert done.stdout.startswith(
        "--- nb.ipynb:cell 5\n+++ nb.ipynb:cell 5\n@@ -1,5 +1,6 @@\n %%time\n for x, y in loader:\n+    opt.zero_grad()\n"
    )
    assert (folder / "nb.ipynb").read_bytes() == before
    done = looplint("nb.ipynb", "--fix", "--show-fixes", cwd=folder)
    assert done.returncode == 0 and "nb.ipynb:cell 5:4:5: LL102 missing-zero-grad: " in done.stderr
    after = (folder / "nb.ipynb").read_bytes()
    assert after == before.replace(b'    "    loss = ', b'    "    opt.zero_grad()\\n",\n    "    loss = ')
    assert nbformat.reads(after.decode(), as_version=4).cells[4].source == LOOP.replace("    loss =", "    opt.zero_grad()\n    loss =")


def test_a_repair_that_would_change_a_magic_is_not_made_and_says_why(folder: Path) -> None:
    loop = "for x, y in loader:\n    loss = net(x).sum()\n    loss.backward()\n    %time opt.zero_grad()\n    opt.step()"
    raw = notebook(SETUP, loop)
    (folder / "nb.ipynb").write_bytes(raw)
    out = looplint("nb.ipynb", "--fix", cwd=folder).stdout
    assert "nb.ipynb:cell 2:" in out and "no Python" in out
    assert (folder / "nb.ipynb").read_bytes() == raw


@pytest.mark.parametrize("name", ["github", "gitlab", "junit", "sarif"])
def test_formats_that_know_files_and_no_cells_name_the_line_of_the_json_text(folder: Path, name: str) -> None:
    line = next(n for n, text in enumerate((folder / "nb.ipynb").read_text().splitlines(), 1) if "loss.backward()" in text)
    out = looplint("nb.ipynb", "--output-format", name, cwd=folder).stdout
    wanted = {"github": f"line={line},col=10,", "gitlab": f'"line": {line},', "junit": f'line="{line}"', "sarif": f'"startLine": {line}'}
    assert wanted[name] in out
    assert name in ("gitlab", "sarif") or "cell 5:4:5" in out


def test_comments_that_silence_are_written_into_cells_and_not_onto_magics(folder: Path) -> None:
    before = (folder / "nb.ipynb").read_bytes()
    assert looplint("nb.ipynb", "--add-noqa", cwd=folder).returncode == 0
    assert (folder / "nb.ipynb").read_bytes() == before.replace(b"loss.backward()", b"loss.backward()  # looplint: ignore[LL102]")
    assert looplint("nb.ipynb", cwd=folder).returncode == 0
    magic = notebook(SETUP, LOOP.replace("    loss.backward()", "    %time loss.backward()"))
    (folder / "nb.ipynb").write_bytes(magic)
    done = looplint("nb.ipynb", "--add-noqa", cwd=folder)
    assert done.returncode == 2 and "LL102 is not silenced: an edit would change a row that is no Python" in done.stderr
    assert (folder / "nb.ipynb").read_bytes() == magic
    (folder / "looplint.toml").write_text("")
    (folder / "nb.ipynb").write_bytes(before)
    named = looplint("-", "--stdin-filename", "nb.ipynb", "--fix", cwd=folder, stdin=before.decode())
    assert named.stdout.encode() == before.replace(b'    "    loss = ', b'    "    opt.zero_grad()\\n",\n    "    loss = ')


def test_the_last_line_of_a_cell_is_shown_and_thus_not_dropped(tmp_path: Path) -> None:
    moved = "y = torch.zeros(2)\ny.double()"
    for cells, found in (((SETUP, LOOP, moved), []), ((SETUP, LOOP, f"{moved}\ny + 1"), [2])):
        (tmp_path / "nb.ipynb").write_bytes(notebook(*cells))
        run = looplint("--output-format", "json", "--select", "LL503", "nb.ipynb", cwd=tmp_path)
        assert [f["location"]["row"] for f in json.loads(run.stdout)] == found


def test_a_line_before_the_first_statement_of_a_cell_stays_in_that_cell(tmp_path: Path) -> None:
    cells = (
        "import torch\nmodel = torch.nn.Linear(1, 1)",
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)",
        "model.double()\nfor x, y in loader:\n    opt.zero_grad()\n    torch.nn.functional.mse_loss(model(x), y).backward()\n    opt.step()",
    )
    (tmp_path / "nb.ipynb").write_bytes(notebook(*cells))
    looplint("--fix", "--select", "LL501", "nb.ipynb", cwd=tmp_path)
    source = ["".join(c["source"]) for c in json.loads((tmp_path / "nb.ipynb").read_text())["cells"] if c["cell_type"] == "code"]
    assert source == [cells[0], f"model.double()\n{cells[1]}", cells[2].removeprefix("model.double()\n")]
