"""What is done to other people's scripts before they are run, and that every recipe says what it wants."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.foreign_runs import __main__ as runs
from benchmarks.foreign_runs import cost
from benchmarks.foreign_runs.recipe import edited, fingerprint, on_device, write_data
from looplint.errors import UserError
from looplint.runtime.evidence.joining import OBSERVED
from looplint.runtime.harness.devices import missing_cuda
from places import ROOT

RUNS = json.loads((ROOT / "benchmarks" / "foreign_runs" / "runs.json").read_text(encoding="utf-8"))
SCRIPT = """\
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(8):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""
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


def test_what_differs_on_cuda_is_written_beside_what_a_processor_shows() -> None:
    entry = {"clean": [], "setup": [1], "cuda": {"setup": []}}
    assert on_device(entry, "cpu") == entry
    assert on_device(entry, "cuda")["setup"] == []
    for entry in RUNS:
        assert set(entry.get("cuda", {})) <= {"arguments", "clean", "setup"}
        assert not [edit for edit in on_device(entry, "cuda").get("setup", []) if "cpu" in edit["to"].replace("on_cpu", "")]
        assert all(set(bug.get("cuda", {})) <= {"all", "also", "missed", "verdict"} for bug in entry["planted"])


def test_scripts_find_a_gpu_only_where_they_are_to_use_it() -> None:
    assert runs.environment("cpu")["CUDA_VISIBLE_DEVICES"] == ""
    assert "CUDA_VISIBLE_DEVICES" not in runs.environment("cuda")


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """The options for a list of one script, and a checkout of it."""
    (tmp_path / "someone__something").mkdir()
    (tmp_path / "someone__something" / "train.py").write_text(SCRIPT)
    entry = {
        "repo": "someone/something",
        "commit": "0" * 40,
        "path": "train.py",
        "sha256": fingerprint(SCRIPT),
        "limits": {},
        "clean": [],
        "planted": [{"code": "LL102", "edits": [{"delete": 8}]}],
    }
    (tmp_path / "runs.json").write_text(json.dumps([entry]))
    return ["--checkouts", str(tmp_path), "--runs", str(tmp_path / "runs.json"), "--out", str(tmp_path / "out.json")]


@pytest.mark.slow
def test_all_that_was_measured_is_written(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert runs.main([*small, "--jobs", "2"]) == 0, capsys.readouterr().out
    out = json.loads(Path(small[-1]).read_text())
    assert [(o["planted"], o["verdicts"]) for o in out["outcomes"]] == [("", []), ("LL102", [["LL102", "confirmed"]])]
    assert (out["device"], out["scripts"], out["wrong"], out["not_run"]) == ("cpu", 1, 0, [])
    assert cost.main([*small, "--rounds", "1"]) == 0
    out = json.loads(Path(small[-1]).read_text())
    assert (out["scripts"], out["same"], out["unmeasured"]) == (1, 1, {})
    assert [(one["steps"], one["same"]) for one in out["measured"]] == [(8, True)]


def test_what_there_is_no_time_for_is_named(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert runs.main([*small, "--seconds", "0"]) == 1
    assert json.loads(Path(small[-1]).read_text())["not_run"] == [
        "someone/something/train.py  as it is",
        "someone/something/train.py  LL102",
    ]
    assert cost.main([*small, "--seconds", "0"]) == 1
    assert "not measured  someone/something/train.py: there was no time for it" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("main", [runs.main, cost.main])
def test_without_a_gpu_nothing_is_run_for_one(main: Callable[[list[str]], int], small: list[str]) -> None:
    if missing_cuda() is None:
        pytest.skip("there is a GPU, and the benchmark would run")
    with pytest.raises(UserError, match="torch can use no GPU here"):
        main([*small, "--device", "cuda"])
    assert not Path(small[-1]).exists()
