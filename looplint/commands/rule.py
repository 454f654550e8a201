"""`looplint rule`: the page of a rule, or the list of all."""

from __future__ import annotations

from pathlib import Path

import click

from looplint.commands.options import rule_words, settings_above

HELP = ("Lint", "rule LL103", "Print the page of a rule; `rule --all` lists them.")


@click.command("rule")
@click.argument("word", required=False, shell_complete=rule_words, metavar="CODE|NAME")
@click.option("--all", "everything", is_flag=True, help="List all rules.")
def command(word: str | None, everything: bool) -> None:
    """Print the page of a rule, or the list of all."""
    from looplint.linting import evidence
    from looplint.linting.catalogue import folder, load_all
    from looplint.linting.selectors import choose

    # Those of the project one is in are among them.
    rules = load_all(settings_above(None, False).of_folder(Path.cwd()).rules)
    if everything or word is None:
        for each in rules:
            click.echo(f"{each.code}  {each.name:32}  {each.severity:7}  {'' if each.default else '(opt-in) '}{each.summary}")
        return
    for each in choose(rules, select=[word]):
        own = each.path.parent == folder()
        click.echo(
            f"# {each.name} ({each.code}, {each.severity})\n\n{evidence.page(each.doc, each.code, evidence.load()) if own else each.doc}\n"
        )
