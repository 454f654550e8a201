"""The command `looplint run`."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from looplint.configuration import Configurations
from looplint.runtime.record import Options
from looplint.runtime.running import as_json, as_text, inspect


def _words(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.strip() for part in value for word in part.split(",") if word.strip())


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module.")
@click.option("--steps", type=click.IntRange(min=0), help="Optimizer steps to run; 0 runs the script to its end. The default is 20, or 0 with --epochs.")
@click.option("--epochs", type=click.IntRange(min=0), default=0, help="End the run after so many passes over a training DataLoader.")
@click.option("--batches", type=click.IntRange(min=0), default=0, help="End each pass over a DataLoader after so many batches.")
@click.option("--seconds", default=300.0, show_default=True, help="Time limit, from the script's start.")
@click.option("--seed", default=0, show_default=True, help="Seed for what the script does not seed itself.")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), help="With cpu, the script sees no GPU.")
@click.option("--select", multiple=True, callback=_words, metavar="RULES", help="Codes, prefixes or names to ask instead of the default ones.")
@click.option("--ignore", multiple=True, callback=_words, metavar="RULES", help="Rules to leave out.")
@click.option("--json", "as_data", is_flag=True, help="Print the findings and verdicts as JSON.")
@click.option("--events", is_flag=True, help="With --json, print the recorded events as well.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGS]...")
def run_command(
    module: bool,
    steps: int | None,
    epochs: int,
    batches: int,
    seconds: float,
    seed: int,
    device: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    as_data: bool,
    events: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Lint SCRIPT, run some steps of it, and say which findings the run confirms or refutes.

    This executes the script with its ARGS, with all that it does: what it writes, downloads or deletes, it writes, downloads or deletes.
    It runs in a process of its own, in this folder, and is ended after the steps, epochs or seconds that are given.

    Exit codes: 0 nothing found, 1 findings that the run did not refute, 2 wrong use or a script that did not run.
    """
    arguments = arguments[1:] if arguments[:1] == ("--",) else arguments
    options = Options(
        arguments=arguments,
        module=script if module else "",
        steps=(0 if epochs else 20) if steps is None else steps,
        epochs=epochs,
        batches=batches,
        seconds=seconds,
        seed=seed,
        device=device or "cuda",
        deterministic=False,
    )
    speaks = os.environ.get("RANK", "0") == "0"  # under torchrun every process runs, and the first reports
    if speaks:
        click.echo(f"executing {' '.join([script, *arguments])}", err=True)
    inspection = inspect(script, options, Configurations(overrides={"select": select, "ignore": ignore}))
    if speaks:
        for problem in inspection.problems:
            click.echo(f"error: {problem}", err=True)
        click.echo(json.dumps(as_json(inspection, events=events), indent=1) if as_data else as_text(inspection, _style()), nl=as_data)
    raise SystemExit(inspection.exit_code if speaks else 0)


def _style() -> Any:
    """Colours where the output is a terminal's."""
    coloured = bool(os.environ.get("FORCE_COLOR")) or (not os.environ.get("NO_COLOR") and click.get_text_stream("stdout").isatty())
    return click.style if coloured else None

