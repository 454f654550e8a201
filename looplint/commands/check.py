"""`looplint check`: lint files and folders, repair them, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from looplint.commands.group import Grouped
from looplint.commands.options import colour_option, configured, rule_words, settings_above, words
from looplint.commands.summaries import summarise
from looplint.commands.terminal import coloured, columns, complain, shown_diff
from looplint.dataclass import replace
from looplint.errors import UserError
from looplint.escaping import shown_place, visible
from looplint.finding import SEVERITIES
from looplint.settings.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from looplint.finding import Finding, Problem
    from looplint.linting.coverage import Coverage
    from looplint.linting.files import Prove
    from looplint.linting.fixing import FixResult
    from looplint.settings.configuration import Configurations
    from looplint.sources.changes import Changes

# Formats from which other programs take repairs, to make them without asking again.
_WITH_EDITS = frozenset({"json", "json-lines", "rdjson", "sarif"})
# The formats that have no place for which loops were judged: standard error names them, except where --statistics does.
_WITHOUT_COVERAGE = frozenset({"concise", "json", "json-lines", "gitlab", "junit", "rdjson"})
HELP = (10, "Lint", "PATH...", "Lint files and folders: `looplint check PATH...`.")


class Check(Grouped):
    """`looplint check`, whose help has a heading for each thing one may want."""

    groups = {
        "Rules": ("select", "ignore", "extend_select", "target_torch"),
        "Files": ("exclude", "force_exclude", "extension", "stdin_filename", "show_files"),
        "Repairs": ("fix", "interactive", "unsafe_fixes", "diff", "fix_only", "show_fixes"),
        "Report": (
            "output_format",
            "output_file",
            "statistics",
            "min_severity",
            "color",
            "quiet",
            "exit_on",
            "exit_zero",
            "exit_non_zero_on_fix",
            "tolerate_unreadable",
            "require_coverage",
        ),
        "Changes and known problems": ("since", "diff_only", "known", "write_baseline", "add_noqa"),
        "Configuration": ("config", "isolated", "allow_rules"),
        "The run": ("watch", "jobs", "shard", "no_cache", "cache_dir"),
    }


def _pairs(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    from looplint.sources.languages import LANGUAGES

    found = []
    for word in value:
        ending, colon, language = word.removeprefix(".").partition(":")
        if not ending or language not in LANGUAGES:
            near = f"one of {', '.join(LANGUAGES)} after the colon" if colon else "an ending and a language, such as md:markdown"
            raise click.BadParameter(f"{word}: {near}")
        found.append((ending.lower(), language))
    return tuple(found)


@click.command("check", cls=Check)
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="PATH...")
@click.option(
    "--select", multiple=True, callback=words, shell_complete=rule_words, metavar="RULES", help="Rules to run instead of the default ones."
)
@click.option("--ignore", multiple=True, callback=words, shell_complete=rule_words, metavar="RULES", help="Rules not to run.")
@click.option(
    "--extend-select", multiple=True, callback=words, shell_complete=rule_words, metavar="RULES", help="Rules to run in addition."
)
@click.option("--target-torch", metavar="VERSION", help="The oldest PyTorch the code runs on.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Exclude, besides what is configured.")
@click.option("--force-exclude", is_flag=True, default=None, help="Exclude also the paths given here.")
@click.option(
    "--extension", multiple=True, callback=_pairs, metavar="END:LANGUAGE", help="More file types: md:markdown, x:python, x:ipynb."
)
@click.option("--stdin-filename", type=click.Path(), metavar="FILE", help="The file name to use for standard input.")
@click.option("--show-files", is_flag=True, help="List the files without linting them.")
@click.option("--fix", is_flag=True, help="Apply the safe repairs.")
@click.option("--interactive", is_flag=True, help="Ask for each repair: yes, no, diff, all, quit.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply unsafe repairs as well; review them.")
@click.option("--diff", is_flag=True, help="Print what --fix would change; write nothing.")
@click.option("--fix-only", is_flag=True, help="Apply repairs, but do not report what is left.")
@click.option("--show-fixes", is_flag=True, help="List the applied repairs.")
@click.option("--output-format", type=click.Choice(FORMATS), metavar="FORMAT", help=f"{', '.join(FORMATS)}.")
@click.option("--output-file", "-o", type=click.Path(), metavar="FILE", help="Write the report to FILE.")
@click.option("--statistics", is_flag=True, help="Count the findings of each rule (text or json).")
@click.option("--min-severity", type=click.Choice(SEVERITIES), metavar="SEVERITY", help="Report no less: error, warning, or advice.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings only.")
@click.option("--exit-on", type=click.Choice(SEVERITIES), metavar="SEVERITY", help="Exit 1 for: error, warning (by default), advice.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even if there are findings.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit 1 if something was repaired.")
@click.option("--tolerate-unreadable", is_flag=True, help="Name unreadable files, but do not exit 2.")
@click.option("--require-coverage", type=click.IntRange(0, 100), metavar="PERCENT", help="Exit 1 if fewer of the loops were judged.")
@click.option("--since", metavar="REV", help="Only lines changed since a git revision.")
@click.option("--diff-only", is_flag=True, help="Only uncommitted lines: --since HEAD.")
@click.option("--baseline", "known", type=click.Path(), metavar="FILE", help="Do not report the problems listed in FILE.")
@click.option("--write-baseline", type=click.Path(), metavar="FILE", help="Write all problems to FILE, as a baseline.")
@click.option("--add-noqa", is_flag=True, help="Add a comment that silences each problem.")
@configured
@colour_option
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Number of processes.")
@click.option("--shard", metavar="I/N", help="Lint part I of N of the files.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option("--cache-dir", type=click.Path(), metavar="FOLDER", help="The folder of the cache.")
def command(
    paths: tuple[str, ...],
    fix: bool,
    interactive: bool,
    unsafe_fixes: bool,
    diff: bool,
    fix_only: bool,
    show_fixes: bool,
    stdin_filename: str | None,
    show_files: bool,
    config: str | None,
    isolated: bool,
    allow_rules: bool | None,
    output_file: str | None,
    statistics: bool,
    known: str | None,
    write_baseline: str | None,
    add_noqa: bool,
    since: str | None,
    diff_only: bool,
    watch: bool,
    shard: str | None,
    no_cache: bool,
    exit_zero: bool,
    exit_non_zero_on_fix: bool,
    tolerate_unreadable: bool,
    require_coverage: int | None,
    jobs: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Lint files and folders ("-": standard input; this folder if none is given).

    Exit codes: 0 no findings, or advice only; 1 errors or warnings (or fewer loops judged than required); 2 wrong usage or unreadable files.
    """
    from looplint.commands.progress import progress
    from looplint.linting.cache import Cache, place
    from looplint.linting.files import lint_paths
    from looplint.linting.selection import Selections
    from looplint.linting.shards import Shard
    from looplint.report import reporter
    from looplint.sources.reading import name_standard_input

    if known is not None and write_baseline is not None:
        raise UserError("--baseline hides known problems and --write-baseline writes them all: use one of them")
    if interactive and (diff or add_noqa or watch):
        raise UserError("--interactive asks and repairs: use it without --diff, --add-noqa and --watch")
    fix = fix or interactive
    if add_noqa and (fix or fix_only or diff or known is not None or write_baseline is not None):
        raise UserError("--add-noqa silences all findings: use it without --fix, --diff, --baseline and --write-baseline")
    part = Shard.parse(shard) if shard is not None else None
    if (part or since or diff_only) and (fix or fix_only or diff or add_noqa or write_baseline):
        others = "--fix, --diff, --add-noqa and --write-baseline"
        raise UserError(f"--since, --diff-only and --shard choose what is reported: use them without {others}")
    changes = _changes(since or ("HEAD" if diff_only else None))
    configurations = settings_above(config, isolated, options, allow_rules)
    if stdin_filename is not None:
        name_standard_input(stdin_filename)
        paths = paths or ("-",)
    if show_files:
        _show_files(paths or (".",), configurations)
    settings, selections = configurations.of_folder(Path.cwd()), Selections(configurations=configurations)
    if watch:
        from looplint.commands import watching

        trusted = [folder for folder in settings.rules if folder not in settings.unexecuted]
        watching.watch(paths or (".",), settings.extension, trusted)
    cache = None if no_cache else Cache(place(settings, Path.cwd()))
    output_format = settings.output_format
    render = reporter(output_format, statistics=statistics)
    if add_noqa:
        _add_noqa(paths or (".",), configurations, jobs, quiet)
    repairs = None
    with progress(quiet=quiet) as shown:
        if fix or fix_only or diff:
            from looplint.linting.fixing import fix_paths

            ask = None
            if interactive:
                from looplint.commands.asking import asker

                ask = asker(paths, shown.clear if shown else lambda: None)
            repairs = fix_paths(
                paths or (".",), configurations=configurations, cache=cache, unsafe=unsafe_fixes, jobs=jobs, progress=shown, ask=ask
            )
            result = repairs.linted
        else:
            prove: Prove | None = None
            if output_format in _WITH_EDITS:
                from looplint.linting.fixing import withhold

                prove = withhold
            result = lint_paths(
                paths or (".",), configurations=configurations, cache=cache, shard=part, prove=prove, jobs=jobs, progress=shown
            )
    if changes is not None:
        problems = tuple(p for p in result.problems if changes.concerns(p))
        result = replace(result, findings=tuple(f for f in result.findings if changes.touches(f)), problems=problems)
    for problem in result.problems:
        complain(problem)
    for warning in result.warnings if not quiet else ():
        click.echo(f"warning: {visible(warning)}", err=True)
    if not result.checked and not result.problems and not quiet:
        click.echo("warning: there is no Python file, notebook or document to lint under the given paths", err=True)
    if repairs is not None:
        left = tuple(selections.reported(result.findings))
        unwritten = _repair(repairs, left, diff=diff, show=show_fixes, quiet=quiet, alone=diff or fix_only)
        if diff or fix_only:
            fatal = unwritten or any(not (tolerate_unreadable and problem.unreadable) for problem in result.problems)
            sys.exit(2 if fatal else 1 if repairs.changed and (diff or exit_non_zero_on_fix) else 0)
        result = replace(result, findings=repairs.left({p.filename for p in unwritten}), problems=(*result.problems, *unwritten))
    known = known if known is not None or write_baseline is not None else settings.baseline
    if write_baseline is not None or known is not None:
        from looplint.linting import baseline as baselines

        looked = baselines.Looked(paths or (".",), selections.of_source(None).codes)
    if write_baseline is not None:
        click.echo(baselines.write(write_baseline, result.findings, looked))
        sys.exit(2 if result.problems else 0)
    if known is not None:
        result = baselines.hide(known, result, looked)
    result = replace(result, findings=tuple(selections.reported(result.findings)), exit_on=settings.exit_on)
    summarise(result, output_format)
    # Text is for the terminal that shows it; what a file or a program gets is the same everywhere.
    wrapped = output_format == "text" and not statistics and output_file is None and (repairs is None or repairs.stdin is None)
    text = render(result, colour=output_file is None and coloured(), **({"width": columns()} if wrapped else {}))
    if output_file is not None:
        from looplint.sources.writing import write_atomic

        write_atomic(output_file, text.encode("utf-8", "surrogateescape"))
    elif output_format != "text" or not quiet or result.findings:
        # Colours were requested, also where standard output is no terminal.
        click.echo(text, nl=False, err=repairs is not None and repairs.stdin is not None, color=coloured())
    if output_format in _WITHOUT_COVERAGE and not statistics and result.coverage.lost and not quiet:
        click.echo(result.coverage.summary(), nl=False, err=True)
    covered = _covers(result.coverage, require_coverage)
    fatal = any(not (tolerate_unreadable and problem.unreadable) for problem in result.problems)
    repaired = exit_non_zero_on_fix and repairs is not None and bool(repairs.changed)
    sys.exit(2 if fatal else 1 if (result.failed and not exit_zero) or repaired or not covered else 0)


def _covers(coverage: Coverage, required: int | None) -> bool:
    """Whether as many of the training loops were judged as is required; a message reports where they were not."""
    if required is None or coverage.percent >= required:
        return True
    judged = len(coverage.judged)
    own = judged + len(coverage.lost)
    click.echo(f"error: {judged} of {own} training loops were judged ({coverage.percent:.0f} %), where {required} % are required", err=True)
    return False


def _show_files(paths: tuple[str, ...], configurations: Configurations) -> NoReturn:
    from looplint.sources.discovery import discover
    from looplint.sources.reading import shown_as

    found = discover(paths, configurations.of_folder)
    for path in found.files:
        click.echo(shown_place(shown_as(str(path))) if sys.stdout.isatty() else shown_as(str(path)))
    for problem in found.problems:
        complain(problem)
    sys.exit(2 if found.problems else 0)


def _changes(revision: str | None) -> Changes | None:
    if revision is None:
        return None
    from looplint.sources.changes import changes_since

    return changes_since(revision)


def _repair(repairs: FixResult, left: Sequence[Finding], *, diff: bool, show: bool, quiet: bool, alone: bool) -> list[Problem]:
    """Write what was repaired, or print it; where this is all that is printed (`alone`) also why what is left was not.

    Returns:
        What could not be written.
    """
    from looplint.finding import written_place
    from looplint.linting import edits

    unwritten: list[Problem] = []
    for old, new in repairs.changed:
        if diff:
            text = edits.diff(old, new)
            click.echo(shown_diff(text, colour=coloured()) if coloured() or sys.stdout.isatty() else text, nl=False, color=coloured())
        elif old.path is not None and (problem := edits.write(old, new)):
            complain(problem)
            unwritten.append(problem)
    kept = {problem.filename for problem in unwritten}
    applied = [made for made in repairs.applied if made.filename not in kept]
    if repairs.stdin is not None and not diff:
        click.echo(repairs.stdin.raw, nl=False)
    if show:
        for made in applied:
            where = shown_place(written_place(made.filename, made.location, made.cell))
            click.echo(f"{where}: {made.code} {made.name}: {visible(made.message)}", err=True)
    for finding in left if alone and not quiet else ():
        if finding.unrepaired:
            click.echo(f"{shown_place(finding.place)}: {finding.code} {finding.name}: not repaired: {finding.unrepaired}", err=True)
    if not quiet and (applied or diff):
        count = f"{len(applied)} problem{'s' if len(applied) != 1 else ''}"
        files = len(repairs.changed) - len(unwritten)
        unsafe = sum(f.fix is not None and f.fix.applicability == "unsafe" for f in left) if alone else 0
        more = f" {unsafe}{' more' if applied else ''} can be repaired with --unsafe-fixes." if unsafe else ""
        click.echo(f"{'Would repair' if diff else 'Repaired'} {count} in {files} file{'s' if files != 1 else ''}.{more}", err=True)
    return unwritten


def _add_noqa(paths: tuple[str, ...], configurations: Configurations, jobs: int | None, quiet: bool) -> NoReturn:
    from looplint.commands.progress import progress
    from looplint.linting.silencing import silence_paths

    with progress(quiet=quiet) as shown:
        silenced = silence_paths(paths, configurations=configurations, jobs=jobs, progress=shown)
    for problem in silenced.problems:
        complain(problem)
    count, files = silenced.findings, silenced.files
    click.echo(f"Silenced {count} problem{'s' if count != 1 else ''} in {files} file{'s' if files != 1 else ''}.")
    sys.exit(2 if silenced.problems else 0)
