"""The import path is part of the linter's speed: a command imports what it uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "never"),
    [
        (["--version"], ["libcst", "pathspec", "difflib", "json"]),
        (["--help"], ["libcst", "pathspec", "torch", "pygls"]),
        (["survey", "--help"], ["libcst", "ray", "pyarrow", "plotly"]),
        (["check", "clean.py"], ["libcst", "torch", "json"]),
        (["check", "loop.py"], ["torch", "libcst.matchers", "ray", "pyarrow", "looplint.syntax.packing"]),
    ],
    ids=["version", "help", "help of surveys", "no file is about training", "a loop is linted"],
)
def test_the_import_path_holds_only_what_the_run_needs(arguments: list[str], never: list[str], tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("print(1)\n")
    (tmp_path / "loop.py").write_text("import torch\nfor x in y:\n    loss.backward()\n")
    code = f"import sys; sys.argv[1:] = {arguments!r}\nfrom looplint.commands.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint(sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    loaded = eval(out.strip().splitlines()[-1])
    assert not set(never) & set(loaded)
