"""`python -m benchmarks.mutation`: plant bugs in correct scripts, lint them, print the recall of every rule."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.figures import add_option, store
from benchmarks.mutation.bases import Base, fixture_bases, listed_scripts, real_bases
from benchmarks.mutation.measure import Outcome, Recall, outcomes, recall, sample
from benchmarks.mutation.mutators import MUTATORS


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("--checkouts", type=Path, help="folder with checkouts of the listed repositories, each named owner__name")
    parser.add_argument("--rule", action="append", default=[], choices=sorted(MUTATORS), help="only this rule's mutants (repeatable)")
    parser.add_argument("--per-rule", type=int, metavar="N", help="at most so many mutants of a rule, spread over all (default: all)")
    parser.add_argument("--base", default="", help="only bases whose label contains this text")
    parser.add_argument("--json", type=Path, help="write the figures and the missed mutants here")
    add_option(parser)
    parser.add_argument("--show-missed", action="store_true", help="print the change of every missed mutant")
    parser.add_argument("--list", action="store_true", help="count the mutants, lint nothing")
    options = parser.parse_args(arguments)

    bases = [b for b in fixture_bases() if options.base in b.label]
    if options.checkouts is not None:
        real = [b for b in real_bases(options.checkouts) if options.base in b.label]
        print(f"{len(real)} of {listed_scripts()} listed real scripts are in {options.checkouts}", file=sys.stderr)
        bases += real
    codes = tuple(options.rule)
    if options.list:
        return _list(bases, codes)

    found: list[Outcome] = []
    started = time.perf_counter()
    for number, (base, planted) in enumerate(sample(bases, codes, options.per_rule).items(), 1):
        print(f"\r{number}/{len(bases)} {base.label[:90]:<90}", end="", file=sys.stderr)
        found += outcomes(base, planted)
    print(f"\r{len(found)} mutants of {len(bases)} files in {time.perf_counter() - started:.0f} s{'':<80}", file=sys.stderr)

    print(table(found))
    missed = [o for o in found if not o.detected]
    for outcome in missed:
        print(f"missed {outcome.mutant.code} {outcome.base}:{outcome.mutant.line} {outcome.mutant.description}")
        if options.show_missed:
            print(_change(outcome, {b.label: b for b in bases}))
    if options.json is not None:
        options.json.write_text(json.dumps(figures(found), indent=1) + "\n", encoding="utf-8")
    if options.store:
        shown = figures(found)
        store("mutation", {"per_rule": options.per_rule, "rules": shown["rules"], "overall": shown["overall"]})
    return 0


def table(found: Sequence[Outcome]) -> str:
    """The recall per rule as a Markdown table, fixtures and real scripts apart, ready for the README."""
    lines = ["| rule | planted | found | recall | in fixtures | in real scripts |", "|---|---:|---:|---:|---:|---:|"]
    for code in MUTATORS:
        rows = [o for o in found if o.mutant.code == code]
        if rows:
            lines.append(_row(code, rows))
    lines.append(_row("**all**", found))
    return "\n".join(lines)


def _row(label: str, rows: Sequence[Outcome]) -> str:
    total = recall(rows)
    parts = [_share(recall(o for o in rows if o.kind == kind)) for kind in ("fixture", "real")]
    return f"| {label} | {total.planted} | {total.detected} | {_share(total)} | {parts[0]} | {parts[1]} |"


def _share(part: Recall) -> str:
    return f"{100 * part.share:.1f} %" if part.planted else "-"


def figures(found: Sequence[Outcome]) -> dict[str, object]:
    """What the table says and what was missed, for other programs."""
    rules = {code: recall(o for o in found if o.mutant.code == code) for code in MUTATORS}
    return {
        "rules": {
            code: {"planted": r.planted, "detected": r.detected, "recall": round(r.share, 4)} for code, r in rules.items() if r.planted
        },
        "overall": {"planted": len(found), "detected": recall(found).detected, "recall": round(recall(found).share, 4)},
        "forms": _forms(found),
        "missed": [_described(o) for o in found if not o.detected],
        "other_rules_spoke": [{**_described(o), "codes": o.others} for o in found if o.others],
    }


def _forms(found: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    forms: dict[str, dict[str, int]] = {}
    for outcome in found:
        count = forms.setdefault(f"{outcome.mutant.code} {outcome.mutant.description}", {"planted": 0, "detected": 0})
        count["planted"] += 1
        count["detected"] += outcome.detected
    return dict(sorted(forms.items()))


def _described(outcome: Outcome) -> dict[str, object]:
    return {"code": outcome.mutant.code, "base": outcome.base, "line": outcome.mutant.line, "form": outcome.mutant.description}


def _change(outcome: Outcome, bases: dict[str, Base]) -> str:
    before, after = bases[outcome.base].source.splitlines(), outcome.mutant.text.splitlines()
    return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]) + "\n"


def _list(bases: Iterable[Base], codes: tuple[str, ...]) -> int:
    from benchmarks.mutation.mutators import mutants

    counts = dict.fromkeys(MUTATORS, 0)
    for base in bases:
        for mutant in mutants(base.source, base.siblings(), codes):
            counts[mutant.code] += 1
    for code, count in counts.items():
        if not codes or code in codes:
            print(f"{code} {count}")
    print(f"all {sum(counts.values())}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
