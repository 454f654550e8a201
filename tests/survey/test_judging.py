"""A repository judged by the tasks of a survey: as `looplint check` judges it, whole and cut, within limits."""

from __future__ import annotations

import ctypes
import json
import pickle
import sys
import time
from pathlib import Path

import pytest

from command_line import looplint_text
from looplint.escaping import json_text
from looplint.report.records import as_dict
from looplint.survey import judging
from looplint.survey.judging import Job, Parts, Refused, Surveyed, conclude, identify, look, look_at_part
from looplint.survey.limits import Exceeded, Limits, give_back, limited, resident
from looplint.survey.linter_options import LinterOptions
from looplint.survey.repositories import Repository
from places import ROOT
from programs import USELESS
from surveys import bare, checked, job, printed, several, write


def records(surveyed: Surveyed | Parts) -> list[str]:
    assert isinstance(surveyed, Surveyed)
    return [json_text(as_dict(finding)) for finding in surveyed.findings]


def cut(work: Job) -> Surveyed:
    """A repository judged in parts, each of which goes through what processes exchange."""
    parts = look(work)
    assert isinstance(parts, Parts) and len(parts.numbers) > 2
    return conclude(work, *(pickle.loads(pickle.dumps(look_at_part(work, numbers))) for numbers in parts.numbers))


def test_it_says_what_check_says(tmp_path: Path) -> None:
    folder = several(tmp_path / "one")
    expected = checked(folder)
    assert expected.count('"code"') >= 3
    whole = look(job(Repository("one", str(folder))))
    assert printed(records(whole)) == expected
    assert printed(records(cut(job(Repository("one", str(folder)), cut=300)))) == expected
    place = bare(tmp_path / "two.git", folder)
    commit = look(job(Repository("two", str(place), "HEAD")))
    assert printed(records(commit)) == expected
    assert isinstance(whole, Surveyed) and isinstance(commit, Surveyed)
    assert (whole.kind, whole.year, commit.year > 2020) == ("scripts", 0, True)
    assert [p.file for p in whole.programs if "cannot be parsed" in p.problem or p.problem] == ["wrong.py"]
    assert {loop.filename for loop in whole.loops if loop.judged} >= {"steps.py", "more/clean.py", "demo.ipynb"}


def test_the_repairs_that_are_stored_are_those_that_check_offers(tmp_path: Path) -> None:
    folder = write(several(tmp_path / "one"), {"lint/useless_repair.py": USELESS, "looplint.toml": 'rules = ["lint"]\n'})
    linter = LinterOptions(allow_rules=True)
    expected = looplint_text("check", "--no-cache", "--allow-rules", "-j", "1", "--output-format", "json", ".", cwd=folder).stdout
    assert {finding["code"] for finding in json.loads(expected)} == {"ACME2", "LL102"}
    for size in (1 << 20, 300):
        work = job(Repository("one", str(folder)), cut=size, linter=linter)
        surveyed = look(work) if size > 300 else cut(work)
        assert printed(records(surveyed)) == expected
        assert isinstance(surveyed, Surveyed)
        # A repair of a project's own rule that does not hold is not offered.
        assert {f.code for f in surveyed.findings if f.fix is not None} == {"LL102"}


@pytest.mark.exhaustive
def test_it_says_of_twenty_repositories_what_check_says(tmp_path: Path) -> None:
    folders = sorted((ROOT / "fixtures").iterdir(), key=lambda folder: sum(path.stat().st_size for path in folder.glob("*.py")))[:20]
    repairs = 0
    for number, fixture in enumerate(folders):
        folder = write(tmp_path / fixture.name, {path.name: path.read_text() for path in fixture.glob("*.py")})
        linter = LinterOptions(isolated=True, overrides={"select": ("ALL",)})
        work = job(Repository(fixture.name, str(folder)), cut=1 << 20 if number % 2 else 500, linter=linter)
        surveyed = look(work) if number % 2 else cut(work)
        assert printed(records(surveyed)) == checked(folder, "--select", "ALL")
        assert isinstance(surveyed, Surveyed) and surveyed.findings
        repairs += sum(finding.fix is not None for finding in surveyed.findings)
    assert len(folders) == 20 and repairs > 50


def test_the_settings_of_a_repository_stand_below_those_of_the_survey(tmp_path: Path) -> None:
    folder = write(several(tmp_path / "one"), {"looplint.toml": 'ignore = ["LL102"]\n'})
    linter = LinterOptions(overrides={"extend-select": ("LL402",)})
    own, isolated = look(job(Repository("one", str(folder)), linter=linter)), look(job(Repository("one", str(folder))))
    assert isinstance(own, Surveyed) and isinstance(isolated, Surveyed)
    assert "LL102" in {f.code for f in isolated.findings} and "LL102" not in {f.code for f in own.findings}
    assert linter.key("one", "x") != LinterOptions().key("one", "x")
    write(folder, {"looplint.toml": 'ignore = ["LL999"]\n'})
    with pytest.raises(Refused, match="LL999"):
        look(job(Repository("one", str(folder)), linter=linter))


def test_what_cannot_be_judged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no such folder"):
        identify(Repository("none", str(tmp_path / "none")), LinterOptions())
    work = job(Repository("one", str(several(tmp_path / "one"))))
    write(tmp_path / "one", {"later.py": ""})
    with pytest.raises(Refused, match="changed while it was surveyed"):
        look(work)
    other = Job(work.repository, work.content, work.linter, work.limits, "0.0", work.cut)
    with pytest.raises(Refused, match="a worker has looplint"):
        look(other)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems give memory back by themselves")
def test_memory_that_is_free_is_given_back() -> None:
    # What is kept at the end keeps the C library from giving the rest back by itself.
    held = [ctypes.create_string_buffer(100_000) for _ in range(600)]
    kept, before = held.pop(), resident()
    held.clear()
    give_back()
    assert len(kept) and resident() < before - (50 << 20)


def test_a_worker_that_holds_much_gives_memory_back_after_each_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(judging, "give_back", lambda: given.append(1))
    work = job(Repository("one", str(several(tmp_path / "one"))))
    monkeypatch.setattr(judging, "resident", lambda: 100 << 20)
    look(work)
    assert not given
    monkeypatch.setattr(judging, "resident", lambda: 200 << 20)
    surveyed = look(work)
    assert isinstance(surveyed, Surveyed) and len(given) == len(surveyed.programs) > 2


def test_more_time_or_memory_than_allowed_ends_a_task() -> None:
    with pytest.raises(Exceeded, match="took more than 0.3 s of processor time"), limited(Limits(0.3, 1 << 40)):
        while True:
            try:
                sum(range(1000))
            except Exception:  # noqa: BLE001 - no handler of the analysis keeps a task from ending
                raise AssertionError from None
    with pytest.raises(Exceeded, match="MB of memory"), limited(Limits(60, resident() + (50 << 20))):
        held = bytearray(b"x") * (100 << 20)
        while held:
            time.sleep(0.01)
    with limited(Limits(60, 1 << 40)):
        assert resident() > 1 << 20
