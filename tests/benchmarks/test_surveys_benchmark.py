"""What measures surveys: comparing what is stored with the linter, and reading other benchmarks' tables from it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from places import ROOT

datasets = pytest.importorskip("looplint.survey.datasets", exc_type=ImportError)

from benchmarks.surveys import disturbing, drawing, pages, readers, rounds, same  # noqa: E402 - they need Arrow
from benchmarks.surveys.kept import Kept  # noqa: E402
from looplint.survey import figures  # noqa: E402
from looplint.survey.judging import Surveyed, look  # noqa: E402
from looplint.survey.repositories import Repository  # noqa: E402
from surveys import bare, job, several, write  # noqa: E402


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository("a/one", str(several(tmp_path / "one")))


@pytest.fixture
def out(tmp_path: Path, repository: Repository) -> Path:
    found = look(job(repository))
    assert isinstance(found, Surveyed)
    store = datasets.Store(tmp_path / "out")
    with store.writing():
        store.put(datasets.Header(name="a/one", key="k", kind="", year=0, content="c", looplint="v", settings="{}", limits="l"), found)
    return tmp_path / "out"


def test_a_survey_is_compared_with_the_linter(out: Path, repository: Repository) -> None:
    assert same.differing([repository], out) == []
    facts = same.facts([repository], out, 60, [])
    found = len(datasets.Store(out).rows("findings"))
    assert (facts["repositories"], facts["findings"], facts["in_parts"], facts["different"]) == (1, found, 0, 0)
    (Path(repository.place) / "more" / "broken.py").unlink()
    assert same.differing([repository], out) == ["a/one"]


def test_what_is_stored_twice_is_seen(out: Path) -> None:
    assert disturbing.twice(out) == 0
    assert disturbing.content(out).keys() == {"a/one"} and disturbing.content(out)["a/one"].rows > 5
    stored = next((out / "findings").glob("*.parquet"))
    (out / "findings" / "again.parquet").write_bytes(stored.read_bytes())
    assert disturbing.twice(out) == len(datasets.Store(out).rows("findings")) // 2


def test_other_benchmarks_read_what_is_stored(out: Path, repository: Repository) -> None:
    store = datasets.Store(out)
    understood = rounds.understanding(repository, store.rows("repositories"), store.rows("loops"))
    assert understood.states["more/broken.py"] == "recovered" and understood.lines > 20
    found = {(f.path, f.code, f.line) for f in rounds.lines(repository, store.rows("findings"))}
    assert ("demo.ipynb", "LL102", "loss.backward()") in found and ("more/broken.py", "LL102", "loss.backward()") in found
    outcomes = rounds.plant_in(repository, 2, 60)
    assert {outcome.repository for outcome in outcomes} == {"a__one"}


def test_what_is_known_of_planted_bugs_is_kept(tmp_path: Path, repository: Repository) -> None:
    outcomes = rounds.plant_in(repository, 2, 60)
    assert outcomes
    Kept(tmp_path / "kept", 2, 60).put("k", outcomes)
    known = Kept(tmp_path / "kept", 2, 60).of("k")
    assert known is not None and [replace(o, plant=replace(o.plant, text="")) for o in outcomes] == known
    # Asked for another repository, for more bugs or with another limit, nothing is known.
    assert [Kept(tmp_path / "kept", *how).of(key) for key, *how in (("l", 2, 60), ("k", 3, 60), ("k", 2, 61))] == [None] * 3


@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_whole_round_is_one_command(tmp_path: Path, repository: Repository) -> None:
    bare(tmp_path / "two.git", write(tmp_path / "work", {"train.py": "x = 1\n"}))
    rows = [{"name": "a/one", "place": repository.place}, {"name": "b/two", "place": "two.git", "commit": "0" * 40}]
    (tmp_path / "all.json").write_text(json.dumps(rows))
    command = [sys.executable, "-m", "benchmarks.surveys.rounds", str(tmp_path / "all.json"), "-o", str(tmp_path / "round"), "--cpus", "1"]

    def answer(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, "--per-repository", "1", *options], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
        )

    first = answer("--mirrors", str(tmp_path))
    assert first.returncode == 0, first.stderr
    for told in ("recovered", "LL102", "kind of bug", "could not be read"):
        assert told in first.stdout
    # A commit that git does not have fails one repository alone, and its row and a line say so.
    assert "surveyed: 1 of 2, 1 failed" in first.stderr and "planted before: 0 of 1" in first.stderr
    assert re.search(r"^b/two .*two\.git: fatal: ", first.stdout, re.MULTILINE)
    assert re.search(r"^failed: b/two \(survey\): .*two\.git: fatal: ", first.stdout, re.MULTILINE)
    second = answer()
    assert second.returncode == 0, second.stderr
    assert "planted before: 1 of 1" in second.stderr and "benchmarks.realbugs was left out: --mirrors" in second.stdout
    # The same tables; Ray writes before them.
    begin = first.stdout.index("repository  ")
    tables = second.stdout[second.stdout.index("repository  ") : second.stdout.index("benchmarks.realbugs")]
    assert first.stdout[begin : begin + len(tables)] == tables


def test_readings_are_of_rules_and_have_verdicts() -> None:
    readings = json.loads((ROOT / "benchmarks" / "surveys" / "first_readings.json").read_text(encoding="utf-8"))
    assert len(readings) > 150 and {row["verdict"] for row in readings} == {"true", "false"}
    assert all(row.keys() == {"round", "code", "severity", "verdict"} for row in readings)


def test_a_sample_is_drawn_by_its_seed_alone(tmp_path: Path) -> None:
    names = [f"owner/{letter}" for letter in "abcdefghij"]
    assert drawing.order(names, 1) == drawing.order(names[::-1], 1) != drawing.order(names, 2)
    assert sorted(drawing.order(names, 1)) == names
    bare(tmp_path / "owner+A" / "repo", write(tmp_path / "work", {"train.py": "x = 1\n"}))
    (tmp_path / "owner+b").mkdir()
    rows, missing = drawing.manifest({"owner/a": "HEAD", "owner/b": "HEAD", "owner/c": "HEAD"}, tmp_path)
    (name, place, commit), *others = rows
    assert (name, place, others, missing) == ("owner/a", str(tmp_path / "owner+A" / "repo"), [], ["owner/b", "owner/c"])
    assert drawing.manifest({"owner/a": commit}, tmp_path)[0] == rows
    assert drawing.manifest({"owner/a": "0" * 40}, tmp_path) == ([], ["owner/a"])


def test_the_sample_that_is_kept_was_drawn() -> None:
    with drawing.DRAWN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 300 and len({row["name"] for row in rows}) == len(rows)
    read = set(json.loads((ROOT / "benchmarks" / "already_read.json").read_text(encoding="utf-8")))
    assert {row["name"] for row in rows} <= read
    assert all(re.fullmatch("[0-9a-f]{40}", row["commit"]) for row in rows)


def test_the_page_has_what_the_report_prints() -> None:
    page = f"# A page\n\n{pages._BEGIN}old\n{pages._END}end\n"
    filled = pages.filled(page, "One \\1.\n\n## By rule\n")
    assert filled == f"# A page\n\n{pages._BEGIN}One \\1.\n\n### By rule\n{pages._END}end\n"
    with pytest.raises(ValueError, match="0 places"):
        pages.filled("# A page\n", "")


def test_the_page_tells_how_many_findings_held_as_it_is_known_now(request: pytest.FixtureRequest) -> None:
    readings = figures.read_readings(pages.READINGS)
    page = pages.PAGE.read_text(encoding="utf-8")
    rendered = pages.read_anew(page, readings)
    if request.config.getoption("--bless"):
        pages.PAGE.write_text(rendered, encoding="utf-8")
    assert page == rendered or request.config.getoption("--bless")
    row = "| LL102 | missing-zero-grad | error | 4 | 2 | 1,100 | 2 of 3 | 3.4 |\n"
    assert pages.read_anew(row, {"LL102": figures.Reading(4, 1)}) == row.replace("2 of 3 | 3.4", "1 of 4 | 275")
    assert pages.read_anew(row, {}) == row.replace("2 of 3 | 3.4", "not read | -")


@pytest.mark.slow
@pytest.mark.parametrize("name", readers.READERS)
def test_other_programs_read_the_datasets(name: str, out: Path) -> None:
    pytest.importorskip({"spark": "pyspark"}.get(name, name))
    if name == "spark" and shutil.which("java") is None:
        pytest.skip("Java is not installed")
    read = readers.READERS[name](out)
    assert read == readers.stored(out) and read.rows["findings"] > 0
