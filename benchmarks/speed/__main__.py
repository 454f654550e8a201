"""`python -m benchmarks.speed`: how long looplint takes and how much memory, beside other linters, in one run on one machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.figures import add_option, read, store
from benchmarks.speed import phases, workloads
from benchmarks.speed.process import compare
from benchmarks.speed.tools import Installed, install, install_own

_GROWTH = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--checkouts", type=Path, help="folder whose Python files make up the tree (default: the fixtures, repeated)")
    parser.add_argument("--environments", type=Path, help="keep the tools' environments here for the next run")
    parser.add_argument("--rounds", type=int, default=5, help="measured runs of each command (default 5)")
    parser.add_argument("--tree-rounds", type=int, default=3, help="measured runs of each command on the tree (default 3)")
    parser.add_argument("--files", type=int, default=1000, help="files in the tree (default 1000)")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument(
        "--script", action="store_true", help="measure looplint on one script, and nothing else; with --store, keep the rest"
    )
    add_option(parser)
    options = parser.parse_args(arguments)

    with tempfile.TemporaryDirectory(prefix="speed-") as name:
        folder = Path(name)
        if options.script:
            found = script_alone(install_own(options.environments or folder / "environments"), folder, options.rounds)
            print(_two_columns("process", "processor seconds", {k: f"{v:.3f}" for k, v in found["steps"].items()}))
            if options.store:
                store("speed", {**read()["speed"], **found})
            return 0
        tools = install(options.environments or folder / "environments", _say)
        figures = measure(tools, folder, options)
    print(report(figures))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if options.store:
        store("speed", {name: figures[name] for name in ("machine", "versions", "script", "tree", "growth", "steps")})
    return 0


def measure(tools: list[Installed], folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    own = tools[0]
    script = workloads.script(folder / "one")
    tree = workloads.tree(folder / "tree", options.checkouts, options.files)
    _say("one script")
    one = _compared(tools, script, options.rounds)
    _say("the tree")
    many = _compared(tools, tree, options.tree_rounds, warm=False)  # its files were just written, the tools just run
    growth: dict[int, Any] = {}
    for lines in _GROWTH:
        _say(f"{lines} lines")
        path = workloads.generated(folder / "growth", lines)
        found = compare({"looplint": own.command(path)}, options.tree_rounds, warm=False)["looplint"]
        growth[workloads.count_lines(path)] = asdict(found)
    _say("where the time goes")
    return {
        "machine": {"python": platform.python_version(), "system": platform.system(), "cores": len(os.sched_getaffinity(0))},
        "versions": {i.tool.name: i.version for i in tools},
        "libcst": {i.tool.name: i.libcst for i in tools if i.libcst},
        "script": {"lines": workloads.count_lines(script), "tools": one},
        "tree": {"files": options.files, "lines": workloads.count_lines(tree), "tools": many},
        "growth": growth,
        "steps": phases.steps(own.bin_folder, script, options.rounds),
        "imports_us": phases.imports(own.bin_folder, script),
        "modules": phases.modules(own.bin_folder, tree),
    }


def script_alone(own: Installed, folder: Path, rounds: int) -> dict[str, Any]:
    """The figures of one script: looplint on it, and where its time goes."""
    script = workloads.script(folder / "one")
    return {
        "script": {"lines": workloads.count_lines(script), "tools": _compared([own], script, rounds)},
        "steps": phases.steps(own.bin_folder, script, rounds),
    }


def _compared(tools: list[Installed], target: Path, rounds: int, warm: bool = True) -> dict[str, Any]:
    found = compare({i.tool.name: i.command(target) for i in tools}, rounds, warm)
    if found["looplint"].status not in (0, 1):
        _say(f"looplint ended with status {found['looplint'].status} on {target.name}: some files could not be linted")
    return {name: {**asdict(m), "ratio": m.wall / found["looplint"].wall} for name, m in found.items()}


def report(figures: dict[str, Any]) -> str:
    """Everything as Markdown, ready for the README."""
    machine, versions = figures["machine"], figures["versions"]
    script, tree = figures["script"], figures["tree"]
    parts = [
        f"Python {machine['python']}, {machine['cores']} cores; "
        + ", ".join(f"{n} {v}" + _with_libcst(n, figures["libcst"]) for n, v in versions.items()),
        f"One script, {script['lines']} lines:",
        _tools_table(script["tools"]),
        f"A tree of {tree['files']} files, {tree['lines']} lines:",
        _tools_table(tree["tools"]),
        "One generated file, growing:",
        _growth_table(figures["growth"]),
        "Where the time of one script goes (whole processes):",
        _two_columns("process", "processor seconds", {k: f"{v:.3f}" for k, v in figures["steps"].items()}),
        "Imports on that way, own time by package:",
        _two_columns("package", "ms", {k: f"{v / 1000:.1f}" for k, v in figures["imports_us"].items()}),
        "The tree on one core under the profiler, share of own time:",
        _two_columns("module", "share", {k: f"{100 * v:.1f} %" for k, v in figures["modules"].items()}),
    ]
    return "\n\n".join(parts)


def _with_libcst(name: str, libcst: dict[str, str]) -> str:
    return f" (libcst {libcst[name]})" if name in libcst else ""


def _tools_table(tools: dict[str, Any]) -> str:
    lines = [
        "| tool | seconds (median) | processor seconds | peak MB (largest process) | time against looplint |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, m in tools.items():
        lines.append(f"| {name} | {m['wall']:.2f} | {m['cpu']:.2f} | {m['megabytes']:.0f} | {m['ratio']:.2f} x |")
    return "\n".join(lines)


def _growth_table(growth: dict[int, Any]) -> str:
    lines = ["| lines | seconds | ms per 1,000 lines | peak MB |", "|---:|---:|---:|---:|"]
    for count, m in growth.items():
        lines.append(f"| {count} | {m['wall']:.2f} | {1_000_000 * m['wall'] / count:.0f} | {m['megabytes']:.0f} |")
    return "\n".join(lines)


def _two_columns(left: str, right: str, rows: dict[str, str]) -> str:
    return "\n".join([f"| {left} | {right} |", "|---|---:|", *(f"| {k} | {v} |" for k, v in rows.items())])


def _say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
