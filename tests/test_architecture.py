"""The wings keep to one direction, without circles: the contracts in pyproject.toml hold, rules see their vocabulary only, late imports are listed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from looplint import rule
from looplint.linting.catalogue import folder
from looplint.repairs.repair import Repair
from places import ROOT

# Imports inside functions: each keeps start-up fast, as it says; (module, what it imports, why). A `*` stands for the files of a folder.
LATE_IMPORTS = [
    ("looplint", "importlib", "loads by name what is asked for"),
    ("looplint.commands.*", "looplint.*", "a command imports what it runs with, not what the others do"),
    ("looplint.commands.group", "ast", "only a page of help, or a notebook that is no Python"),
    ("looplint.commands.group", "click.shell_completion", "only completions are for the shell"),
    ("looplint.commands.group", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.commands.group", "importlib", "loads by name what is asked for"),
    ("looplint.commands.terminal", "click", "a command imports what it runs with, not what the others do"),
    ("looplint.commands.terminal", "shutil", "only a terminal has a width"),
    ("looplint.commands.watching", "watchfiles", "an optional dependency, of --watch alone"),
    ("looplint.dataclass", "dataclasses", "slow to import; its code is compiled when it is first needed"),
    ("looplint.escaping", "html", "only where something is written in that form"),
    ("looplint.escaping", "json", "only where something is written in that form"),
    ("looplint.flow.kinds", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.linting.analysis", "looplint.sources.compiling", "only what is no Python"),
    ("looplint.linting.analysis", "traceback", "only a rule that fails"),
    ("looplint.linting.cache", "json", "only a cached, a measured or a notebook's text is JSON"),
    ("looplint.linting.cache", "shutil", "only a cache that is cleaned"),
    ("looplint.linting.catalogue", "ast", "only where a configuration names own rules, or leads elsewhere, or a page of a rule is read"),
    ("looplint.linting.catalogue", "looplint.linting.own_rules", "only where a configuration names own rules, or leads elsewhere, or a page of a rule is read"),
    ("looplint.linting.edits", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.linting.edits", "looplint.sources.notebooks", "only a notebook"),
    ("looplint.linting.edits", "looplint.sources.writing", "only a repaired file is written"),
    ("looplint.linting.evidence", "json", "only a cached, a measured or a notebook's text is JSON"),
    ("looplint.linting.files", "concurrent.futures", "only many files go into processes"),
    ("looplint.linting.files", "concurrent.futures.process", "only many files go into processes"),
    ("looplint.linting.files", "looplint.knowledge.lookup", "only a file that is analysed"),
    ("looplint.linting.files", "looplint.linting.analysis", "imports LibCST, for files with a training loop alone"),
    ("looplint.linting.files", "looplint.linting.called_elsewhere", "only where a finding depends on how others call a function"),
    ("looplint.linting.files", "looplint.linting.never_called", "only where a finding stands in a function that nothing is seen to call"),
    ("looplint.linting.files", "looplint.linting.suppression", "only a file with findings"),
    ("looplint.linting.fingerprint", "hashlib", "only what is cached or compared is hashed"),
    ("looplint.linting.noqa", "tokenize", "only a text with comments for the linter"),
    ("looplint.linting.selection", "looplint.linting.catalogue", "rules are loaded where a file is analysed, not where a cache answers"),
    ("looplint.linting.selectors", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.linting.suppression", "tokenize", "only a text with comments for the linter"),
    ("looplint.queries.saved_entries", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.report", "importlib", "loads by name what is asked for"),
    ("looplint.report", "looplint.report.statistics", "only --statistics"),
    ("looplint.report.formats.concise", "click", "only where something is written in that form"),
    ("looplint.report.formats.text", "click", "a report into a file has no colours"),
    ("looplint.report.formats.text", "textwrap", "a report into a file is not wrapped"),
    ("looplint.report.loop_text", "click", "a report into a file has no colours"),
    ("looplint.report.places", "looplint.sources.notebook_edit", "only a notebook"),
    ("looplint.report.statistics", "json", "only a cached, a measured or a notebook's text is JSON"),
    ("looplint.report.statistics", "looplint.report.formats.text", "one format out of two"),
    ("looplint.runtime.harness.running", "looplint.sources.import_roots", "only a message, or a text without a file"),
    ("looplint.runtime.harness.verify", "importlib.metadata", "slow to import; only a report names the version"),
    ("looplint.runtime.recording.child", "looplint.runtime.recording.hooks", "imports torch, where a script is to run"),
    ("looplint.runtime.recording.child", "looplint.runtime.recording.limits", "imports torch, where a script is to run"),
    ("looplint.runtime.recording.child", "looplint.runtime.recording.placed", "imports torch, where tensors are to be placed on a GPU"),
    ("looplint.runtime.recording.child", "looplint.runtime.recording.probes", "imports torch, where a script is to run"),
    ("looplint.runtime.recording.child", "looplint.runtime.recording.spawned", "imports torch, where a script is to run"),
    ("looplint.runtime.recording.child", "runpy", "only a module is run by its name"),
    ("looplint.runtime.recording.child", "torch", "the recording process imports it when a script is to run"),
    ("looplint.runtime.recording.child", "torch._dynamo", "imported once, for the forks of a process that serves"),
    ("looplint.runtime.reporting.page", "looplint.runtime.harness.verify", "only a report that shows it"),
    ("looplint.runtime.reporting.page", "plotly.graph_objects", "an optional dependency, of a report alone"),
    ("looplint.runtime.reporting.page", "plotly.offline", "an optional dependency, of a report alone"),
    ("looplint.runtime.reporting.page", "plotly.subplots", "an optional dependency, of a report alone"),
    ("looplint.runtime.reporting.reference", "looplint.runtime.reporting.page", "only a report that shows it"),
    ("looplint.server.texts", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.settings.file", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.settings.file", "tomli", "only where there are settings, and before Python 3.11"),
    ("looplint.settings.file", "tomllib", "only where there are settings"),
    ("looplint.settings.trust", "click", "only where a configuration names own rules, or leads elsewhere, or a page of a rule is read"),
    ("looplint.sources.changes", "codecs", "only names of files that git quotes"),
    ("looplint.sources.compiling", "ast", "only a page of help, or what is no Python"),
    ("looplint.sources.compiling", "warnings", "only what is no Python"),
    ("looplint.sources.discovery", "looplint.sources.import_roots", "only a message, or a text without a file"),
    ("looplint.sources.discovery", "pathspec", "only where patterns exclude files"),
    ("looplint.sources.import_roots", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.sources.notebook_edit", "difflib", "only a misspelt name, or a difference, is compared"),
    ("looplint.sources.notebook_edit", "json", "only a cached, a measured or a notebook's text is JSON"),
    ("looplint.sources.notebook_json", "json", "only a cached, a measured or a notebook's text is JSON"),
    ("looplint.sources.patterns", "pathspec", "only where patterns exclude files"),
    ("looplint.sources.reading", "looplint.sources.import_roots", "only a message, or a text without a file"),
    ("looplint.sources.reading", "looplint.sources.magics", "only a notebook or a document"),
    ("looplint.sources.reading", "looplint.sources.markdown", "only a notebook or a document"),
    ("looplint.sources.reading", "looplint.sources.notebook_edit", "only a notebook or a document"),
    ("looplint.sources.reading", "looplint.sources.notebook_json", "only a notebook or a document"),
    ("looplint.sources.reading", "looplint.sources.notebooks", "only a notebook or a document"),
    ("looplint.sources.reads", "hashlib", "only what is cached or compared is hashed"),
    ("looplint.syntax.parsing", "hashlib", "only a module that makes room for others is packed"),
    ("looplint.syntax.parsing", "looplint.syntax.packing", "only a module that makes room for others is packed"),
]  # fmt: skip


def test_the_contracts_hold() -> None:
    command = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    said = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("path", sorted(folder().glob("*.py")), ids=lambda p: p.stem)
def test_a_rule_imports_only_the_rule_interface(path: Path) -> None:
    imports = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name for node in imports for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""])}
    assert {m for m in modules if m.startswith("looplint")} == {"looplint.rule"}


def _inside_functions(node: ast.AST, inside: bool = False) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports in functions; they are statements, so expressions are not searched."""
    for child in ast.iter_child_nodes(node):
        if inside and isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _inside_functions(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def late_imports() -> set[tuple[str, str]]:
    """The modules that import something inside a function, each with what that is."""
    files = {}
    for path in (ROOT / "looplint").rglob("*.py"):
        files[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    found = set()
    for module, path in files.items():
        for node in _inside_functions(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {(module, a.name) for a in node.names}
            elif isinstance(node, ast.ImportFrom):
                full = {f"{node.module}.{a.name}" for a in node.names}
                found |= {(module, name if name in files else str(node.module)) for name in full}
    return found


def test_imports_inside_functions_are_those_that_keep_start_up_fast() -> None:
    listed = [(module, imported) for module, imported, _ in LATE_IMPORTS]
    assert listed == sorted(set(listed))
    matches = {late: [row for row in listed if all(map(fnmatchcase, late, row))] for late in late_imports()}
    assert {late: rows for late, rows in matches.items() if len(rows) != 1} == {}
    assert set(listed) == {row for rows in matches.values() for row in rows}


def test_every_repair_is_part_of_the_rule_interface() -> None:
    repairs = {kind for kind in Repair.__subclasses__() if kind.__module__.startswith("looplint.repairs.")}
    assert len(repairs) > 30
    assert {kind.__name__ for kind in repairs} <= set(rule.__all__)
