"""One line per finding, as editors and grep read them; advice comes after the rest."""

from __future__ import annotations

from looplint.escaping import shown_place, visible
from looplint.finding import COLOURS, Finding
from looplint.linting.files import LintResult


def render(result: LintResult, *, colour: bool = False) -> str:
    findings = sorted(result.findings, key=lambda f: f.severity == "advice")
    if colour:
        return "".join(map(_coloured, findings))
    return "".join(f"{shown_place(f.place)}: {f.severity}: {f.code} [{f.name}] {visible(f.message)}\n" for f in findings)


def _coloured(f: Finding) -> str:
    from click import style

    severity = style(f"{f.severity}:", fg=COLOURS[f.severity], bold=True)
    return f"{style(shown_place(f.place), bold=True)}: {severity} {style(f.code, fg=COLOURS[f.severity], bold=True)} [{f.name}] {visible(f.message)}\n"
