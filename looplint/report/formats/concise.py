"""One line per finding, as editors and grep read them; advice comes after the rest."""

from __future__ import annotations

from looplint.escaping import shown_place, visible
from looplint.linting.files import LintResult


def render(result: LintResult, *, colour: bool = False) -> str:
    findings = sorted(result.findings, key=lambda f: f.severity == "advice")
    return "".join(f"{shown_place(f.place)}: {f.severity}: {f.code} [{f.name}] {visible(f.message)}\n" for f in findings)
