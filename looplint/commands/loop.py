"""`looplint loop`: draw a loop."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

from looplint.commands.options import colour_option, configured, settings_above
from looplint.commands.terminal import coloured, complain
from looplint.errors import UserError

if TYPE_CHECKING:
    from looplint.queries.loop_tree import LoopView

HELP = (20, "Lint", "loop FILE", "Draw the training loops of a file, with the findings.")

# A drawing is pasted more often than it is viewed in a wide window.
_WIDTH = 120
_NARROWEST = 60


@click.command("loop")
@click.argument("path", type=click.Path())
@click.option("--width", type=click.IntRange(min=_NARROWEST), metavar="COLUMNS", help="Width of the drawing; the terminal's width, or 120.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain characters.")
@click.option("--html", "html_file", type=click.Path(), metavar="FILE", help="Write a self-contained HTML page instead.")
@click.option("--svg", "svg_file", type=click.Path(), metavar="FILE", help="Write an SVG image instead.")
@configured
@colour_option
def command(
    path: str,
    width: int | None,
    ascii_only: bool,
    html_file: str | None,
    svg_file: str | None,
    config: str | None,
    isolated: bool,
    allow_rules: bool | None,
) -> None:
    """Draw the training loops of a file: events in order, the state after each, and the findings."""
    from looplint.linting.analysis import Unparsable, build_program
    from looplint.linting.files import lint_paths
    from looplint.queries.loop_tree import view
    from looplint.sources.reading import SourceError, read_source

    try:
        program, info = build_program(read_source(path))
    except (SourceError, Unparsable) as error:
        raise UserError(str(error.problem)) from None
    linted = lint_paths([path], configurations=settings_above(config, isolated, allow_rules=allow_rules))
    for problem in linted.problems:
        complain(problem)
    found = view(program, info, linted.findings)
    if html_file or svg_file:
        _write(found, html_file, svg_file)
        return
    width = width or (max(_NARROWEST, shutil.get_terminal_size((_WIDTH, 0)).columns) if sys.stdout.isatty() else _WIDTH)
    from looplint.report.loop_text import render

    colour = coloured()
    click.echo(render(found, width=width, colour=colour, ascii_only=ascii_only or not _can_draw()), nl=False, color=colour)


def _write(view: LoopView, html_file: str | None, svg_file: str | None) -> None:
    from looplint.sources.writing import write_atomic

    if html_file:
        from looplint.report import loop_html

        write_atomic(html_file, loop_html.render(view).encode("utf-8"))
    if svg_file:
        from looplint.report import loop_svg

        write_atomic(svg_file, loop_svg.render(view).encode("utf-8"))


def _can_draw() -> bool:
    """Whether the output's encoding has the characters that boxes are drawn with."""
    try:
        "╭─│╰┆┄↺╶…\N{MULTIPLICATION X}".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
