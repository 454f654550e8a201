"""Joins the two sides: what the linter found in a program's text, and what one run of it shows at the same places."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from looplint.finding import Finding, Location
from looplint.runtime.evidence import claims_costs, witness_costs, witness_cycle, witness_rest, witness_state
from looplint.runtime.evidence.conditions import CONDITIONS
from looplint.runtime.evidence.witness import Judge, Witness
from looplint.runtime.streams.stream import Stream
from looplint.sources.reading import display_name

# *happens*: the line ran and did what the finding states; *does harm*: the damage was measured as well.
Verdict = Literal["does harm", "happens", "refuted", "not reached", "not measured", "found at run time only"]
CONFIRMED: frozenset[Verdict] = frozenset({"does harm", "happens"})

JUDGES: tuple[tuple[tuple[str, ...], Judge], ...] = (
    (("LL101",), witness_cycle.cleared_too_early),
    (("LL102", "LL109"), witness_cycle.added_up),
    (("LL103", "LL104"), witness_cycle.clipped_without_gradients),
    (("LL105",), witness_cycle.stepped_before_backward),
    (("LL106",), witness_cycle.never_stepped),
    (("LL107",), witness_cycle.never_filled),
    (("LL108",), witness_cycle.accumulated_unscaled),
    (("LL110",), witness_cycle.retained),
    (("LL111",), witness_cycle.left_over),
    (("LL112",), witness_cycle.foreign_applied),
    (("LL201", "LL202"), witness_state.schedule_pace),
    (("LL203",), witness_state.first_value_skipped),
    (("LL204",), witness_state.metric_missing),
    (("LL205",), witness_state.never_scheduled),
    (("LL206",), witness_state.stale_schedules),
    (("LL301", "LL304"), witness_state.trained_in_eval),
    (("LL302", "LL303"), witness_state.measured),
    (("LL306",), witness_rest.batch_unused),
    (("LL401", "LL402"), witness_state.kept_graphs),
    (("LL403",), witness_costs.in_each_batch("LL403", ("text", "read"), "made a text of a tensor")),
    (("LL501",), witness_state.dead_parameters),
    (("LL502",), witness_state.strays),
    (("LL503",), witness_state.casts),
    (("LL504",), witness_state.direct_forwards),
    (("LL506",), witness_rest.fails("LL506", "before Module.__init__() call")),
    (("LL507",), witness_rest.all_frozen),
    (("LL601",), witness_rest.clipped_while_scaled),
    (("LL602",), witness_rest.never_updated),
    (("LL603",), witness_rest.half_unscaled),
    (("LL604",), witness_rest.bypassed),
    (("LL605",), witness_rest.fails("LL605", "Attempting to unscale FP16 gradients")),
    (("LL701", "LL702", "LL703"), witness_rest.loss_inputs),
    (("LL801",), witness_rest.restores_itself),
    (("LL802",), witness_rest.resumed_without_state),
    (("LL803",), witness_rest.placed_by_file),
    (("LL804",), witness_rest.never_given_back),
    (("LL805",), witness_rest.resumed_anew),
    (("LL901",), witness_rest.in_order),
    (("LL902",), witness_rest.both_flags),
    (("LL903",), witness_rest.epoch_never_set),
    (("LL904",), witness_rest.seeded_late),
    (("LP001",), witness_costs.loader_without_workers),
    (("LP002",), witness_costs.staged),
    (("LP003",), witness_costs.waited_for),
    (("LP004",), witness_costs.in_each_batch("LP004", ("read",), "asked a tensor for its number")),
    (("LP005",), witness_costs.in_each_batch("LP005", ("release",), "gave the cached memory back")),
    (("LP006",), witness_costs.filled_with_zeros),
    (("LP007",), witness_costs.deprecations),
    (("LP008",), witness_costs.workers_not_persistent),
    (("LP009",), witness_costs.statistics_per_step),
)
MEASURED = frozenset(code for codes, _ in JUDGES for code in codes)
# Rules whose places only a probe can watch.
PROBED = ("LL401", "LL402", "LL503", "LL504")
# Rules that say the same of one place, told apart by where in the iteration it is.
ALIKE = {"LL103": "LL104", "LL104": "LL103", "LL109": "LL102"}
# What a run shows of one cause that another rule's finding, at another line, names already.
CAUSES = {"LL301": "LL304"}


@dataclass(frozen=True, slots=True)
class Joined:
    """A finding of either side, or of both, and what the run says of it."""

    verdict: Verdict
    finding: Finding
    text: str

    @property
    def code(self) -> str:
        return self.finding.code

    @property
    def line(self) -> int:
        return self.finding.location.row

    @property
    def stands(self) -> bool:
        """Whether it is still a problem after the run."""
        return self.verdict != "refuted"


def witnesses(stream: Stream) -> list[Witness]:
    """All that a run says about its places."""
    return [witness for _, judge in JUDGES for witness in judge(stream)]


def join(findings: Sequence[Finding], stream: Stream, names: Mapping[str, str]) -> list[Joined]:
    """Puts each static finding beside what the run showed at its place, and adds what only the run showed.

    `names` are those of the rules by code; of other rules, run-time findings are not wanted.
    """
    seen = [w for w in witnesses(stream) if not _unmeasured(w.code, stream)]
    stacks = {e.stack for e in stream.events} | {m.stack for m in stream.marks}
    ran = {(frame.file, frame.line) for stack in stacks for frame in stack}
    joined = [_judged(finding, seen, ran, stream) for finding in findings]
    told = {(place, code) for j in joined for place in _places(j.finding) for code in (j.code, ALIKE.get(j.code))}
    confirmed = {j.code for j in joined if j.verdict in CONFIRMED}
    for witness in seen:
        if CAUSES.get(witness.code) in confirmed:
            continue
        if witness.alone and witness.code in names and not any((frame, witness.code) in told for frame in witness.frames):
            place = Location(witness.line, 1)
            message = f"only the run shows it: {witness.text}"
            found = Finding(witness.code, names[witness.code], message, display_name(Path(witness.file)), place, place)
            joined.append(Joined("found at run time only", found, witness.text))
    return sorted(joined, key=lambda j: j.finding.sort_key)


def watched(findings: Iterable[Finding]) -> dict[str, list[int]]:
    """The lines where only a probe tells what happens, for `Options.watch`."""
    lines: dict[str, set[int]] = {}
    for finding in findings:
        if finding.code in PROBED:
            lines.setdefault(os.path.realpath(finding.filename), set()).add(finding.location.row)
    return {path: sorted(rows) for path, rows in lines.items()}


def costs_asked(findings: Iterable[Finding]) -> bool:
    """Whether a finding is about what only further hooks measure, for `Options.costs`."""
    return any(finding.code in claims_costs.CODES for finding in findings)


def failures(stream: Stream) -> dict[str, str]:
    """The errors of the recorder's own hooks, by the names of their channels."""
    return {mark.facts["channel"]: mark.facts["error"] for mark in stream.marked("failed")}


def _unmeasured(code: str, stream: Stream) -> str:
    """Why the run has not measured what the verdicts on a rule rest on; empty where it has."""
    failed, channels = failures(stream), CONDITIONS[code].channels
    if channel := next((channel for channel in channels if channel in failed), ""):
        return f"the recording of {channel} failed, which is a fault of looplint: {failed[channel]}"
    if "steps" in channels and stream.marked("compiled") and not stream.of("step"):
        return "the script compiles functions, and steps in them cannot be seen: TORCH_COMPILE_DISABLE=1 runs it uncompiled"
    return ""


def _judged(finding: Finding, seen: Sequence[Witness], ran: Collection[tuple[str, int]], stream: Stream) -> Joined:
    """The verdict on a finding. `ran` are the places that the run is known to have passed."""

    def verdict(kind: Verdict, text: str) -> Joined:
        return Joined(kind, finding, text)

    if finding.code not in MEASURED:
        return verdict("not measured", "one run alone does not show what this rule reports")
    condition = CONDITIONS[finding.code]
    if reason := _unmeasured(finding.code, stream):
        return verdict("not measured", reason)
    places = set(_places(finding))
    mine = [w for w in seen if w.code in (finding.code, ALIKE.get(finding.code)) and (places & w.frames or not w.frames) and w.whole]
    inner = [w for w in mine if (w.file, w.line) in places] or mine
    if bad := [w for w in inner if w.bad]:
        best = max(bad, key=lambda w: (w.code == finding.code, w.bad))
        return verdict("does harm" if condition.harm or best.harm else "happens", best.text)
    # Only the rule's own witness refutes a finding, and one of the whole program only where the place ran.
    against = [w for w in inner if w.code == finding.code and w.told and (w.frames or not places.isdisjoint(ran))]
    if against and len(stream.of("step")) >= condition.turns:
        return verdict("refuted", against[0].text)
    if condition.cuda and not stream.start.get("cuda"):
        return verdict("not measured", f"not measured here (needs CUDA): the run did not come to {condition.tells}")
    return verdict("not reached", f"the run did not come to this place, or ended before it could tell: that takes {condition.tells}")


def _places(finding: Finding) -> Iterator[tuple[str, int]]:
    """The lines that a finding is about."""
    path = os.path.realpath(finding.filename)
    for row in range(finding.location.row, finding.end_location.row + 1):
        yield path, row
