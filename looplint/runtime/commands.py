"""The commands `looplint verify` and `looplint run`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from looplint.runtime.record import Options, Recording, record
from looplint.runtime.verify import Verdict, as_json, table, verify, write_evidence


@click.command("verify")
@click.argument("rules", nargs=-1)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default=None, help="Where to run; the default is cuda where there is one.")
@click.option("--json", "as_text", is_flag=True, help="Print the verdicts as JSON.")
@click.option("--evidence", type=click.Path(path_type=Path), help="Also write the verdicts to this file.")
@click.option("--report", type=click.Path(path_type=Path), help="Write one self-contained HTML page with the scripts and the curves.")
@click.option("--fixtures", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A folder of fixtures instead of looplint's own.")
@click.option("--seconds", default=60.0, show_default=True, help="Time limit for each run.")
def verify_command(
    rules: tuple[str, ...], device: str | None, as_text: bool, evidence: Path | None, report: Path | None, fixtures: Path | None, seconds: float
) -> None:
    """Run the rules' fixtures broken and repaired, and measure whether they do what the rules claim.

    RULES are codes, prefixes of codes, or names; all where none is given. Exits with 1 where a case is not proven.
    """
    device = device or default_device()

    def progress(verdict: Verdict, count: int, whole: int) -> None:
        click.echo(f"[{count}/{whole}] {verdict.code} {verdict.rule}/{verdict.case}: {verdict.status}{': ' + verdict.note if verdict.note else ''}", err=True)

    pages: list[str] = []
    if report is not None:
        from looplint.runtime.report import require, section

        require()
        verdicts = verify(rules, device, fixtures=fixtures, seconds=seconds, progress=progress, keep=lambda v, runs: pages.append(section(v, runs)))
    else:
        verdicts = verify(rules, device, fixtures=fixtures, seconds=seconds, progress=progress)
    if as_text:
        click.echo(json.dumps(as_json(verdicts, device), indent=1))
    else:
        click.echo(table(verdicts))
        counts = Counter(v.status for v in verdicts)
        click.echo(f"\n{counts['proven']} of {len(verdicts)} cases proven on {device}, {counts['not proven']} not proven, {counts['not run']} not run")
    if evidence is not None:
        write_evidence(verdicts, device, evidence)
    if report is not None:
        from looplint.runtime.report import page

        report.write_text(page(verdicts, pages, device), encoding="utf-8")
        click.echo(f"wrote {report}", err=True)
    if any(v.status == "not proven" for v in verdicts):
        raise SystemExit(1)


def default_device() -> str:
    """cuda where there is one; asked in a process of its own, so that this one needs no torch."""
    import subprocess
    import sys

    answer = subprocess.run([sys.executable, "-c", "import torch; print(torch.cuda.is_available())"], capture_output=True, text=True, check=False)
    return "cuda" if answer.stdout.strip() == "True" else "cpu"


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module.")
@click.option("--steps", default=20, show_default=True, help="Optimizer steps to record; 0 runs the script to its end.")
@click.option("--seconds", default=300.0, show_default=True, help="Time limit.")
@click.option("--seed", default=0, show_default=True, help="Seed for what the script does not seed itself.")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default=None, help="With cpu, the script sees no GPU.")
@click.option("--json", "as_text", is_flag=True, help="Print the recording as JSON.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run_command(module: bool, steps: int, seconds: float, seed: int, device: str | None, as_text: bool, script: str, arguments: tuple[str, ...]) -> None:
    """Run SCRIPT with its ARGS for some steps, and say what happened in its training loop.

    This executes the script, with all that it does.
    """
    options = Options(arguments=arguments, module=script if module else "", steps=steps, seconds=seconds, seed=seed, device=device or "cuda", deterministic=False)
    recording = record(script, options)
    click.echo(json.dumps(recording_json(recording), indent=1) if as_text else describe(recording))
    if not recording.ok:
        raise SystemExit(2)


def recording_json(recording: Recording) -> dict[str, object]:
    events = [
        {"kind": e.kind, "object": e.object, "file": e.file, "line": e.line, "time": e.time, "loops": e.loops, **e.facts} for e in recording.stream.events
    ]
    objects = [{"id": t.id, "role": t.role, "class": t.kind, **t.facts} for t in recording.stream.things.values()]
    return {"outcome": recording.outcome, "message": recording.message, "objects": objects, "events": events}


def describe(recording: Recording) -> str:
    """The run in a few lines: how it ended, and which events happened at which lines."""
    lines = [f"{recording.outcome}: {recording.message}"]
    places = Counter((e.kind, e.object, e.file, e.line) for e in recording.stream.events)
    for (kind, number, file, line), count in places.items():
        thing = recording.stream.things.get(number)
        lines.append(f"{count:6} x {kind:10} {thing.name if thing else '':24} {file}:{line}")
    return "\n".join(lines)
