"""What became of the repairs of each rule, counted, and as the table that the documentation shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.repairs.fixtures import FORM as FIXTURE
from benchmarks.repairs.outcome import Outcome

ALL = "**all**"


@dataclass(frozen=True, slots=True)
class Ends:
    """Repaired programs, those whose ends can be compared, and those that end as the right ones do."""

    made: int
    compared: int
    same: int

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Ends:
        compared = [o for o in outcomes if o.same is not None]
        return cls(len(outcomes), len(compared), sum(bool(o.same) for o in compared))


@dataclass(frozen=True, slots=True)
class Row:
    """The counts of one rule. `stand_in`: compared with the CPU in the place of CUDA; `quiet`: no rule reports anything new."""

    planted: int
    seen: int
    safe: Ends
    unsafe: Ends
    fixtures: Ends
    stand_in: int
    parse: int
    stable: int
    quiet: int

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Row:
        planted = [o for o in outcomes if o.form != FIXTURE]
        fixtures = [o for o in outcomes if o.form == FIXTURE and o.repair in ("safe", "unsafe")]
        safe, unsafe = ([o for o in planted if o.repair == kind] for kind in ("safe", "unsafe"))
        made = [*safe, *unsafe, *fixtures]
        return cls(
            len(planted),
            sum(o.repair != "unseen" for o in planted),
            Ends.of(safe),
            Ends.of(unsafe),
            Ends.of(fixtures),
            sum(o.stand_in and o.same is not None for o in made),
            sum(o.parses for o in made),
            sum(o.idempotent for o in made),
            sum(not o.new_findings for o in made),
        )


def rows(outcomes: Iterable[Outcome]) -> dict[str, Row]:
    """A row for each rule, in the order of the codes, and one for all of them."""
    found = list(outcomes)
    codes = sorted({o.code for o in found})
    return {**{code: Row.of([o for o in found if o.code == code]) for code in codes}, ALL: Row.of(found)}


def table(counted: Mapping[str, Row]) -> str:
    """The rows as Markdown."""
    lines = [
        "| rule | planted | seen | safe | same end | unsafe | same end | not repaired | fixtures | same end | parse | stable | nothing new |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for code, row in counted.items():
        made = row.safe.made + row.unsafe.made + row.fixtures.made
        cells = [
            row.planted,
            row.seen,
            *_cells(row.safe),
            *_cells(row.unsafe),
            row.seen - row.safe.made - row.unsafe.made,
            *_cells(row.fixtures),
            *(part(n, made) for n in (row.parse, row.stable, row.quiet)),
        ]
        lines.append(f"| {code} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _cells(ends: Ends) -> tuple[int, str]:
    return ends.made, part(ends.same, ends.compared)


def part(some: int, whole: int) -> str:
    """`12 of 13`, so that the share of a few is not taken for that of many."""
    return "-" if not whole else f"all {whole}" if some == whole else f"{some} of {whole}"
