"""`looplint verify`: run the rules' fixtures, and measure what the rules claim."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import click

from looplint.commands.options import rule_words
from looplint.errors import UserError
from looplint.linting.evidence import folder
from looplint.runtime.harness.devices import default_device, require_cuda, require_torch, untested_torch
from looplint.runtime.harness.verify import Verdict, as_json, table, verify
from looplint.runtime.streams.warm import Several, available

HELP = (120, "Measure (needs torch; executes code)", "verify [RULE...]", "Run the fixtures of rules, and verify what the rules claim.")


@click.command("verify")
@click.argument("rules", nargs=-1, shell_complete=rule_words)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default=None, help="Where to run; cuda by default if there is one.")
@click.option("--json", "as_text", is_flag=True, help="Print the verdicts as JSON.")
@click.option("--evidence", type=click.Path(path_type=Path), help="Also write the verdicts to this file.")
@click.option("--store", is_flag=True, help="Write them to docs/evidence, which the rules' pages quote.")
@click.option("--recorder", is_flag=True, help="Also measure the cost of recording, and verify that it changes no result.")
@click.option("--report", type=click.Path(path_type=Path), help="Write one self-contained HTML page with the scripts and the curves.")
@click.option(
    "--fixtures", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A folder of fixtures instead of looplint's own."
)
@click.option("--seconds", default=60.0, show_default=True, help="Time limit for each run.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=None, help="Cases to run at a time; by default one per processor.")
def command(
    rules: tuple[str, ...],
    device: str | None,
    as_text: bool,
    evidence: Path | None,
    store: bool,
    recorder: bool,
    report: Path | None,
    fixtures: Path | None,
    seconds: float,
    jobs: int | None,
) -> None:
    """Run the rules' fixtures, broken and repaired, and verify what the rules claim.

    RULES are codes, prefixes of codes, or names. Without RULES, all rules are verified, and the reference loop too: a loop that learns three spirals, run
    correctly and with one misplacement at a time. The exit code is 1 if a case is not proven.
    """
    require_torch()
    if note := untested_torch():
        click.echo(f"note: {note}", err=True)
    if device == "cuda":
        require_cuda()
    device = device or default_device()
    if store and (rules or fixtures is not None):
        raise UserError("--store stores the evidence of all rules: leave out rules and --fixtures")

    def progress(verdict: Verdict, count: int, whole: int) -> None:
        click.echo(
            f"[{count}/{whole}] {verdict.code} {verdict.rule}/{verdict.case}: {verdict.status}{': ' + verdict.note if verdict.note else ''}",
            err=True,
        )

    pages: list[str] = []
    if report is not None:
        from looplint.runtime.reporting.page import require, section

        require()
        verdicts = verify(
            rules,
            device,
            fixtures=fixtures,
            seconds=seconds,
            jobs=jobs or os.cpu_count() or 1,
            progress=progress,
            keep=lambda v, runs: pages.append(section(v, runs)),
        )
    else:
        verdicts = verify(rules, device, fixtures=fixtures, seconds=seconds, jobs=jobs or os.cpu_count() or 1, progress=progress)
    compared = []
    if not rules and fixtures is None:
        from looplint.runtime.reporting import reference

        with Several({**({"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}), "OMP_NUM_THREADS": "1"}) as warm:
            launch = warm.launch if available() else None
            compared = reference.run(device, seconds, launch, jobs or os.cpu_count() or 1, lambda line: click.echo(line, err=True))
    measured = None
    if recorder or store:
        from looplint.runtime.harness.neutrality import check

        click.echo("measuring the recorder", err=True)
        try:
            measured = check(device)
        except UserError as error:
            click.echo(f"the recorder was not measured: {error}", err=True)
    facts = as_json(verdicts, device, measured.as_json() if measured is not None else None)
    if compared:
        facts["reference"] = reference.as_json(compared)
    if as_text:
        click.echo(json.dumps(facts, indent=1))
    else:
        click.echo(table(verdicts))
        counts = Counter(v.status for v in verdicts)
        if compared:
            click.echo("\n" + reference.text(compared))
        click.echo(
            f"\n{counts['proven']} of {len(verdicts)} cases proven on {device}, {counts['not proven']} not proven, {counts['not run']} not run"
        )
        if measured is not None:
            click.echo(str(measured))
    stored = [evidence] if evidence is not None else []
    if store:
        folder().mkdir(parents=True, exist_ok=True)
        stored.append(folder() / f"{str(facts['torch']).split('+')[0]}-{device}.json")
    for path in stored:
        path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        click.echo(f"wrote {path}", err=True)
    if report is not None:
        from looplint.runtime.reporting.page import page

        report.write_text(page(verdicts, [*pages, reference.sections(compared) if compared else ""], device), encoding="utf-8")
        click.echo(f"wrote {report}", err=True)
    unproven = [v for v in verdicts if v.status == "not proven"] + [c for c in compared if reference.status(c) == "not proven"]
    if unproven or (measured is not None and not measured.passed):
        raise SystemExit(1)
