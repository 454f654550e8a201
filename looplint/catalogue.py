"""The rules: one file each in a folder, loaded from there."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from looplint.errors import UserError
from looplint.finding import Severity

if TYPE_CHECKING:
    from looplint.program import Program

Check = Callable[["Program"], Iterator[Any]]


@dataclass(frozen=True)
class Rule:
    """A rule as its file states it. The page is the file's docstring."""

    code: str
    name: str
    default: bool
    severity: Severity
    summary: str
    doc: str
    check: Check
    path: Path


def folder(name: str = "rules") -> Path:
    """A data folder of the project: beside the package in a checkout, inside it when installed."""
    here = Path(__file__).parent
    inside = here / name
    return inside if inside.is_dir() else here.parent / name


def load(path: Path | None = None) -> list[Rule]:
    """Load every rule of a folder, in the order of their codes.

    Raises:
        UserError: a file that is no rule.
    """
    rules = [_load_rule(file) for file in sorted((path or folder()).glob("*.py")) if not file.name.startswith("_")]
    return sorted(rules, key=lambda r: r.code)


def _load_rule(file: Path) -> Rule:
    spec = importlib.util.spec_from_file_location(f"looplint.rules.{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UserError(f"{file}: cannot be loaded as a rule")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        code, check, doc = module.CODE, module.check, module.__doc__ or ""
    except (SyntaxError, ImportError, AttributeError) as error:
        raise UserError(f"{file}: is no rule ({error}); a rule has a docstring, CODE and check(program)") from error
    summary = doc.strip().split("\n", 1)[0]
    return Rule(
        code, file.stem.replace("_", "-"), getattr(module, "DEFAULT", True), getattr(module, "SEVERITY", "error"), summary, doc.strip(), check, file
    )
