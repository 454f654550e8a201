"""One direction of dependency, read from the imports themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from looplint.catalogue import folder

PACKAGE = Path(__file__).parent.parent / "looplint"
# Each layer may import itself and those before it.
LAYERS = [
    ["finding", "events", "errors", "knowledge", "patterns", "toml_places", "formats"],
    ["languages", "settings"],
    ["options"],
    ["magics", "notebook_json", "notebooks", "notebook_edit", "markdown"],
    ["sources", "ir", "writing", "places", "results", "changed"],
    ["shards"],
    ["configuration_file", "configuration", "configuration_text"],
    ["discovery"],
    ["interactive"],
    ["lower", "values", "suppression", "fingerprint", "unused", "noqa"],
    ["graph", "project", "frames"],
    ["slicing", "machine", "roles"],
    ["automaton", "tensors", "schedules", "devices"],
    [
        "autocasting",
        "calls",
        "modules",
        "elements",
        "operators",
        "assignments",
        "objects",
        "methods",
        "tensor_methods",
        "building",
        "pythonic",
        "effects",
        "object_effects",
        "checkpoints",
        "contexts",
        "choices",
        "expressions",
        "loaders",
        "statements",
        "membership",
        "texts",
        "transfers",
        "tensorlike",
        "outcomes",
    ],
    ["program", "insides", "manual_loops", "roots"],
    ["protocols", "feeding", "precision", "predictions", "accumulation", "bypassed"],
    ["rule", "describe", "positions", "loopwords", "loopview"],
    ["catalogue"],
    ["selection", "repairs"],
    ["analysis"],
    ["cells", "ways"],
    ["cache"],
    ["linting", "fixing", "baseline", "silencing", "evidence"],
    ["api"],
    ["report"],
    ["completion"],
    ["commands", "progress"],
    ["runtime", "configuration_commands", "loop_command", "new_rule", "server"],
    ["watching"],
    ["cli", "__main__"],
]


def imported(path: Path) -> set[str]:
    """The modules of the package that a file imports at run time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {id(n) for i in ast.walk(tree) if isinstance(i, ast.If) and "TYPE_CHECKING" in ast.dump(i.test) for n in ast.walk(i)}
    found = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("looplint"):
            rest = node.module.removeprefix("looplint").lstrip(".")
            found |= {rest.split(".")[0]} if rest else {a.name for a in node.names}
    return found - {"__version__"}


def layer_of(name: str) -> int:
    return next(n for n, names in enumerate(LAYERS) if name in names)


@pytest.mark.parametrize(
    "path", [p for p in sorted(PACKAGE.rglob("*.py")) if p.name != "__init__.py"], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_a_module_imports_only_its_own_layer_and_those_below(path: Path) -> None:
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    above = {other for other in imported(path) if layer_of(other) > layer_of(name)}
    assert not above, f"{name} reaches up to {sorted(above)}"


@pytest.mark.parametrize("path", sorted(folder().glob("*.py")), ids=lambda p: p.stem)
def test_a_rule_imports_only_the_rule_interface(path: Path) -> None:
    assert imported(path) <= {"rule"}


def test_only_the_runtime_imports_torch() -> None:
    for path in PACKAGE.rglob("*.py"):
        if "runtime" not in path.parts:
            names = {a.name for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Import) for a in n.names}
            assert "torch" not in {n.split(".")[0] for n in names}, path


@pytest.mark.parametrize(
    ("arguments", "never"),
    [
        (["--version"], ["libcst", "pathspec", "difflib", "json"]),
        (["--help"], ["libcst", "pathspec", "torch", "pygls"]),
        (["check", "clean.py"], ["libcst", "torch", "json"]),
        (["check", "loop.py"], ["torch", "libcst.matchers"]),
    ],
    ids=["version", "help", "no file is about training", "a loop is linted"],
)
def test_the_import_path_holds_only_what_the_run_needs(arguments: list[str], never: list[str], tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("print(1)\n")
    (tmp_path / "loop.py").write_text("import torch\nfor x in y:\n    loss.backward()\n")
    code = f"import sys; sys.argv[1:] = {arguments!r}\nfrom looplint.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint(sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    loaded = eval(out.strip().splitlines()[-1])
    assert not set(never) & set(loaded)
