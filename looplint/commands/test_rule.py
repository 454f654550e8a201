"""`looplint test-rule`: the examples on a rule's page are its first test."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from looplint.errors import UserError
from looplint.escaping import visible
from looplint.regex import regex

if TYPE_CHECKING:
    from looplint.linting.catalogue import Rule

HELP = (60, "Set up", "test-rule FILE...", "Run rules of your own on the examples of their pages.")

_EXAMPLE = regex(r"^```(?:python|py)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@click.command("test-rule")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
def command(paths: tuple[Path, ...]) -> None:
    """Run rules on the examples of their pages: those under Bad must be reported, those under Good must not.

    FILE is the file of a rule, or a folder of them; they are executed. Exit codes: 0 as it should be, 1 an example is not, 2 a file is no rule.
    """
    from looplint.linting.catalogue import load

    wrong = 0
    for path in paths:
        rules = load(path if path.is_dir() else path.parent)
        for rule in rules if path.is_dir() else [rule for rule in rules if rule.path.samefile(path)]:
            found = list(_wrong(rule))
            wrong += len(found)
            for line in found or ["its examples are as its page says"]:
                click.echo(f"{visible(str(rule.path))}: {rule.code} {rule.name}: {visible(line)}")
    sys.exit(1 if wrong else 0)


def _wrong(rule: Rule) -> Iterator[str]:
    """What is not as the page of a rule says."""
    for heading, expected in (("Bad", True), ("Good", False)):
        _, found, section = rule.doc.partition(f"## {heading}\n")
        examples = _EXAMPLE.findall(section.partition("\n## ")[0])
        if not examples:
            yield f"its page has no example under ## {heading}" if found else f"its page has no heading ## {heading}"
        for number, example in enumerate(examples, 1):
            which = f"the example under {heading}" if len(examples) == 1 else f"example {number} under {heading}"
            yield from _judged(rule, example, which, expected=expected)


def _judged(rule: Rule, example: str, which: str, *, expected: bool) -> Iterator[str]:
    from looplint.linting.files import analyse
    from looplint.sources.reading import SourceError, from_text

    try:
        result = analyse(from_text(example, None, "<example>"), [rule])
    except SourceError as error:
        raise UserError(f"{rule.path}: {which}: {error.problem.message}") from None
    for problem in result.problems:
        yield f"{which}: {problem.message}"
    if expected and not result.findings and not result.problems:
        yield f"{which} is not reported"
    for finding in result.findings if not expected else ():
        yield f"{which} is reported, in its line {finding.location.row}: {finding.message}"
