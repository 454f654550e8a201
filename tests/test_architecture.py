"""The wings keep to one direction, without circles: the contracts in pyproject.toml hold, and rules see the rules' vocabulary only."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from looplint.linting.catalogue import folder
from places import ROOT


def test_the_contracts_hold() -> None:
    command = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    said = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("path", sorted(folder().glob("*.py")), ids=lambda p: p.stem)
def test_a_rule_imports_only_the_rule_interface(path: Path) -> None:
    imports = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name for node in imports for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""])}
    assert {m for m in modules if m.startswith("looplint")} == {"looplint.rule"}
