"""The other version of a program that a run is compared with: another script, or the program with the linter's repairs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from looplint.finding import written_place
from looplint.linting.fixing import FixResult, fix_paths
from looplint.linting.selection import Selections
from looplint.runtime.evidence.claims import measure
from looplint.runtime.evidence.joining import CONFIRMED, OBSERVED, Joined, join, watched
from looplint.runtime.harness import comparing
from looplint.runtime.harness.running import Inspection, as_json, inspect, program_file, wanted
from looplint.runtime.streams.record import Launch, Options, record
from looplint.runtime.streams.stream import renamed
from looplint.settings.configuration import Configurations
from looplint.sources.reading import read_source


@dataclass(frozen=True, slots=True)
class Version:
    """Another version of a program: its name, how it differs, and its run."""

    name: str
    inspection: Inspection
    repairs: tuple[str, ...] = ()  # what the linter repaired, one line each
    texts: tuple[tuple[str, str, str], ...] = ()  # of the files that differ: name, text, other text


def other_script(
    script: str, path: str, options: Options, configurations: Configurations | None = None, launch: Launch | None = None
) -> Version:
    """Runs another script with the same arguments and the same seed.

    Raises:
        UserError: there is no such script.
    """
    inspection = inspect(path, replace(options, module=""), configurations, launch)
    one, other = (read_source(file).text for file in (program_file(script, options), Path(path)))
    return Version(Path(path).name, inspection, (), ((f"{Path(script).name} and {Path(path).name}", one, other),))


def repaired(
    script: str,
    first: Inspection,
    options: Options,
    configurations: Configurations | None = None,
    *,
    unsafe: bool = False,
    launch: Launch | None = None,
) -> Version | None:
    """Runs the program with the linter's repairs; the files stay as they are. None where there is nothing to repair.

    Modules and files are found as in the program itself: only the texts differ.
    """
    paths = list(dict.fromkeys([str(program_file(script, options)), *(j.finding.filename for j in first.joined)]))
    fixes = fix_paths(paths, configurations=configurations, unsafe=unsafe, jobs=1)
    if not fixes.changed:
        return None
    with _written(fixes) as texts:
        watch = {texts.get(path, path): lines for path, lines in watched(fixes.linted.findings).items()}
        recording = record(script, replace(options, watch=watch, replaced=texts), launch)
    stream = renamed(recording.stream, {os.path.realpath(new): old for old, new in texts.items()})
    selections = Selections(paths, configurations=configurations)
    joined = wanted(join(fixes.linted.findings, stream, {rule.code: rule.name for rule in selections.of_source(None).rules()}), selections)
    inspection = Inspection(first.script, replace(recording, stream=stream), tuple(joined), fixes.linted.problems)
    made = tuple(f"{written_place(a.filename, a.location, a.cell)}: {a.code} {a.name}: {a.message}" for a in fixes.applied)
    return Version("repaired", inspection, made, tuple((old.display, old.text, new.text) for old, new in fixes.changed))


@contextmanager
def _written(fixes: FixResult) -> Iterator[dict[str, str]]:
    """The repaired texts in files of their own: their paths by the real paths of the files that they replace."""
    with tempfile.TemporaryDirectory(prefix="looplint-") as folder:
        texts: dict[str, str] = {}
        for number, (old, new) in enumerate(fixes.changed):
            if old.path is not None and not old.is_notebook:
                copy = Path(os.path.realpath(folder), f"{number}-{old.path.name}")
                copy.write_bytes(new.raw)
                texts[os.path.realpath(old.path)] = str(copy)
        yield texts


def with_harm(first: Inspection, version: Version) -> Inspection:
    """The first inspection with the damage that the comparison measured: *happens* becomes *does harm* where the other run differs.

    The other version is a measure for a rule only where no finding of that rule is left in it. Where the rule has no measure of its own, the
    first number that differs is its damage, if no other rule's finding could be the cause.
    """
    left = {j.code for j in version.inspection.joined if j.stands}
    causes = {j.code for j in first.joined if j.verdict in CONFIRMED}
    one, other = first.recording.stream, version.inspection.recording.stream
    difference = comparing.first_difference(one, other) if len(causes) == 1 else None

    def weighed(j: Joined) -> Joined:
        if j.verdict != "happens" or j.code in left:
            return j
        signal = measure(j.code, one, other) if OBSERVED[j.code].compared else None
        damage = signal.text if signal is not None and signal.shown else f"they differ at {difference}" if difference is not None else ""
        return replace(j, verdict="does harm", text=f"{j.text}; compared with {version.name}: {damage}") if damage else j

    return replace(first, joined=tuple(map(weighed, first.joined)))


def names(version: Version) -> tuple[str, str]:
    """The names of the two runs."""
    return "as it is", version.name


def comparison_text(first: Inspection, version: Version) -> str:
    """A comparison for people."""
    repairs = [
        f"{len(version.repairs)} repair{'s' if len(version.repairs) != 1 else ''} made in memory; the files are unchanged:",
        *(f"  {line}" for line in version.repairs),
    ]
    left = [j for j in version.inspection.joined if j.stands]
    stands = "; ".join(f"{j.code} at {written_place(j.finding.filename, j.finding.location, j.finding.cell)} ({j.verdict})" for j in left)
    return "\n".join(
        [
            *(repairs if version.repairs else ()),
            comparing.as_text(first.recording, version.inspection.recording, names(version)),
            "",
            f"Findings left in {version.name}: {stands or 'none'}.",
            "",
        ]
    )


def comparison_json(first: Inspection, version: Version) -> dict[str, Any]:
    """A comparison as plain data."""
    data = comparing.as_json(first.recording, version.inspection.recording, names(version))
    return {"with": version.name, "repairs": list(version.repairs), **data, "left": as_json(version.inspection)["findings"]}
