"""`looplint run`: lints a script, runs some steps of it under the recorder, and gives a verdict on each finding."""

from __future__ import annotations

import importlib.machinery
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from looplint.errors import UserError
from looplint.finding import Problem, written_place
from looplint.linting.files import lint_paths, unsilenced
from looplint.linting.selection import Selections
from looplint.report.records import as_dict
from looplint.runtime.evidence.joining import CONFIRMED, Joined, failures, join, need_costs, watched
from looplint.runtime.streams.record import Launch, Options, Recording, record
from looplint.settings.configuration import Configurations
from looplint.sources.languages import Language, language_of
from looplint.sources.reading import display_name

STEPLESS = ("LL106", "LL507")  # what reports that an optimizer never steps, or that nothing can be trained


@dataclass(frozen=True, slots=True)
class Inspection:
    """A script seen from both sides."""

    script: str
    recording: Recording
    joined: tuple[Joined, ...]
    problems: tuple[Problem, ...]

    @property
    def blind(self) -> str:
        """Why a run without an optimizer step can judge little, and what would change that; empty where there was one, or where its absence is what is reported."""
        stream = self.recording.stream
        if stream.of("step") or not self.recording.ok or any(j.code in STEPLESS and j.verdict in CONFIRMED for j in self.joined):
            return ""
        reason = "The run saw no optimizer step, without which it can judge little of a training loop."
        if stream.marked("compiled"):
            reason += " It compiles functions, and steps in them cannot be seen: set TORCH_COMPILE_DISABLE=1 to run it uncompiled."
        if started := len(stream.marked("process")):
            count = f"{started} process{'es' if started > 1 else ''}"
            reason += f" It started {count}, which took no step that could be recorded: run it without --epochs and --batches, or start it by torchrun."
        if stream.of("backward") and not any(e.facts.get("filled") for e in stream.of("backward")):
            reason += (
                " It computed gradients of parameters that no optimizer is known to hold: one that does not derive from torch's "
                "is seen where its class has step() and zero_grad(), and it keeps its parameters in a list."
            )
        return reason

    @property
    def exit_code(self) -> int:
        """As the linter's: 0 nothing but advice is left, 1 something is, 2 the script did not run far enough for a verdict."""
        recording, verdicts = self.recording, {j.verdict for j in self.joined}
        informative = recording.ok or (recording.outcome == "timeout" and bool(recording.stream.of("step", "backward")))
        if not ((informative and not self.blind) or verdicts & {*CONFIRMED, "found at run time only"}) or self.problems:
            return 2
        return 1 if any(j.stands and (j.finding.selected_by_name or j.finding.severity != "advice") for j in self.joined) else 0


def inspect(script: str, options: Options, configurations: Configurations | None = None, launch: Launch | None = None) -> Inspection:
    """Lints and runs a script (or, with `options.module`, a module), and joins both.

    Raises:
        UserError: there is no such script, or the configuration is wrong.
    """
    path = program_file(script, options)
    linted = lint_paths([str(path)], configurations=configurations, jobs=1)
    recording = record(script, replace(options, watch=watched(linted.findings), costs=need_costs(linted.findings)), launch)
    selections = Selections([str(path)], configurations=configurations)
    names = {rule.code: rule.name for rule in selections.of_source(None).rules()}
    joined = join(linted.findings, recording.stream, names)
    return Inspection(str(path), recording, tuple(wanted(joined, selections)), linted.problems)


def wanted(joined: Sequence[Joined], selections: Selections) -> Iterator[Joined]:
    """Removes the run-time findings that a comment or a setting silences; static ones are filtered already."""
    found = [j.finding for j in joined if j.verdict == "found at run time only"]
    kept = {f.sort_key: f for f in unsilenced(selections.shown(found), ())}
    for j in joined:
        if j.verdict != "found at run time only":
            yield j
        elif j.finding.sort_key in kept:
            yield replace(j, finding=kept[j.finding.sort_key])


# Launchers of training processes, each with the option that makes it start a program other than Python.
LAUNCHERS = {
    "torchrun": "torchrun --no-python",
    "torch.distributed.run": "torchrun --no-python",
    "torch.distributed.launch": "torchrun --no-python",
    "accelerate": "accelerate launch --no_python",
    "accelerate.commands.launch": "accelerate launch --no_python",
}


NO_SCRIPTS: dict[Language, str] = {
    "ipynb": "a notebook: jupyter nbconvert --to script makes one of it",
    "markdown": "a Markdown file: copy its code into a script",
}


def program_file(script: str, options: Options) -> Path:
    """The file that a run executes.

    Raises:
        UserError: there is none.
    """
    if (launcher := LAUNCHERS.get(options.module or Path(script).name)) is not None:
        raise UserError(f"{script} starts the training processes: start looplint in each of them with {launcher} looplint run SCRIPT")
    path = module_file(options.module, options.cwd or Path.cwd()) if options.module else Path(script)
    if (reason := NO_SCRIPTS.get(language_of(path))) is not None:
        raise UserError(f"{script}: looplint run executes scripts, and this is {reason}")
    if not path.is_file():
        from looplint.sources.import_roots import nearest

        raise UserError(f"{script}: no such file{nearest(path)}; looplint run executes one script, or with -m one module")
    return path


def module_file(name: str, cwd: Path) -> Path:
    """The file that `python -m name` runs, found without importing anything.

    Raises:
        UserError: there is none.
    """
    search: Sequence[str] | None = [str(cwd), *sys.path]
    spec = None
    for part in (parts := name.split(".")):
        spec = importlib.machinery.PathFinder.find_spec(part if spec is None else f"{spec.name}.{part}", search)
        if spec is None:
            break
        search = list(spec.submodule_search_locations or ())
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.machinery.PathFinder.find_spec(f"{spec.name}.__main__", list(spec.submodule_search_locations))
    if spec is None or spec.origin is None:
        raise UserError(f"no module named {'.'.join(parts)} that could be run was found from {cwd}")
    path = Path(spec.origin)
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path


def as_json(inspection: Inspection, *, events: bool = False) -> dict[str, Any]:
    """An inspection as plain data; with `events`, the whole recording too."""
    recording, stream = inspection.recording, inspection.recording.stream
    run: dict[str, Any] = {
        "outcome": recording.outcome,
        "message": recording.message,
        "seconds": round(recording.seconds, 3),
        "torch": stream.start.get("torch"),
        "steps": stream.steps,
        "backwards": stream.backwards,
        "not_measured": failures(stream),
        "threads_not_recorded": stream.passed_over,
        "blind": inspection.blind,
    }
    if events:
        run["objects"] = [{"id": t.id, "role": t.role, "class": t.kind, **t.facts} for t in stream.things.values()]
        run["events"] = [
            {
                "kind": e.kind,
                "object": e.object,
                "file": display_name(Path(e.file)) if e.file else None,
                "line": e.line,
                "time": e.time,
                "loops": e.loops,
                **e.facts,
            }
            for e in stream.events
        ]
    entries = [{"verdict": j.verdict, "evidence": j.text, **as_dict(j.finding)} for j in inspection.joined]
    return {"version": 1, "script": inspection.script, "run": run, "findings": entries, "problems": [str(p) for p in inspection.problems]}


def as_text(inspection: Inspection, style: Any = None) -> str:
    """An inspection for people."""
    paint = style or (lambda text, **_: text)
    colours = {"does harm": "red", "happens": "red", "found at run time only": "red", "refuted": "green"}
    blocks = []
    for joined in inspection.joined:
        finding = joined.finding
        place = written_place(finding.filename, finding.location, finding.cell)
        head = f"{paint(place, bold=True)}: {finding.code} {finding.name}: {paint(joined.verdict, fg=colours.get(joined.verdict, 'yellow'), bold=True)}"
        lines = [f"  {finding.message}"] if joined.verdict != "found at run time only" else []
        blocks.append("\n".join([head, *lines, f"  run: {joined.text}"]))
    return "\n\n".join([*blocks, _closing(inspection)]) + "\n"


def _closing(inspection: Inspection) -> str:
    recording = inspection.recording
    steps = recording.stream.steps
    ran = (
        f"{inspection.script} ran for {recording.seconds:.1f} s and {steps} optimizer step{'s' if steps != 1 else ''}: {recording.message}."
    )
    counts = Counter(j.verdict for j in inspection.joined)
    count = len(inspection.joined)
    each = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    found = f"{count} finding{'s' if count > 1 else ''}: {each}." if count else "No findings, in the text or in the run."
    lines = [ran, found, *filter(None, [inspection.blind])]
    if others := recording.stream.passed_over:
        lines.append(
            f"It trains in {others + 1} threads, of which the first to do so was recorded: "
            "what the others did, which graphs stay alive and which values the run ends with was not measured."
        )
    lines += [
        f"Not measured: {channel}. The hook failed, which is a fault of looplint; the script went on without it: {error}"
        for channel, error in failures(recording.stream).items()
    ]
    if counts["not reached"] and recording.outcome == "step-limit":
        shortened = recording.message.endswith("as asked")
        longer = "--epochs 2 --batches 10 runs two short epochs" if shortened else "--epochs 3 --batches 100 runs longer epochs"
        lines.append(f"To reach more: {longer}, --steps 0 the whole script.")
    if not recording.ok and recording.stderr.strip():
        lines += ["Its last lines on standard error:", *(f"  {line}" for line in last_lines(recording.stderr))]
    return "\n".join(lines)


def last_lines(text: str, count: int = 12) -> Iterable[str]:
    return text.strip().splitlines()[-count:]
