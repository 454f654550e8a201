"""Joins the two sides: the findings in a program's text, and what a run of it shows at the same places."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from looplint.finding import Finding, Location
from looplint.runtime.evidence.claims import CLAIMS
from looplint.runtime.evidence.ways import way_not_taken
from looplint.runtime.evidence.witness import Witness
from looplint.runtime.streams.stream import Stream
from looplint.sources.reading import display_name

# *happens*: the line ran and did what the finding states; *does harm*: the damage was measured as well.
Verdict = Literal["does harm", "happens", "refuted", "not reached", "not measured", "found at run time only"]
CONFIRMED: frozenset[Verdict] = frozenset({"does harm", "happens"})

# What a single run shows, by the code of the rule.
OBSERVED = {code: claim.observed for code, claim in CLAIMS.items() if claim.observed is not None}


@dataclass(frozen=True, slots=True)
class Joined:
    """A finding of either side, or of both, with the verdict of the run."""

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
    """All that a run shows at its places."""
    judges = dict.fromkeys(observed.judge for observed in OBSERVED.values())
    return [witness for judge in judges for witness in judge(stream)]


def join(findings: Sequence[Finding], stream: Stream, names: Mapping[str, str]) -> list[Joined]:
    """Puts each static finding beside what the run showed at its place, and adds what only the run showed.

    `names` are those of the rules by code; of other rules, run-time findings are not wanted.
    """
    seen = [w for w in witnesses(stream) if not _unmeasured(w.code, stream)]
    stacks = {e.stack for e in stream.events} | {m.stack for m in stream.marks}
    ran = {(frame.file, frame.line) for stack in stacks for frame in stack}
    joined = [_judged(finding, seen, ran, stream) for finding in findings]
    reported = {(place, code) for j in joined for place in _places(j.finding) for code in (j.code, _alike(j.code))}
    confirmed = {j.code for j in joined if j.verdict in CONFIRMED}
    for witness in seen:
        if OBSERVED[witness.code].cause in confirmed:
            continue
        if witness.alone and witness.code in names and not any((frame, witness.code) in reported for frame in witness.frames):
            place = Location(witness.line, 1)
            message = f"only the run shows it: {witness.text}"
            found = Finding(witness.code, names[witness.code], message, display_name(Path(witness.file)), place, place)
            joined.append(Joined("found at run time only", found, witness.text))
    return sorted(joined, key=lambda j: j.finding.sort_key)


def watched(findings: Iterable[Finding]) -> dict[str, list[int]]:
    """The lines where only a probe shows what happens, for `Options.watch`."""
    lines: dict[str, set[int]] = {}
    for finding in findings:
        if finding.code in OBSERVED and OBSERVED[finding.code].probed:
            lines.setdefault(os.path.realpath(finding.filename), set()).add(finding.location.row)
    return {path: sorted(rows) for path, rows in lines.items()}


def need_costs(findings: Iterable[Finding]) -> bool:
    """Whether a finding is about what only further hooks measure, for `Options.costs`."""
    return any(finding.code in CLAIMS and CLAIMS[finding.code].costs for finding in findings)


def failures(stream: Stream) -> dict[str, str]:
    """The errors of the recorder's own hooks, by the names of their channels."""
    return {mark.facts["channel"]: mark.facts["error"] for mark in stream.marked("failed")}


def _unmeasured(code: str, stream: Stream) -> str:
    """Why the run has not measured what verdicts on a rule depend on; empty where it has."""
    failed, channels = failures(stream), OBSERVED[code].channels
    if channel := next((channel for channel in channels if channel in failed), ""):
        return f"the recording of {channel} failed, which is a fault of looplint: {failed[channel]}"
    if stream.passed_over and "final values" in channels:
        return "the script trains in several threads, and what they end with was not read"
    if "steps" in channels and stream.marked("compiled") and not stream.of("step"):
        return "the script compiles functions, and steps in them cannot be seen: TORCH_COMPILE_DISABLE=1 runs it uncompiled"
    return ""


def _judged(finding: Finding, seen: Sequence[Witness], ran: Collection[tuple[str, int]], stream: Stream) -> Joined:
    """The verdict on a finding. `ran` are the places that the run is known to have passed."""

    def verdict(kind: Verdict, text: str) -> Joined:
        return Joined(kind, finding, text)

    if (observed := OBSERVED.get(finding.code)) is None:
        return verdict("not measured", "one run alone does not show what this rule reports")
    if reason := _unmeasured(finding.code, stream):
        return verdict("not measured", reason)
    places = set(_places(finding))
    mine = [w for w in seen if w.code in (finding.code, observed.alike) and (places & w.frames or not w.frames) and w.whole]
    inner = [w for w in mine if (w.file, w.line) in places] or mine
    if bad := [w for w in inner if w.bad]:
        best = max(bad, key=lambda w: (w.code == finding.code, w.bad))
        return verdict("does harm" if observed.harm or best.harm else "happens", best.text)
    # Only the rule's own witness refutes a finding, and one of the whole program only where the place ran.
    against = [w for w in inner if w.code == finding.code and w.decisive and (w.frames or not places.isdisjoint(ran))]
    if against and len(stream.of("step")) >= observed.turns:
        if missing := way_not_taken(finding, against):
            return verdict("not reached", f"the run came here, but not by the call in {missing}, of which this is reported")
        return verdict("refuted", against[0].text)
    if observed.cuda and not stream.gpu:
        return verdict("not measured", f"not measured here (needs CUDA): the run did not reach {observed.needs}")
    return verdict("not reached", f"the run did not reach this place, or ended before it could decide this: that takes {observed.needs}")


def _alike(code: str) -> str:
    return OBSERVED[code].alike if code in OBSERVED else ""


def _places(finding: Finding) -> Iterator[tuple[str, int]]:
    """The lines that a finding is about."""
    path = os.path.realpath(finding.filename)
    for row in range(finding.location.row, finding.end_location.row + 1):
        yield path, row
