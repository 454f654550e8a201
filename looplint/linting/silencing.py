"""Adding `# noqa` comments to the files of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass
from looplint.finding import Finding, Problem
from looplint.linting.edits import write
from looplint.linting.files import Progress, findings_of, gather, run
from looplint.linting.noqa import NotSilenced, add_noqa
from looplint.linting.selection import Selections
from looplint.linting.unused import CODE as UNUSED
from looplint.sources.reading import Source, SourceError, display_name, read_source, with_text

if TYPE_CHECKING:
    from looplint.settings.configuration import Configurations


@dataclass(frozen=True, slots=True)
class Silenced:
    """What adding comments gave: how many findings are silenced now, in how many files, and what could not be."""

    findings: int
    files: int
    problems: tuple[Problem, ...]


def silence_paths(
    paths: Sequence[str], *, configurations: Configurations, jobs: int | None = None, progress: Progress | None = None
) -> Silenced:
    """Lint files and folders, and write a comment to every line on which something is found.

    Args:
        paths: what the user named; only files named so, or in folders named so, are written.
        configurations: finds the settings of each file.
        jobs: how many processes lint.
        progress: called with the number of files linted and of all.

    Raises:
        UserError: a configuration is wrong, or names a rule that does not exist.
    """
    selections = Selections(paths, configurations=configurations)
    gathered = gather(paths, selections)
    results = run(gathered.sources, selections, jobs, progress)
    problems = [*gathered.problems, *(p for r in results for p in r.problems)]
    by_file: dict[str, list[Finding]] = {}
    for finding in selections.reported(findings_of(results, gathered.sources, selections, gathered.files)):
        if finding.code != UNUSED:
            by_file.setdefault(finding.filename, []).append(finding)
    given = {s.display: s for s in gathered.sources}
    names = {display_name(path): path for path in gathered.files}
    count = files = 0
    for name, findings in by_file.items():
        try:
            source = given.get(name) or (read_source(names[name]) if name in names else None)
        except SourceError as error:
            problems.append(error.problem)
            continue
        problem = _silence(name, source, findings)
        if problem is None:
            count, files = count + len(findings), files + 1
        else:
            problems.append(problem)
    return Silenced(count, files, tuple(dict.fromkeys(problems)))


def _silence(name: str, source: Source | None, findings: Sequence[Finding]) -> Problem | None:
    listed = ", ".join(sorted({f.code for f in findings}))
    if source is None:
        return Problem(name, f"is not among the given paths, so {listed} is not silenced in it")
    if source.path is None:
        return Problem(name, "cannot be written to; give the file by name")
    if source.language == "markdown":
        return Problem(name, f"is a document, so {listed} is not silenced in it")
    try:
        return write(source, with_text(source, add_noqa(source.text, findings)))
    except (NotSilenced, ValueError) as error:
        return Problem(name, f"{listed} is not silenced: {error}")
    except SourceError as error:
        return error.problem
