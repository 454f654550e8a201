"""The campaigns of accidents, a few of each: they find nothing wrong, and see what is."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks.robustness import campaigns
from benchmarks.robustness.campaigns import CAMPAIGNS, analysed
from benchmarks.robustness.programs import loop_shaped
from looplint.sources.reading import decode
from places import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Campaigns change the folder."""
    monkeypatch.chdir(os.getcwd())
    yield


@pytest.mark.parametrize(("name", "count"), [("library", 2), ("loops", 4), ("kills", 3), ("full", 4), ("flips", 12)])
def test_nothing_goes_wrong(name: str, count: int) -> None:
    run, _ = CAMPAIGNS[name]
    counts = run(count)
    assert counts.wrong == []
    assert sum(counts.ended.values()) - counts.ended["left a file being written"] == count


def test_what_goes_wrong_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(campaigns, "load", list)
    counts = analysed([("fails", fail), ("is fine", partial(decode, b"import torch\n", Path("a.py"), "a.py"))])  # type: ignore[list-item]
    assert counts.wrong == ["fails: internal error"] and counts.ended["analysed"] == 1


def test_a_campaign_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packages").mkdir()
    for number in range(5):
        (tmp_path / "packages" / f"a{number}.py").write_text("import torch\n")

    def judge(source: partial[object]) -> None:
        with (tmp_path / "judged").open("a") as file:
            print(source.args[0].name, file=file)
        os._exit(0)

    monkeypatch.setattr(campaigns, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(campaigns, "_before", campaigns._before)
    monkeypatch.setattr(campaigns, "_folders", [])
    monkeypatch.setattr(campaigns, "_analyse", judge)
    for more in (["--count", "2"], ["--resume", "--count", "4"]):
        monkeypatch.setattr(sys, "argv", ["campaigns", "installed", "--folder", str(tmp_path / "packages"), "--store", *more])
        assert campaigns.main() == 0
        stored = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
        assert stored["installed"]["ended"] == {"analysed": int(more[-1])}
    judged = (tmp_path / "judged").read_text().split()
    assert len(judged) == len(set(judged)) == 4


def test_the_page_says_what_was_counted() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]+ \| ([\d,]+) \| (\d+) \|$", (ROOT / "docs" / "limits.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    stored = json.loads(campaigns.RESULTS.read_text(encoding="utf-8"))
    counted = {
        name: (sum(found["ended"].values()) - found["ended"].get("left a file being written", 0), len(found["wrong"]))
        for name, found in stored.items()
    }
    assert {name: (int(count.replace(",", "")), int(wrong)) for name, count, wrong in rows} == counted


def test_a_program_is_the_same_each_time_and_not_as_the_next() -> None:
    assert loop_shaped(3) == loop_shaped(3) != loop_shaped(4)
