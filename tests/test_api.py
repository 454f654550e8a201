"""`looplint.lint` and `looplint.fix`, as a program uses them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import looplint
from looplint.linting.catalogue import folder as data_folder
from programs import BROKEN, CLEAN, RULE

USER_SCRIPT = """\
from pathlib import Path

import looplint
from looplint import Finding, UnreadError


def codes(path: Path) -> list[str]:
    findings: list[Finding] = looplint.lint(path, select=["LL1"])
    return [f"{f.location.row}: {f.code}" for f in findings if f.severity == "error"]


def repaired(text: str) -> str:
    fixed = looplint.fix(text, unsafe=True)
    for made in fixed.applied:
        reveal_type(made.message)
    return fixed.text


try:
    looplint.lint(["a.py", Path("b.py")])
except UnreadError as error:
    places = [p.location.row for p in error.problems if p.location]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "clean.py").write_text(CLEAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_a_folder_several_files_and_a_text(folder: Path) -> None:
    (from_file,) = looplint.lint("broken.py")
    assert (from_file.code, from_file.name, from_file.place) == ("LL102", "missing-zero-grad", "broken.py:8:5")
    assert isinstance(from_file, looplint.Finding)
    assert looplint.lint(folder / "broken.py") == looplint.lint(".") == looplint.lint(["clean.py", "broken.py"]) == [from_file]
    (from_text,) = looplint.lint(BROKEN)
    assert (from_text.filename, from_text.location, from_text.message) == ("<text>", from_file.location, from_file.message)
    assert looplint.lint(CLEAN) == looplint.lint("\n") == looplint.lint([]) == []


def test_rules_are_chosen_and_configurations_hold(folder: Path) -> None:
    assert looplint.lint("broken.py", select=["LL2"]) == []
    assert looplint.lint("broken.py", ignore=["missing-zero-grad"]) == looplint.lint("broken.py", ignore="LL1") == []
    (folder / "looplint.toml").write_text('ignore = ["LL102"]\n')
    assert looplint.lint("broken.py") == looplint.lint(BROKEN) == []
    assert len(looplint.lint("broken.py", isolated=True)) == len(looplint.lint("broken.py", select="LL102")) == 1
    (folder / "other.toml").write_text('select = ["LL102"]\n')
    assert len(looplint.lint("broken.py", config="other.toml")) == 1


def test_rules_of_ones_own_are_those_of_their_files_now(folder: Path) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(RULE)
    (folder / "looplint.toml").write_text('rules = ["lint"]\nselect = ["ACME"]\n')
    assert [f.code for f in looplint.lint("broken.py", allow_rules=True)] == ["ACME1"]
    (folder / "lint" / "no_steps.py").write_text(RULE.replace("ACME1", "ACME2"))
    assert [f.code for f in looplint.lint("broken.py", allow_rules=True)] == ["ACME2"]


def test_a_text_is_a_version_of_a_file(folder: Path) -> None:
    (folder / "clears.py").write_text("def clear(opt):\n    opt.zero_grad()\n")
    text = CLEAN.replace("opt.zero_grad()", "clear(opt)").replace("import torch\n", "from clears import clear\nimport torch\n", 1)
    assert looplint.lint(text, filename="new.py") == []
    (folder / "clears.py").write_text("def clear(opt):\n    pass\n")
    (finding,) = looplint.lint(text, filename="new.py")
    assert finding.filename == "new.py", "the second call asks the file system anew"


def test_the_encoding_a_text_declares_is_that_of_its_file(folder: Path) -> None:
    name = "\N{LATIN SMALL LETTER O WITH DIAERESIS}pt"
    (finding,) = looplint.lint("# coding: latin-1\n" + BROKEN.replace("opt", name).replace(f" {name}im", " optim"))
    assert name in finding.message


def test_notebooks_and_documents_as_texts(folder: Path) -> None:
    cells = [{"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": BROKEN}]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (finding,) = looplint.lint(text, filename="nb.ipynb")
    assert finding.place == "nb.ipynb:cell 1:8:5"
    (finding,) = looplint.lint(f"# How to\n\n```python\n{BROKEN}```\n", filename="how.md")
    assert finding.place == "how.md:11:5"


def test_what_cannot_be_linted_is_an_error_that_holds_the_rest(folder: Path) -> None:
    (folder / "torn.py").write_text("import torch\nloss.backward(\n")
    with pytest.raises(looplint.UnreadError, match=r"torn\.py:\d+:\d+: syntax error") as caught:
        looplint.lint(["broken.py", "torn.py", "missing.py"])
    assert [p.filename for p in caught.value.problems] == ["missing.py", "torn.py"]
    assert [f.filename for f in caught.value.findings] == ["broken.py"]
    with pytest.raises(looplint.UnreadError, match="<text>:1:5: syntax error"):
        looplint.fix("x = (\n")
    with pytest.raises(looplint.UserError, match="did you mean LL102"):
        looplint.lint(CLEAN, select="LL1O2")
    with pytest.raises(looplint.UserError, match="target-torch"):
        looplint.lint(CLEAN, target_torch="new")
    with pytest.raises(looplint.UserError, match="filename"):
        looplint.lint("broken.py", filename="other.py")


def test_repairs_are_made_in_memory_and_written_on_demand(folder: Path) -> None:
    assert looplint.fix(CLEAN).text == CLEAN and looplint.fix(CLEAN).diff == ""
    fixed = looplint.fix(BROKEN)
    assert fixed.text == CLEAN and fixed.findings == () and [a.code for a in fixed.applied] == ["LL102"]
    with pytest.raises(looplint.UserError, match="not a file"):
        fixed.write()
    fixed = looplint.fix(["broken.py", "clean.py"])
    assert (folder / "broken.py").read_text() == BROKEN
    assert "+    opt.zero_grad()\n" in fixed.diff and [f.filename for f in fixed.files] == ["broken.py"]
    fixed.write()
    assert (folder / "broken.py").read_text() == CLEAN
    with pytest.raises(looplint.UserError, match="has changed since it was read"):
        fixed.write()


def test_what_is_not_repaired_says_why() -> None:
    fixtures = data_folder("fixtures")
    fixed = looplint.fix(fixtures / "move_after_optimizer" / "learner_moves_late.py")
    assert [(f.code, f.unrepaired) for f in fixed.findings] == [("LL501", "the optimizer is built in another function")]
    unsafe = (fixtures / "accumulation_unscaled" / "counter_by_hand.py").read_text()
    (left,) = looplint.fix(unsafe).findings
    assert left.fix and left.fix.applicability == "unsafe"
    assert looplint.fix(unsafe, unsafe=True).findings == ()


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, looplint; print(sorted(m for m in sys.modules if 'looplint' in m or 'libcst' in m)); looplint.lint"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['looplint']\n"


def test_all_public_names_can_be_had() -> None:
    assert {name: getattr(looplint, name).__doc__ for name in looplint.__all__ if not name.startswith("_")}.values()
    assert set(looplint.__all__) <= set(dir(looplint))
    with pytest.raises(AttributeError, match="no attribute 'lnt'"):
        _ = looplint.lnt  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_type_checker_knows_the_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER_SCRIPT)
    (tmp_path / "wrong.py").write_text("import looplint\n\nlooplint.lint(1)\nlooplint.lnt\n")
    root = Path(looplint.__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}/cache", "user.py", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(root)}, capture_output=True, text=True)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [e.split(":")[0] for e in errors] == ["wrong.py", "wrong.py"], done.stdout
    assert 'Revealed type is "builtins.str"' in done.stdout or 'Revealed type is "str"' in done.stdout
    assert (root / "looplint" / "py.typed").is_file()
