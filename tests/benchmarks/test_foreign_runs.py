"""What is done to other people's scripts before they are run, and that every recipe says what it wants."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.foreign_runs.recipe import edited, write_data
from looplint.runtime.evidence.joining import OBSERVED
from places import ROOT

RUNS = json.loads((ROOT / "benchmarks" / "foreign_runs" / "runs.json").read_text(encoding="utf-8"))
TEXT = "a\nfor x in y:\n    b\n    c.item()\nd\n"


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        ({"delete": 3}, ["a", "for x in y:", "    c.item()", "d"]),
        ({"move": 3, "after": 4}, ["a", "for x in y:", "    c.item()", "    b", "d"]),
        ({"move": 5, "before": 3}, ["a", "for x in y:", "    d", "    b", "    c.item()"]),
        ({"move": 3, "after": 5}, ["a", "for x in y:", "    c.item()", "d", "b"]),
        ({"insert": "e", "after": 4}, ["a", "for x in y:", "    b", "    c.item()", "    e", "d"]),
        ({"set": 4, "to": "e"}, ["a", "for x in y:", "    b", "    e", "d"]),
        ({"drop": ".item()", "in": 4}, ["a", "for x in y:", "    b", "    c", "d"]),
    ],
    ids=["delete", "move", "move-before", "move-out", "insert", "set", "drop"],
)
def test_an_edit_takes_the_indentation_of_its_new_place(edit: dict[str, object], lines: list[str]) -> None:
    assert edited(TEXT, [edit]).splitlines() == lines


@pytest.mark.parametrize("edit", [{"remove": 3}, {"drop": ".item()", "in": 3}, {"move": 3}])
def test_an_edit_that_does_nothing_is_an_error(edit: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no such edit"):
        edited(TEXT, [edit])


def test_made_up_data_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_data(tmp_path / name, {"words.txt": {"words": 45}, "rows.csv.gz": {"numbers": [5, 3]}})
    words, other = ((tmp_path / name / "words.txt").read_text() for name in ("one", "two"))
    assert words == other
    assert [len(line.split()) for line in words.splitlines()] == [20, 20, 5]
    rows = gzip.decompress((tmp_path / "one" / "rows.csv.gz").read_bytes()).decode().splitlines()
    assert len(rows) == 5
    assert {row.split(",")[2] for row in rows} <= {"0", "1"}


@pytest.mark.parametrize("entry", RUNS, ids=lambda e: f"{e['repo']}/{e['path']}")
def test_a_recipe_names_its_script_and_plants_what_a_run_can_show(entry: dict[str, object]) -> None:
    assert len(str(entry["commit"])) == 40
    assert len(str(entry["sha256"])) == 12
    planted = entry["planted"]
    assert isinstance(planted, list)
    assert {bug["code"] for bug in planted} <= set(OBSERVED)


def test_what_is_wanted_of_the_runs_is_enough_and_never_a_wrong_refutation() -> None:
    planted = [bug for entry in RUNS for bug in entry["planted"]]
    missed = [bug for bug in planted if bug.get("missed")]
    assert len({(entry["repo"], entry["path"], *entry.get("arguments", ())) for entry in RUNS}) == len(RUNS) >= 100
    assert len({entry["repo"] for entry in RUNS}) >= 30
    assert len(planted) >= 100
    assert len(missed) <= 0.1 * len(planted)
    verdicts = [verdict for entry in RUNS for verdict in entry["clean"]]
    verdicts += [
        verdict for bug in planted for verdict in (*bug.get("also", ()), *bug.get("all", ()), ("", bug.get("verdict", "confirmed")))
    ]
    assert {verdict for _, verdict in verdicts} <= {"confirmed", "found at run time only", "not reached", "not measured"}
    for bug in planted:
        confirmed = {code for code, verdict in bug.get("all", ()) if verdict in ("confirmed", "found at run time only")}
        assert "all" not in bug or bug.get("missed") or bug["code"] in confirmed
