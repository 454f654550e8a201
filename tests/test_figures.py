"""The figures that are stated are those that the benchmarks stored. `pytest --bless` writes the table of repairs anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.figures import read
from benchmarks.repairs.table import Ends, Row, part, table

ROOT = Path(__file__).parent.parent
REPAIRS = ROOT / "docs" / "measured-repairs.md"


def row(stored: dict[str, Any]) -> Row:
    ends = {name: Ends(**stored[name]) for name in ("safe", "unsafe", "fixtures")}
    return Row(**{**stored, **ends})


def repairs() -> dict[str, Row]:
    return {code: row(stored) for code, stored in read()["repairs"]["rows"].items()}


def stated(figures: dict[str, Any]) -> Iterator[str]:
    """What the README says, in the words in which it says it."""
    real, opt_in, planted, runs = figures["ecosystem"], figures["opt_in"], figures["mutation"], figures["foreign_runs"]
    yield f"{real['repositories']} real repositories ({real['loop_files']} files with loops"
    yield f"{real['findings']} findings, {real['true']} true ({real['true'] / real['read']:.1%})".replace("%", " %")
    yield f"{real['safe_repairs_right']} of them come with a safe repair"
    yield f"{opt_in['read']} of {opt_in['findings']} read | {opt_in['true']} true"
    yield f"{100 * planted['overall']['recall']:.1f} % of {planted['overall']['planted']:,}"
    yield f"at most {planted['per_rule']} of each of {len(planted['rules'])} rules"
    shares = {code: 100 * rule["recall"] for code, rule in planted["rules"].items()}
    lowest = [f"{code} {shares[code]:.1f} %" for code in sorted(shares, key=lambda code: shares[code])[:3]]
    yield f"lowest: {', '.join(lowest)}"
    yield f"{runs['scripts']} scripts of other people's repositories, as they are and with {runs['planted']} bugs planted"
    yield f"{runs['planted'] - runs['missed']} bugs confirmed or seen in the run, {runs['missed']} missed"
    yield f"{figures['unknown']['files']:,} real files when what they import is hidden"


def stated_of_repairs(all_rules: Row) -> Iterator[str]:
    yield f"{all_rules.planted:,} planted bugs"
    yield f"{all_rules.fixtures.made} broken fixtures"
    for ends, word in ((all_rules.safe, "safe"), (all_rules.unsafe, "unsafe")):
        yield f"{ends.same:,} of the {ends.compared:,} {word} repairs that can be compared"


def stated_of_speed(speed: dict[str, Any]) -> Iterator[str]:
    one, tree = speed["script"]["tools"], speed["tree"]["tools"]
    libcst = speed["steps"]["python -c 'import libcst'"]
    yield f"{one['looplint']['wall']:.2f} s against {libcst:.2f} s"
    yield f"{tree['looplint']['wall']:.1f} s against {tree['torchfix']['wall']:.1f} s ({tree['torchfix']['ratio']:.1f} times faster)"


@pytest.mark.parametrize("phrase", [*stated(read()), *stated_of_repairs(repairs()["**all**"]), *stated_of_speed(read()["speed"])])
def test_the_readme_states_what_was_measured(phrase: str) -> None:
    assert phrase in (ROOT / "README.md").read_text(encoding="utf-8")


def test_nothing_that_was_stored_went_wrong() -> None:
    figures, all_rules = read(), repairs()["**all**"]
    made = all_rules.safe.made + all_rules.unsafe.made + all_rules.fixtures.made
    assert figures["ecosystem"]["findings"] == figures["ecosystem"]["read"], "findings that nobody has judged"
    assert figures["unknown"]["unjudged"] == 0 and figures["foreign_runs"]["wrong"] == 0
    assert [part(n, made) for n in (all_rules.parse, all_rules.stable, all_rules.quiet)] == [f"all {made}"] * 3


def test_the_table_of_repairs_is_fresh(request: pytest.FixtureRequest) -> None:
    text = REPAIRS.read_text(encoding="utf-8")
    fresh = re.sub(r"(<!-- table -->\n).*?(<!-- /table -->)", lambda m: f"{m[1]}\n{table(repairs())}\n\n{m[2]}", text, flags=re.DOTALL)
    if request.config.getoption("--bless"):
        REPAIRS.write_text(fresh, encoding="utf-8")
    assert REPAIRS.read_text(encoding="utf-8") == fresh
