"""The figures of a survey, its tables, and its page as readers see it: on a telephone, on a desk, on paper."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsing import LOOKS, Look, backdrop, overflow, reading, started, unreadable
from command_line import looplint_text
from looplint.errors import UserError
from looplint.survey.judging import Surveyed, look
from looplint.survey.reasons import stored
from looplint.survey.repositories import Repository
from programs import BROKEN, CLEAN
from surveys import job, several, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("plotly")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
datasets = pytest.importorskip("looplint.survey.datasets", exc_type=ImportError)
figures = pytest.importorskip("looplint.survey.figures", exc_type=ImportError)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A survey of three repositories, one of which failed."""
    folder = tmp_path_factory.mktemp("report")
    several(folder / "one")
    write(
        folder / "two",
        {
            "train.py": BROKEN,
            "clean.py": CLEAN,
            "pyproject.toml": "",
            "lost.py": "import torch\n\ndef f(a, b):\n    a.backward()\n    b.step()\n",
        },
    )
    store = datasets.Store(folder / "out")
    with store.writing():
        for name, place, year in (("ada/one", "one", 2019), ("grace/two", "two", 2024)):
            found = look(job(Repository(name, str(folder / place), "", "", year)))
            assert isinstance(found, Surveyed)
            store.put(
                datasets.Header(name=name, key=name, kind="", year=year, content="c", looplint="v1", settings="{}", limits="l"), found
            )
        store.fail(
            datasets.Header(name="alan/three", key="", kind="", year=0, content="", looplint="v1", settings="{}", limits="l"),
            "/home/alan/three: no such folder",
        )
        # As versions stored it that named the whole path, and as it is stored now.
        place = "/home/alan/venv/lib/looplint/survey/judging.py"
        for name, reason in (
            ("alan/four", f'KeyError: Config(author=alan) (File "{place}", line 3, in look)'),
            ("alan/five", stored(ValueError("no text of alan's"), f'  File "{place}", line 3, in look\n    text of ada\n')),
        ):
            store.fail(
                datasets.Header(name=name, key="", kind="", year=0, content="", looplint="v1", settings="{}", limits="l"),
                reason,
            )
    return folder / "out"


def test_the_figures_count_what_is_stored(out: Path) -> None:
    found = figures.figures(out, {"LL102": figures.Reading(4, 3)})
    rows = datasets.Store(out).rows("findings")
    assert sum(rule.findings for rule in found.rules) == len(rows) > 2
    first = next(rule for rule in found.rules if rule.code == "LL102")
    assert (first.name, first.repositories, dict(first.by_kind)) == ("missing-zero-grad", 2, {"scripts": first.findings - 1, "package": 1})
    assert [group.name for group in found.kinds] == ["package", "scripts"] and [group.name for group in found.years] == ["2019", "2024"]
    whole = found.whole
    assert (whole.repositories, whole.judged) == (2, sum(group.judged for group in found.kinds))
    assert whole.understood is not None and 0 < whole.understood < 1 and found.lost
    assert whole.per_thousand(first.findings) == pytest.approx(1000 * first.findings / whole.judged)
    assert dict(found.failed) == {
        "the repository cannot be read": 1,
        "KeyError": 1,
        "ValueError in looplint/survey/judging.py, line …, in look": 1,
    }


def test_rows_that_a_stopped_survey_left_are_not_counted(out: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stopped"
    shutil.copytree(out, folder)
    for kind in ("files", "loops", "findings"):
        # The repository was about to be judged anew: its rows have another key than the one that stands.
        path = next(path for path in (folder / kind).glob("*.parquet") if "two" in path.name)
        rows = [{**row, "key": "another"} for row in datasets.Store(out).rows(kind) if row["repository"] == "grace/two"]
        assert rows
        pq.write_table(pa.Table.from_pylist(rows, schema=datasets.SCHEMAS[kind]), path)
    before, after = figures.figures(out, {}), figures.figures(folder, {})
    assert set(after.lost) < set(before.lost)
    assert len(after.slowest) < len(before.slowest)
    assert sum(rule.findings for rule in after.rules) < sum(rule.findings for rule in before.rules)


def test_the_tables_have_a_row_for_each_rule(out: Path, tmp_path: Path) -> None:
    (tmp_path / "read.json").write_text(json.dumps([{"code": "LL102", "verdict": "true"}, {"code": "LL102", "verdict": "false"}]))
    done = looplint_text("survey", "report", str(out), "--readings", str(tmp_path / "read.json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("| LL102 | missing-zero-grad | error |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[-2] == "1 of 2"
    assert float(cells[-1].replace(",", "")) == pytest.approx(float(cells[-3].replace(",", "")) / 2, rel=0.01)
    for heading in ("By rule", "By kind of repository", "By year of the last commit", "Repairs available", "Slowest programs"):
        assert f"## {heading}" in done.stdout
    (tmp_path / "read.json").write_text("{}")
    for arguments in (["report", str(tmp_path)], ["report"]):
        assert looplint_text("survey", *arguments, cwd=tmp_path).returncode == 2
    with pytest.raises(UserError, match="is no list of readings"):
        figures.read_readings(tmp_path / "none.json")


def test_nothing_in_a_report_names_a_person_or_a_file(out: Path) -> None:
    from looplint.survey.page import page
    from looplint.survey.tables import tables

    found = figures.figures(out, {})
    body = re.sub(r"<script>.*?</script>", "", page(found), flags=re.DOTALL)
    for text in (body, tables(found)):
        for name in ("ada", "grace", "alan", "/home", "train.py", "broken.py", "one/", "demo.ipynb"):
            assert name not in text


def cut_off(page: Page) -> list[str]:
    """The texts of plots that reach beyond their plot."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll(".plot")].flatMap(plot => {
      const frame = plot.getBoundingClientRect();
      return [...plot.querySelectorAll("text")].filter(text => {
        const own = text.getBoundingClientRect();
        return own.width && (own.top < frame.top - 1 || own.left < frame.left - 1 || own.right > frame.right + 1 || own.bottom > frame.bottom + 1);
      }).map(text => text.textContent);
    })"""
        )
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def decade(out: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same survey with a repository of each of ten years more, whose findings are advice."""
    folder = tmp_path_factory.mktemp("decade") / "out"
    shutil.copytree(out, folder)
    for kind in ("repositories", "findings"):
        rows = [row for row in datasets.Store(out).rows(kind) if row["repository"] == "grace/two"]
        for year in range(2009, 2019):
            own = [
                {**row, "repository": f"grace/{year}", **({"year": year} if kind == "repositories" else {"severity": "advice"})}
                for row in rows
            ]
            pq.write_table(pa.Table.from_pylist(own, schema=datasets.SCHEMAS[kind]), folder / kind / f"{year}.parquet")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("view", LOOKS, ids=lambda look: f"{look.width}-{look.scheme}")
def test_the_page_is_readable(view: Look, decade: Path, browser: Browser, tmp_path: Path) -> None:
    done = looplint_text("survey", "report", str(decade), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with reading(browser, (decade / "report.html").as_uri(), view) as page:
        page.locator(".plot svg.main-svg").first.wait_for()
        # By rule: errors and warnings, and advice.
        assert page.locator(".plot").count() == 6
        assert cut_off(page) == []
        assert backdrop(page) == view.scheme
        assert overflow(page) == []
        assert unreadable(page) == []
        # On paper a plot is as wide as a page, and black on white.
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.wait_for_function("document.querySelector('.plot svg.main-svg').getBoundingClientRect().width === 660")
        page.emulate_media(media="print")
        assert backdrop(page) == "light"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
