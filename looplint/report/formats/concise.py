"""One line per finding, as editors and grep read them."""

from __future__ import annotations

from looplint.linting.files import LintResult


def render(result: LintResult, *, colour: bool = False) -> str:
    return "".join(f"{f.place}: {f.code} [{f.name}] {f.message}\n" for f in result.findings)
