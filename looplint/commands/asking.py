"""`--interactive`: each repair is shown, and made where the user says so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from looplint.commands.terminal import coloured, shown_diff
from looplint.errors import UserError
from looplint.escaping import shown_place, visible

if TYPE_CHECKING:
    from looplint.finding import Finding
    from looplint.linting.fixing import Answer, Ask

_ANSWERS: dict[str, Answer | None] = {"yes": "yes", "no": "no", "diff": None, "all": "all", "quit": "quit"}
_EXPLAINED = "y: make it; n: leave it; d: show what it changes; a: make it and all that are left; q: leave it and all that are left"


def asker(paths: Sequence[str], clear: Callable[[], None]) -> Ask:
    """What asks on the terminal whether a repair is made.

    Args:
        paths: what is linted.
        clear: takes away from the terminal what is drawn there.

    Raises:
        UserError: there is no terminal to ask on.
    """
    if "-" in paths:
        raise UserError("--interactive needs standard input for the answers: name the files")
    if not sys.stdin.isatty():
        raise UserError("--interactive asks at a terminal, and standard input is none; --fix makes all safe repairs without asking")

    def ask(finding: Finding, changes: str) -> Answer:
        assert finding.fix is not None
        clear()
        click.echo(f"\n{shown_place(finding.place)}: {finding.code} {finding.name}\n  {visible(finding.message)}", err=True)
        click.echo(f"  repair ({finding.fix.applicability}): {visible(finding.fix.message)}", err=True)
        while True:
            answer = _ANSWERS[click.prompt("Make it? [y]es, [n]o, [d]iff, [a]ll, [q]uit", value_proc=_answer, err=True)]
            if answer is not None:
                return answer
            colour = coloured(sys.stderr)
            click.echo(shown_diff(changes, colour=colour), nl=False, err=True, color=colour)

    return ask


def _answer(typed: str) -> str:
    """The answer that what was typed is the beginning of."""
    word = typed.strip().lower()
    found = next((answer for answer in _ANSWERS if word and answer.startswith(word)), None)
    if found is None:
        raise click.BadParameter(_EXPLAINED)
    return found
