"""`looplint run`: record what a script does, and judge the run."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import click

from looplint.commands.options import colour_option, rules_allowed, words
from looplint.commands.terminal import coloured, complain
from looplint.errors import UserError
from looplint.runtime.harness.devices import require_cuda, require_torch, untested_torch
from looplint.runtime.harness.running import Inspection, as_json, as_text, inspect
from looplint.runtime.harness.versions import Version, comparison_json, comparison_text, other_script, repaired, with_harm
from looplint.runtime.streams.record import Options
from looplint.settings.configuration import Configurations

HELP = (110, "Measure (needs torch; executes code)", "run SCRIPT", "Run a script, and confirm or refute its findings.")


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module.")
@click.option(
    "--steps",
    type=click.IntRange(min=0),
    help="Optimizer steps to run; 0 for the whole script. By default two epochs, each of which ends after some batches, or 20 steps without epochs.",
)
@click.option("--epochs", type=click.IntRange(min=0), default=0, help="End the run after this many passes over a training DataLoader.")
@click.option("--batches", type=click.IntRange(min=0), default=0, help="End each pass over a DataLoader after this many batches.")
@click.option("--seconds", default=300.0, show_default=True, help="Time limit from the start of the script.")
@click.option("--seed", default=0, show_default=True, help="Seed for random numbers that the script does not seed.")
@click.option(
    "--device", type=click.Choice(["cpu", "cuda"]), help="With cpu, the script sees no GPU; with cuda, it is not run without one."
)
@click.option("--select", multiple=True, callback=words, metavar="RULES", help="Rules to run instead of the default ones.")
@click.option("--extend-select", multiple=True, callback=words, metavar="RULES", help="Rules to run as well, such as opt-in ones.")
@click.option("--ignore", multiple=True, callback=words, metavar="RULES", help="Rules not to run.")
@rules_allowed
@colour_option
@click.option("--compare", is_flag=True, help="Run it again with looplint's repairs, in memory, and show what changes.")
@click.option("--compare-with", metavar="OTHER", help="Compare with a run of another script.")
@click.option("--unsafe-fixes", is_flag=True, help="With --compare, apply unsafe repairs too.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --compare, write the comparison as one self-contained HTML page.",
)
@click.option("--exit-zero", is_flag=True, help="Exit 0 even if there are findings, so that a launcher takes none for a crash.")
@click.option("--json", "as_data", is_flag=True, help="Print the findings and verdicts as JSON.")
@click.option("--events", is_flag=True, help="With --json, print the recorded events as well.")
@click.argument("script", type=click.Path())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGS]...")
def command(
    module: bool,
    steps: int | None,
    epochs: int,
    batches: int,
    seconds: float,
    seed: int,
    device: str | None,
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    allow_rules: bool | None,
    compare: bool,
    compare_with: str | None,
    unsafe_fixes: bool,
    report: Path | None,
    exit_zero: bool,
    as_data: bool,
    events: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Lint SCRIPT, run some of its steps, and report which findings the run confirms or refutes.

    This executes the script with its ARGS and all its side effects: files are written, downloaded and deleted. It runs in a separate
    process, in this folder, and is stopped after the given steps, epochs or seconds; without any, after the first batches of two epochs.

    Exit codes: 0 no findings, 1 errors or warnings that the run did not refute, 2 wrong usage, a script that did not run, or a run that saw no
    optimizer step.
    """
    require_torch()
    if note := untested_torch():
        click.echo(f"note: {note}", err=True)
    if device == "cuda":
        require_cuda()
    arguments = arguments[1:] if arguments[:1] == ("--",) else arguments
    options = Options(
        arguments=arguments,
        module=script if module else "",
        steps=(0 if epochs else 20) if steps is None else steps,
        short=steps is None and not epochs and not batches,
        whole=bool(compare or compare_with),
        outputs=bool(compare or compare_with),
        epochs=epochs,
        batches=batches,
        seconds=seconds,
        seed=seed,
        device=device or "cuda",
        deterministic=False,
    )
    if report is not None:
        if not (compare or compare_with):
            raise UserError("--report shows a comparison: give --compare or --compare-with as well")
        from looplint.runtime.reporting.page import require

        require()
    # Whoever ends this process ends the script as well.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: sys.exit(128 + int(number)))
    reports = os.environ.get("RANK", "0") == "0"  # under torchrun every process runs, and the first reports
    configurations = Configurations(overrides={"select": select, "extend-select": extend_select, "ignore": ignore}, allow_rules=allow_rules)
    if reports:
        click.echo(f"executing {' '.join([script, *arguments])}", err=True)
    inspection = inspect(script, options, configurations)
    version = None
    if compare_with or compare:
        if reports:
            click.echo(f"executing {compare_with}" if compare_with else "repairing it in memory, and executing that", err=True)
        if compare_with:
            version = other_script(script, compare_with, options, configurations)
        else:
            version = repaired(script, inspection, options, configurations, unsafe=unsafe_fixes)
            inspection = with_harm(inspection, version) if version is not None else inspection
    if reports:
        _print(inspection, version, compared=bool(compare or compare_with), as_data=as_data, events=events)
        if report is not None and version is not None:
            from looplint.runtime.reporting.comparison import comparison_page

            report.write_text(comparison_page(inspection, version), encoding="utf-8")
            click.echo(f"wrote {report}", err=True)
    code = inspection.exit_code
    raise SystemExit(0 if not reports or (exit_zero and code == 1) else code)


def _print(inspection: Inspection, version: Version | None, *, compared: bool, as_data: bool, events: bool) -> None:
    for problem in inspection.problems:
        complain(problem)
    if as_data:
        data = as_json(inspection, events=events)
        if compared:
            data["comparison"] = comparison_json(inspection, version) if version is not None else None
        click.echo(json.dumps(data, indent=1))
        return
    click.echo(as_text(inspection, _style()), nl=False)
    if version is not None:
        click.echo("\n" + comparison_text(inspection, version), nl=False)
    elif compared:
        click.echo("No finding can be repaired, so there is nothing to compare; --unsafe-fixes allows more repairs.")


def _style() -> Any:
    """What writes in colours, where they are wanted."""
    return click.style if coloured() else None
