"""The rules: one file each in a folder, loaded from there."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.finding import SEVERITIES, Severity
from looplint.regex import regex
from looplint.sources.regular import read_regular

if TYPE_CHECKING:
    from types import ModuleType

    from looplint.queries.program import Program
    from looplint.rule import Report

Check = Callable[["Program"], Iterator["Report"]]


@dataclass(frozen=True)
class Rule:
    """A rule as its file states it. The page is the file's docstring.

    `whole_program` is set for a rule about what happens nowhere in a program: it is not asked where not all of that program was followed.
    `of_graphs` is set for one whose findings hold only where gradients are recorded.
    """

    code: str
    name: str
    default: bool
    severity: Severity
    summary: str
    doc: str
    check: Check
    path: Path
    whole_program: bool = False
    of_graphs: bool = False


def folder(name: str = "rules") -> Path:
    """A data folder of the project: beside the package in a checkout, inside it when installed."""
    here = Path(__file__).parents[1]
    inside = here / name
    return inside if inside.is_dir() else here.parent / name


@dataclass(frozen=True, slots=True)
class Page:
    """What a rule's file says of the rule, read without running it."""

    code: str
    name: str
    default: bool
    severity: str
    summary: str
    doc: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What selecting a rule needs of it, read from its file without running it."""

    code: str
    name: str
    default: bool
    path: Path


# What comes after the name in the line CODE = "...", or in DEFAULT = False.
_CODE = regex(rb"""(?:\s*:\s*\w+)?\s*=\s*["']([^"']+)["']""")
_OPT_IN = regex(rb"(?:\s*:\s*\w+)?\s*=\s*False\b")


def index(folders: Sequence[str] = ()) -> list[Entry]:
    """The rules of the project and of some more folders, without importing anything they import.

    Raises:
        UserError: a folder that is none, a file that is no rule, or two rules of one code or name.
    """
    entries = [*_own(), *(_entry(file, _read(file)) for place in map(Path, folders) for file in rule_files(place))]
    _check_distinct(entries)
    return sorted(entries, key=lambda e: e.code)


@lru_cache(1)
def _own() -> list[Entry]:
    """The project's, which do not change while it runs, and are files: looking at each before it is read takes longer than reading it."""
    entries = []
    for path in rule_files(folder()):
        with open(path, "rb", buffering=0) as file:
            entries.append(_entry(path, file.read()))
    return entries


def rule_files(path: Path) -> list[Path]:
    """The files of a folder that hold rules.

    Raises:
        UserError: there is no such folder.
    """
    if not path.is_dir():
        raise UserError(f"{path}: no such folder of rules")
    return sorted(file for file in path.glob("*.py") if not file.name.startswith("_"))


def _entry(file: Path, text: bytes) -> Entry:
    raw = b"\n" + text
    code = _said(b"CODE", _CODE, raw)
    if code is None:
        raise UserError(f'{file}: is not a rule: it has no line CODE = "..."')
    return Entry(code[1].decode(), file.stem.replace("_", "-"), _said(b"DEFAULT", _OPT_IN, raw) is None, file)


def _read(file: Path) -> bytes:
    try:
        return read_regular(file)
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror or error}") from None


def _said(name: bytes, value: re.Pattern[bytes], raw: bytes) -> re.Match[bytes] | None:
    """What the first line that gives a name such a value says; a search for a pattern in every line takes ten times as long."""
    parts = raw.split(b"\n" + name)
    return next((found for part in parts[1:] if (found := value.match(part))), None)


def page(entry: Entry) -> Page:
    """The page of a rule.

    Raises:
        UserError: its file is no Python.
    """
    import ast

    try:
        module = ast.parse(_read(entry.path))
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{entry.path}: is not a rule: {error}") from None
    doc = (ast.get_docstring(module, clean=False) or "").strip()
    severity = "error"
    for statement in module.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Constant):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(target, ast.Name) and target.id == "SEVERITY" for target in targets):
                severity = str(statement.value.value)
    return Page(entry.code, entry.name, entry.default, severity, doc.split("\n", 1)[0], doc)


def reads_of(file: Path) -> tuple[Path, ...]:
    """The files that a rule says it reads (`READS = ("names.txt",)`), from its folder on; known without running it, as cached results rest on them.

    Raises:
        UserError: they are not written out.
    """
    raw = b"\n" + _read(file)
    if b"\nREADS" not in raw:
        return ()
    from looplint.linting.own_rules import written_reads

    return tuple(file.parent / name for name in written_reads(file, raw))


def read_by_rules(folders: Iterable[str]) -> list[Path]:
    """The files that the rules of some folders say they read.

    Raises:
        UserError: there is no such folder, or a rule does not write out what it reads.
    """
    return [path for folder in folders for file in rule_files(Path(folder)) for path in reads_of(file)]


def _check_distinct(rules: Sequence[Entry | Rule]) -> None:
    taken: dict[str, Path] = {}
    for rule in rules:
        for word in (rule.code, rule.name):
            other = taken.setdefault(word, rule.path)
            if other != rule.path:
                raise UserError(f"{rule.path}: {word} is already the rule of {other}; codes and names must be unique")


def load_all(folders: Sequence[str] = (), chosen: Collection[Path] | None = None) -> list[Rule]:
    """Load the project's rules and those of some more folders.

    Args:
        folders: those of the user's own rules, all of which are loaded: so their mistakes are seen.
        chosen: the files of the project's rules that are wanted, where not all are.

    Raises:
        UserError: as `load` and `index` do.
    """
    index(folders)
    own = [_own_rule(entry.path) for entry in _own() if chosen is None or entry.path in chosen]
    return sorted((*own, *(rule for place in map(Path, folders) for rule in load(place))), key=lambda r: r.code)


def load(path: Path | None = None) -> list[Rule]:
    """Load every rule of a folder, or of the project, in the order of their codes.

    Raises:
        UserError: a file that is no rule.
    """
    return _loaded(path, _from_text) if path else load_all()


@lru_cache(None)
def _own_rule(file: Path) -> Rule:
    """One of the project's, loaded once in each process, however many selections there are."""
    return _load_rule(file, _from_bytecode)


def _loaded(path: Path, run: Callable[[Path, ModuleType], None]) -> list[Rule]:
    return sorted((_load_rule(file, run) for file in rule_files(path)), key=lambda r: r.code)


def _from_text(file: Path, module: ModuleType) -> None:
    """Run a user's rule."""
    from looplint.linting.own_rules import execute

    execute(file, _read(file), module)


def _from_bytecode(file: Path, module: ModuleType) -> None:
    """Run a rule of the project as Python imports a module: there are many, and they do not change while it runs."""
    spec = module.__spec__
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(module)


def _load_rule(file: Path, run: Callable[[Path, ModuleType], None]) -> Rule:
    spec = importlib.util.spec_from_file_location(f"looplint.rules.{file.stem}", file)
    if spec is None:
        raise UserError(f"{file}: cannot be loaded as a rule")
    module = importlib.util.module_from_spec(spec)
    try:
        run(file, module)
        code, check, doc = module.CODE, module.check, module.__doc__ or ""
    except (SyntaxError, ValueError, ImportError, AttributeError) as error:
        raise UserError(f"{file}: is not a rule ({error}); a rule has a docstring, CODE and check(program)") from error
    severity = getattr(module, "SEVERITY", "error")
    if severity not in SEVERITIES:
        raise UserError(f"{file}: SEVERITY is one of {', '.join(SEVERITIES)}, not {severity!r}")
    summary = doc.strip().split("\n", 1)[0]
    return Rule(
        code,
        file.stem.replace("_", "-"),
        getattr(module, "DEFAULT", True),
        severity,
        summary,
        doc.strip(),
        check,
        file,
        getattr(module, "WHOLE_PROGRAM", False),
        getattr(module, "OF_GRAPHS", False),
    )
