"""`looplint survey`: lint many repositories on Ray, and report what was found in them."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from looplint.commands.group import Grouped
from looplint.commands.options import configured, given_settings, rule_words, words
from looplint.errors import UserError
from looplint.escaping import visible

if TYPE_CHECKING:
    from looplint.survey.engine import Standing

HELP = (35, "Lint", "survey SOURCES -o OUT", "Lint many repositories on Ray; `survey report OUT`.")

_REPORT = "report"


class Survey(Grouped):
    """`looplint survey`, whose help has a heading for each thing one may want."""

    groups = {
        "Results": ("output", "retry_failed", "readings", "quiet"),
        "Ray": ("address", "cpus", "dashboard"),
        "Limits of a task": ("time_limit", "memory_limit", "retries", "cut"),
        "Rules": ("select", "ignore", "extend_select", "target_torch"),
        "Configuration": ("config", "isolated", "allow_rules"),
    }


@click.command("survey", cls=Survey)
@click.argument("sources", nargs=-1, required=True, type=click.Path(), metavar="SOURCES...")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="The folder of the datasets.")
@click.option("--retry-failed", is_flag=True, help="Try again what has failed under the same limits.")
@click.option("--readings", type=click.Path(path_type=Path), metavar="FILE", help="For the report: findings that were read, as JSON.")
@click.option("--address", metavar="ADDRESS", help="The Ray cluster to run on; by default one is started on this machine.")
@click.option("--cpus", type=click.IntRange(min=1), metavar="N", help="Processors of this machine to use.")
@click.option("--dashboard/--no-dashboard", default=None, help="Start Ray's dashboard; by default where it is installed.")
@click.option("--time-limit", type=click.FloatRange(min=0.1), default=600, show_default=True, metavar="SECONDS", help="Processor time.")
@click.option("--memory-limit", type=click.IntRange(min=200), default=2048, show_default=True, metavar="MB", help="Memory.")
@click.option("--retries", type=click.IntRange(min=0), default=2, show_default=True, metavar="N", help="How often it is tried again.")
@click.option("--cut", type=click.IntRange(min=1), default=2048, show_default=True, metavar="KB", help="Programs that are one task.")
@click.option("--select", multiple=True, callback=words, shell_complete=rule_words, metavar="RULES", help="Rules to run instead.")
@click.option("--ignore", multiple=True, callback=words, shell_complete=rule_words, metavar="RULES", help="Rules not to run.")
@click.option("--extend-select", multiple=True, callback=words, shell_complete=rule_words, metavar="RULES", help="More rules to run.")
@click.option("--target-torch", metavar="VERSION", help="The oldest PyTorch the code runs on.")
@configured
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
def command(
    sources: tuple[str, ...],
    output: Path | None,
    retry_failed: bool,
    readings: Path | None,
    address: str | None,
    cpus: int | None,
    dashboard: bool | None,
    time_limit: float,
    memory_limit: int,
    retries: int,
    cut: int,
    config: str | None,
    isolated: bool,
    allow_rules: bool | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Lint many repositories on Ray, and store what is found as Parquet datasets.

    SOURCES are folders, bare git repositories (`repository.git@COMMIT`), and manifests: CSV or JSON with name, place, commit, kind and year. A survey goes
    on where it stopped. `looplint survey report OUT` writes a page about it, OUT/report.html, and prints its tables.

    Exit codes: 0 all repositories were linted; 1 some were not, for the reasons stored; 2 wrong usage.
    """
    _require()
    if sources[0] == _REPORT:
        _report(sources[1:], readings)
        return
    if output is None:
        raise UserError("name the folder of the datasets: -o OUT")
    from looplint.survey import private

    token = private.keep() if address is None else ""
    from looplint.survey.datasets import Store
    from looplint.survey.engine import Plan, session, survey
    from looplint.survey.limits import Limits
    from looplint.survey.linter_options import LinterOptions
    from looplint.survey.repositories import read

    linter = LinterOptions(str(Path(config).resolve()) if config is not None else None, isolated, given_settings(options), allow_rules)
    linter.configurations()
    repositories = read(sources)
    plan = Plan(Limits(time_limit, memory_limit << 20), retries, cut << 10, retry_failed)
    with session(address, cpus, dashboard) as shown:
        if not quiet and (line := _dashboard(shown, token, wanted=dashboard is not False and address is None)):
            click.echo(line, err=True)
        lines = _Lines(quiet)
        standing = survey(repositories, linter, plan, Store(output), lines)
    lines.clear()
    if not quiet:
        click.echo(f"{_phrase(standing)}. `looplint survey report {visible(str(output))}` reports what was found.", err=True)
    sys.exit(1 if standing.failed else 0)


def _require() -> None:
    """Say what to do where Ray, Arrow or plotly is missing.

    Raises:
        UserError: one of them is.
    """
    if not all(map(find_spec, ("ray", "pyarrow", "plotly"))):
        raise UserError('surveys need Ray, Arrow and plotly; install them with: pip install "looplint[survey]"')


def _dashboard(shown: str, token: str, *, wanted: bool) -> str:
    """Where Ray's dashboard is, or how to get it where a Ray that was started here has none; nothing where none is wanted."""
    if shown:
        return f"Ray's dashboard: http://{shown}{f', with the token {token}' if token else ''}"
    return 'Ray\'s dashboard is not installed; `pip install "ray[default]"` adds it, --no-dashboard does without.' if wanted else ""


def _report(folders: tuple[str, ...], readings: Path | None) -> None:
    from looplint.sources.writing import write_atomic
    from looplint.survey.figures import figures, read_readings
    from looplint.survey.page import page
    from looplint.survey.tables import tables

    if len(folders) != 1 or not Path(folders[0], "repositories").is_dir():
        raise UserError("name one folder that `looplint survey SOURCES -o OUT` has written: looplint survey report OUT")
    found = figures(Path(folders[0]), read_readings(readings) if readings is not None else {})
    target = Path(folders[0], "report.html")
    write_atomic(target, page(found).encode("utf-8"))
    click.echo(tables(found), nl=False)
    click.echo(f"wrote {visible(str(target))}", err=True)


def _phrase(standing: Standing) -> str:
    before = f", {standing.before} of them before" if standing.before else ""
    failed = f", {standing.failed} failed" if standing.failed else ""
    return f"{standing.done + standing.before} of {standing.total} repositories linted{before}{failed}"


class _Lines:
    """Says how far a survey has come: a line that is drawn again on a terminal, and what has failed."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._drawn, self._failed = quiet, not quiet and sys.stderr.isatty(), 0

    def __call__(self, standing: Standing) -> None:
        if standing.failed > self._failed and not self._quiet:
            self.clear()
            click.echo(f"failed: {visible(standing.last)}", err=True)
        self._failed = standing.failed
        if self._drawn:
            click.echo(f"\r\x1b[K{_phrase(standing)}"[: 4 + 100], nl=False, err=True, color=True)

    def clear(self) -> None:
        """Leave the terminal as it was."""
        if self._drawn:
            click.echo("\r\x1b[K", nl=False, err=True, color=True)
