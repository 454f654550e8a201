"""Every output format, read by a consumer that is not ours where there is one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from looplint.escaping import shown
from looplint.finding import Edit, Finding, Fix, Location, Problem, Related
from looplint.linting.files import LintResult, lint_paths
from looplint.report import FORMATS, render, reporter
from places import DATA, ROOT

pytestmark = pytest.mark.slow


def looplint(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "looplint", *arguments], cwd=cwd, capture_output=True, text=True, encoding="utf-8")


def output(name: str, *arguments: str, cwd: Path = ROOT) -> str:
    done = looplint("--output-format", name, *(arguments or ("examples/train.py",)), cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_json_lines_are_the_objects_of_json() -> None:
    assert [json.loads(line) for line in output("json-lines").splitlines()] == json.loads(output("json"))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_imports_no_other(name: str) -> None:
    code = f"import sys\nfrom looplint.report import render\nfrom looplint.linting.files import LintResult\nrender({name!r}, LintResult((), (), 0))\nprint(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    heavy = {"json", "xml.etree.ElementTree", "hashlib", "libcst"}
    if name in ("text", "concise", "github"):
        assert not heavy & loaded
    assert f"looplint.report.formats.{name.replace('-', '_')}" in loaded


def test_output_file_holds_what_would_be_printed(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    done = looplint("--output-format", "json", "--output-file", str(target), "examples/train.py")
    assert done.returncode == 1 and done.stdout == ""
    assert target.read_text(encoding="utf-8") == output("json")
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


def test_output_file_follows_links_and_keeps_modes(tmp_path: Path) -> None:
    target, link = tmp_path / "report.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    looplint("--output-file", str(link), "examples/train.py")
    assert link.is_symlink() and "LL103" in target.read_text(encoding="utf-8")
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not Path("/dev/stderr").exists(), reason="no such device here")
def test_output_file_may_be_a_device() -> None:
    assert "LL103" in looplint("--output-file", "/dev/stderr", "examples/train.py").stderr


@pytest.mark.parametrize("name", ["missing/report.txt", "."])
def test_an_output_file_that_cannot_be_written_is_an_error(tmp_path: Path, name: str) -> None:
    done = looplint("--output-file", os.path.join(tmp_path, name), str(ROOT / "examples/train.py"), cwd=tmp_path)
    assert done.returncode == 2 and "cannot be written" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"text"}))
def test_quiet_still_gives_a_whole_document(tmp_path: Path, name: str) -> None:
    (tmp_path / "clean.py").write_text("print(1)\n")
    assert output(name, "clean.py", "--quiet", cwd=tmp_path) == output(name, "clean.py", cwd=tmp_path)


ODD = "trains/träin [1](x),:%\n{0}.py"
FINDINGS = (
    Finding(
        "LL102", "missing-zero-grad", "losses[0](x) is {0}, 100% of it\nand <more> & \x1b[1m", ODD, Location(3, 5), Location(4, 9),
        related=(Related("here, too", "other.py", Location(1, 1)),),
        fix=Fix("clear them", "unsafe", (Edit(ODD, Location(3, 1), Location(3, 1), "    opt.zero_grad()\n"), Edit(ODD, Location(5, 1), Location(6, 1), ""))),
    ),
    Finding("LL999", "a-rule-of-ones-own", "said at the end", ODD, Location(9, 1), Location(9, 2), severity="warning"),
    Finding("LL998", "called-by-name", "net.forward() is called", ODD, Location(1, 3), Location(1, 9), severity="advice"),
)  # fmt: skip
RESULT = LintResult(FINDINGS, (Problem("bad.py", "syntax error", Location(2, 1)), Problem("worse.py", "cannot be read")), 4)
NOTHING = LintResult((), (), 3)


def sarif_errors(text: str) -> list[str]:
    schema = json.loads((DATA / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
    return [f"{list(e.path)}: {e.message[:200]}" for e in validator.iter_errors(json.loads(text))]


@pytest.mark.parametrize("result", [RESULT, NOTHING], ids=["odd", "nothing"])
def test_sarif_follows_the_official_schema(result: LintResult) -> None:
    assert sarif_errors(render("sarif", result)) == []


def test_the_schema_refuses_what_is_no_sarif() -> None:
    assert sarif_errors(render("sarif", RESULT).replace('"startLine": 3', '"startLine": 0'))


def test_sarif_of_the_shipped_script_is_valid_and_complete() -> None:
    text = output("sarif")
    assert sarif_errors(text) == []
    (run,) = json.loads(text)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (
        [rules[r["ruleIndex"]]["id"] for r in run["results"]]
        == [r["ruleId"] for r in run["results"]]
        == ["LL103", "LL102", "LL401", "LL302", "LL303"]
    )
    assert all("## Why it matters" in rule["help"]["markdown"] and rule["helpUri"].startswith("https://") for rule in rules)
    assert run["invocations"] == [{"executionSuccessful": True, "properties": {"judgedLoops": 1, "lostLoops": 0}}]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "examples/train.py", "uriBaseId": "SRCROOT"}
    assert Path(run["originalUriBaseIds"]["SRCROOT"]["uri"].removeprefix("file://")).joinpath(place["artifactLocation"]["uri"]).is_file()
    assert [r["physicalLocation"]["region"]["startLine"] for r in run["results"][0]["relatedLocations"]] == [31, 32]


def test_sarif_carries_repairs_problems_and_names_that_need_quoting() -> None:
    (run,) = json.loads(render("sarif", RESULT))["runs"]
    first = run["results"][0]
    assert first["message"]["text"].startswith(r"losses\[0](x) is {{0}}, 100%")
    (change,) = first["fixes"][0]["artifactChanges"]
    assert unquote(change["artifactLocation"]["uri"]) == ODD and "\n" not in change["artifactLocation"]["uri"]
    assert [r.get("insertedContent", {}).get("text") for r in change["replacements"]] == ["    opt.zero_grad()\n", None]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]] == ["syntax error", "cannot be read"]


def unescaped(text: str) -> str:
    """As the runner of GitHub Actions reads a value."""
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")


def test_github_commands_are_one_line_each_and_give_back_what_they_were_given() -> None:
    lines = render("github", RESULT).splitlines()
    assert [re.match(r"::(\w+) ", line)[1] for line in lines] == ["error", "warning", "notice", "error", "error"]  # type: ignore[index]
    _, properties, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", lines[0]).groups()  # type: ignore[union-attr]
    read = {k: unescaped(v) for k, v in (p.split("=", 1) for p in properties.split(","))}
    assert read == {"title": "looplint (LL102)", "file": ODD, "line": "3", "endLine": "4"}
    assert shown(FINDINGS[0].message) in unescaped(message) and "\nother.py:1: here, too\nrepair (unsafe): clear them" in unescaped(message)
    assert ",line=9,col=1,endLine=9,endColumn=2::" in lines[1]
    assert lines[4] == "::error title=looplint,file=worse.py::worse.py: cannot be read"


def test_gitlab_has_what_the_service_asks_for_and_no_fingerprint_twice() -> None:
    entries = json.loads(render("gitlab", LintResult((FINDINGS[0],) * 3, (), 1)))
    assert {e["severity"] for e in entries} == {"major"} and len({e["fingerprint"] for e in entries}) == 3
    assert all({"description", "check_name", "fingerprint", "severity", "location"} == e.keys() for e in entries)
    assert entries[0]["location"]["positions"] == {"begin": {"line": 3, "column": 5}, "end": {"line": 4, "column": 9}}


def test_gitlab_names_the_files_that_could_not_be_linted() -> None:
    torn, unread = json.loads(render("gitlab", RESULT))[len(FINDINGS) :]
    assert torn.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
    assert (torn["check_name"], torn["severity"], torn["description"]) == ("not-linted", "critical", "not linted: syntax error")
    assert torn["location"] == {"path": "bad.py", "positions": {"begin": {"line": 2, "column": 1}, "end": {"line": 2, "column": 1}}}
    assert unread["location"]["path"] == "worse.py" and unread["location"]["positions"]["begin"]["line"] == 1
    moved = LintResult((), tuple(Problem("bad.py", "syntax error", Location(row, 1)) for row in (9, 12)), 1)
    first, second = json.loads(render("gitlab", moved))
    assert first["fingerprint"] == torn["fingerprint"]
    assert len({entry["fingerprint"] for entry in (torn, unread, second)}) == 3


@pytest.mark.parametrize(("name", "variable"), [("github", "GITHUB_WORKSPACE"), ("gitlab", "CI_PROJECT_DIR")])
def test_services_get_paths_relative_to_their_checkout(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.setenv(variable, str(ROOT))
    assert "examples/train.py" in render(name, lint_paths(["train.py"]))


def test_junit_is_read_by_a_junit_parser() -> None:
    xml = JUnitXml.fromstring(render("junit", RESULT).encode())
    assert (xml.tests, xml.failures, xml.skipped, xml.errors) == (5, 2, 1, 2)
    cases = [case for suite in xml for case in suite]
    assert [type(case.result[0]) for case in cases] == [Failure, Failure, Skipped, Error, Error]
    assert cases[0].result[0].type == "LL102" and "and <more> & \u241b[1m" in cases[0].result[0].text
    assert cases[2].result[0].message == "net.forward() is called" and ": advice: net.forward()" in cases[2].result[0].text
    assert cases[3].result[0].message == "syntax error"


def test_junit_without_findings_is_a_run_that_passed() -> None:
    (suite,) = JUnitXml.fromstring(render("junit", NOTHING).encode())
    (case,) = suite
    assert case.is_passed and case.name == "3 files checked"


def test_statistics_count_each_rule_and_close_as_text_does(tmp_path: Path) -> None:
    script = (ROOT / "examples/train.py").read_text(encoding="utf-8")
    (tmp_path / "a.py").write_text(script)
    (tmp_path / "b.py").write_text(script.replace("    clip_grad_norm_", "    pass  # clip_grad_norm_"))
    *lines, closing, judged = output("text", ".", "--statistics", cwd=tmp_path).splitlines()
    assert lines == [
        "2\tLL102\terror  \t[*] missing-zero-grad",
        "2\tLL302\terror  \t[*] missing-eval-mode",
        "2\tLL303\twarning\t[*] missing-no-grad",
        "2\tLL401\twarning\t[*] logged-tensor",
        "1\tLL103\terror  \t[*] clip-before-backward",
    ]
    assert [closing, judged] == output("text", ".", cwd=tmp_path).splitlines()[-2:]
    assert (closing, judged) == (
        "Found 5 errors and 4 warnings in 2 files (2 files checked). 9 can be repaired with --fix.",
        "Judged 2 training loops in 2 files.",
    )


def test_statistics_say_what_can_be_repaired() -> None:
    fixed = replace(FINDINGS[1], fix=Fix("so", "safe", ()))
    text = reporter("text", statistics=True)(LintResult((FINDINGS[0], FINDINGS[1], fixed, replace(fixed, code="LL103")), (), 1))
    assert text.splitlines()[:3] == [
        "2\tLL999\twarning\t[-] a-rule-of-ones-own",
        "1\tLL102\terror  \t[ ] missing-zero-grad",
        "1\tLL103\twarning\t[*] a-rule-of-ones-own",
    ]
    assert json.loads(reporter("json", statistics=True)(LintResult((fixed, fixed), (), 1))) == [
        {"code": "LL999", "name": "a-rule-of-ones-own", "count": 2, "severities": {"warning": 2}, "fixable": True, "fixable_count": 2}
    ]


def test_statistics_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("print(1)\n")
    assert output("text", "clean.py", "--statistics", cwd=tmp_path) == "No problems found (1 file checked).\n"
    assert output("json", "clean.py", "--statistics", cwd=tmp_path) == "[]\n"


def test_statistics_have_no_place_in_sarif() -> None:
    done = looplint("--statistics", "--output-format", "sarif", "examples/train.py")
    assert done.returncode == 2 and done.stderr == "error: --statistics is printed as text or json, not as sarif\n"


TWICE = """\
def train(x):
    total += x
    other += x


def again(x):
    total += x
"""


def test_text_shows_the_places_of_a_function_together(tmp_path: Path) -> None:
    name = str(tmp_path / "a.py")
    (tmp_path / "a.py").write_text(TWICE)
    related = (Related("it comes from here", name, Location(1, 11)),)
    fix = Fix("Keep its value", "safe", ())
    found = [
        Finding(
            "LL402",
            "accumulated",
            f"{what} adds up tensors: they stay",
            name,
            Location(row, 5),
            Location(row, 15),
            related=related,
            fix=fix,
        )
        for row, what in ((2, "total"), (3, "other"), (7, "total"))
    ]
    first, second, closing = render("text", LintResult(tuple(found), (), 1)).split("\n\n")
    assert first.replace(name, "a.py").splitlines() == [
        "a.py:2:5: error: LL402 accumulated (2 places)",
        "  total adds up tensors: they stay",
        "  |",
        "1 | def train(x):",
        "  |           --- it comes from here",
        "2 |     total += x",
        "  |     ^^^^^^^^^^ here",
        "3 |     other += x",
        "  |     ^^^^^^^^^^ other adds up tensors",
        "  = repair (safe): Keep its value",
    ]
    assert second.replace(name, "a.py").startswith("a.py:7:5: error: LL402 accumulated\n")
    assert closing.startswith("Found 3 errors in 1 file (1 file checked). 3 can be repaired with --fix.")
    assert "other adds up tensors: they stay" in render("concise", LintResult(tuple(found), (), 1)), "other formats have an entry for each"
