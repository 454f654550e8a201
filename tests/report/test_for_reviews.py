"""The formats for reviews: reviewdog's, and a table in Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command_line import git, looplint_text
from looplint.finding import Edit, Finding, Fix, Location, Problem, Related
from looplint.linting.files import LintResult
from looplint.report import render
from looplint.report.formats.markdown import job_summary
from programs import BROKEN

ODD = Finding("LL102", "a-name", "a|b *c* <d> [e](f)\n", "x|y.py", Location(1, 1), Location(1, 2), severity="warning")


def test_rdjson_has_what_reviewdog_reads(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    found = json.loads(looplint_text("train.py", "--output-format", "rdjson", cwd=tmp_path).stdout)
    (diagnostic,) = found["diagnostics"]
    assert found["source"]["name"] == "looplint"
    assert diagnostic["location"] == {
        "path": "train.py",
        "range": {"start": {"line": 8, "column": 5}, "end": {"line": 8, "column": 20}},
    }
    assert diagnostic["severity"] == "ERROR" and diagnostic["code"]["value"] == "LL102"
    (suggestion,) = diagnostic["suggestions"]
    assert suggestion["range"]["start"] == suggestion["range"]["end"] and suggestion["text"] == "    opt.zero_grad()\n"


def test_rdjson_counts_columns_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("é𐐀 = f(x)\n", encoding="utf-8")
    fix = Fix("do", "safe", (Edit("a.py", Location(1, 6), Location(1, 7), "g"),))
    finding = Finding("LL1", "n", "m", "a.py", Location(1, 3), Location(1, 10), related=(Related("r", "a.py", Location(1, 2)),), fix=fix)
    result = LintResult((finding,), (Problem("a.py", "p", Location(1, 2)),), 1)
    first, second = json.loads(render("rdjson", result))["diagnostics"]
    assert first["location"]["range"] == {"start": {"line": 1, "column": 7}, "end": {"line": 1, "column": 14}}
    assert first["related_locations"][0]["location"]["range"]["start"]["column"] == 3
    assert first["suggestions"][0]["range"]["start"]["column"] == 10
    assert second["location"]["range"]["start"]["column"] == 3 and second["severity"] == "ERROR"


def test_markdown_is_a_table_in_which_nothing_is_markup() -> None:
    text = render("markdown", LintResult((ODD,), (Problem("b.py", "cannot be read"),), 3))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3 and all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert r"a\|b \*c\* \<d\> \[e\](f)" in rows[2] and "https://looplint.readthedocs.io/rules/a-name/" in rows[2]
    assert "- b.py: cannot be read" in text and text.startswith("**looplint**: 1 finding in 3 files\n")


def run_in_a_job(folder: Path, *arguments: str, **environment: str) -> str:
    """What stands on the page of the job after a run."""
    page = folder / "summary.md"
    looplint_text("train.py", "--quiet", *arguments, cwd=folder, environment={"GITHUB_STEP_SUMMARY": str(page), **environment})
    return page.read_text(encoding="utf-8") if page.exists() else ""


def test_a_run_for_github_adds_a_table_to_the_page_of_its_job(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    assert run_in_a_job(tmp_path) == "", "the format is another one"
    once = run_in_a_job(tmp_path, "--output-format", "github")
    assert (
        once.startswith("**looplint**: 1 finding in 1 file\n\n| place |")
        and "\n| train.py:8:5 | error | [LL102 missing-zero-grad](" in once
    )
    assert once.endswith("1 of 1 training loops were judged.\n\n")
    assert run_in_a_job(tmp_path, "--output-format", "github") == once * 2, "jobs have several steps"
    done = looplint_text("train.py", "--output-format", "github", cwd=tmp_path, environment={"GITHUB_STEP_SUMMARY": str(tmp_path)})
    assert done.returncode == 1 and "warning: the summary of the job cannot be written: Is a directory" in done.stderr


def test_places_on_the_page_of_a_job_lead_to_their_lines(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "train.py").write_text(BROKEN)
    where = {
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "you/it",
        "GITHUB_SHA": "0123",
        "GITHUB_WORKSPACE": str(tmp_path),
    }
    page = run_in_a_job(folder, "--output-format", "github", **where)
    assert "| [a b/train.py:8:5](https://github.com/you/it/blob/0123/a%20b/train.py#L8) |" in page


def test_the_page_of_a_job_is_no_longer_than_github_takes() -> None:
    findings = tuple(Finding("LL102", "a-name", "é" * 200, "a.py", Location(n, 1), Location(n, 2)) for n in range(1, 5001))
    problems = tuple(Problem(f"{n}.py", "cannot be read" * 20) for n in range(5000))
    page = job_summary(LintResult(findings, problems, 3))
    assert 700_000 < len(page.encode()) < 2**20
    shown = page.count("| a.py:")
    assert 0 < shown < 5000 and f"\nand {5000 - shown} more\n" in page and re.search(r"\n- and \d+ more\n", page)


def test_sarif_names_files_below_the_project_and_others_by_their_paths(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "src").mkdir(parents=True)
    elsewhere.mkdir()
    git(project, "init", "-q")
    for file in (project / "src" / "train.py", project / "other.py", elsewhere / "a b.py"):
        file.write_text(BROKEN)
    given = ["train.py", "../other.py", "../../elsewhere/a b.py"]
    (run,) = json.loads(looplint_text(*given, "--output-format", "sarif", cwd=project / "src").stdout)["runs"]
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": f"{project.as_uri()}/"}}
    named = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run["results"]]
    assert sorted(named, key=lambda place: place["uri"]) == [
        {"uri": (elsewhere / "a b.py").as_uri()},
        {"uri": "other.py", "uriBaseId": "SRCROOT"},
        {"uri": "src/train.py", "uriBaseId": "SRCROOT"},
    ]
