"""`looplint rule`: the page of a rule, or the list of all."""

from __future__ import annotations

from pathlib import Path

import click

from looplint.commands.options import rule_words, settings_above

HELP = (30, "Lint", "rule LL103", "Print the page of a rule; `rule --all` lists them.")


@click.command("rule")
@click.argument("word", required=False, shell_complete=rule_words, metavar="CODE|NAME")
@click.option("--all", "everything", is_flag=True, help="List all rules.")
def command(word: str | None, everything: bool) -> None:
    """Print the page of a rule, or the list of all."""
    from looplint.linting import evidence
    from looplint.linting.catalogue import folder, index, page
    from looplint.linting.selectors import choose

    # Those of the project one is in are among them; they are read, not run.
    entries = index(settings_above(None, False).of_folder(Path.cwd()).rules)
    if everything or word is None:
        for each in map(page, entries):
            click.echo(f"{each.code}  {each.name:32}  {each.severity:7}  {'' if each.default else '(opt-in) '}{each.summary}")
        return
    for entry in choose(entries, select=[word]):
        found = page(entry)
        text = evidence.page(found.doc, found.code, evidence.load()) if entry.path.parent == folder() else found.doc
        click.echo(f"# {found.name} ({found.code}, {found.severity})\n\n{text}\n")
