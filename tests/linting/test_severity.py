"""How much a finding matters: what decides it, what is shown in full, and what makes a run fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import looplint as api
from command_line import looplint
from looplint.errors import UserError
from looplint.finding import Finding, Location, Severity
from looplint.linting.catalogue import load
from looplint.linting.files import LintResult
from looplint.report import render
from programs import CLEAN

# An error at each step, a warning at each backward, and advice at each clear: the last is what the rule says by itself.
RULE = '''"""What happens in a loop."""

from looplint.rule import Backward, Clear, Program, Report, Reports, Step

CODE = "ACME1"
SEVERITY = "advice"


def check(program: Program) -> Reports:
    for event in program.of(Step):
        yield Report(event, "a step", severity="error")
    for event in program.of(Backward):
        yield Report(event, "a backward", severity="warning")
    for event in program.of(Clear):
        yield Report(event, "a clear")
'''


pytestmark = pytest.mark.usefixtures("own_rules_allowed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/acme_events.py").write_text(RULE)
    (tmp_path / "train.py").write_text(CLEAN)
    configure(tmp_path)
    return tmp_path


def configure(folder: Path, *lines: str) -> None:
    (folder / "looplint.toml").write_text("\n".join(['rules = ["rules"]', *lines]) + "\n")


def severities(folder: Path, min_severity: Severity | None = None) -> dict[str, str]:
    return {f.message: f.severity for f in api.lint(folder / "train.py", min_severity=min_severity)}


ALL = {"a step": "error", "a backward": "warning", "a clear": "advice"}


def test_a_report_has_its_own_severity_or_that_of_its_rule(folder: Path) -> None:
    assert severities(folder) == ALL


@pytest.mark.parametrize(
    ("word", "found"),
    [("ACME1", "warning"), ("acme-events", "warning"), ("ACME", "warning"), ("LL", None)],
)
def test_the_settings_give_a_rule_a_severity(folder: Path, word: str, found: str | None) -> None:
    configure(folder, "[severity]", f'{word} = "warning"')
    assert severities(folder) == (dict.fromkeys(ALL, found) if found else ALL)


def test_the_longest_word_decides(folder: Path) -> None:
    configure(folder, "[severity]", 'ACME1 = "advice"', 'A = "error"', 'ALL = "warning"')
    assert set(severities(folder).values()) == {"advice"}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('ACME1 = "high"', '`severity.ACME1` has to be one of error, warning, advice, not the string "high"'),
        ('ACME1 = "warnings"', "did you mean `warning`?"),
        ('LL999 = "error"', "`severity`: no rule has the code, prefix or name 'LL999'"),
    ],
)
def test_a_severity_that_means_nothing_is_a_mistake(folder: Path, table: str, said: str) -> None:
    configure(folder, "[severity]", table)
    with pytest.raises(UserError) as error:
        severities(folder)
    assert "looplint.toml:" in str(error.value) and said in str(error.value)


@pytest.mark.parametrize(("least", "count"), [("error", 1), ("warning", 2), ("advice", 3)])
def test_the_least_severity_that_is_reported(folder: Path, least: Severity, count: int) -> None:
    assert set(severities(folder, least)) == set(list(ALL)[:count])
    configure(folder, f'min-severity = "{least}"')
    assert set(severities(folder)) == set(list(ALL)[:count])


@pytest.mark.parametrize(
    ("replaced", "by", "said"),
    [('SEVERITY = "advice"', 'SEVERITY = "note"', "SEVERITY is one of"), ('severity="error"', 'severity="fatal"', "ACME1")],
)
def test_a_rule_with_no_such_severity_is_named(folder: Path, replaced: str, by: str, said: str) -> None:
    (folder / "rules/acme_events.py").write_text(RULE.replace(replaced, by))
    with pytest.raises(UserError) as error:
        severities(folder)
    assert said in str(error.value) and "error, warning, advice" in str(error.value)


@pytest.mark.parametrize(
    ("only", "arguments", "code"),
    [
        ("a step", (), 1),
        ("a backward", (), 1),
        ("a backward", ("--exit-on", "error"), 0),
        ("a clear", (), 0),
        ("a clear", ("--exit-on", "advice"), 1),
        ("a clear", ("--exit-on", "advice", "--exit-zero"), 0),
        ("a clear", ("--exit-on", "advice", "--min-severity", "warning"), 0),
        ("a clear", ("--select", "ACME1"), 1),
        ("a clear", ("--extend-select", "acme-events"), 1),
        ("a clear", ("--select", "acme_events"), 1),
        ("a clear", ("--select", "ACME"), 0),
        ("a clear", ("--select", "ALL"), 0),
    ],
)
@pytest.mark.slow
def test_what_makes_a_run_fail(folder: Path, only: str, arguments: tuple[str, ...], code: int) -> None:
    lines = [line if f'"{only}"' in line else line.replace("yield", "pass  #") for line in RULE.splitlines()]
    (folder / "rules/acme_events.py").write_text("\n".join(lines))
    done = looplint("train.py", *arguments, cwd=folder)
    assert done.returncode == code, done.stdout.decode() + done.stderr.decode()


@pytest.mark.slow
def test_selected_by_name_in_the_settings(folder: Path) -> None:
    configure(folder, 'extend-select = ["ACME1"]')
    (folder / "train.py").write_text(CLEAN)
    found = json.loads(looplint("train.py", "--output-format", "json", cwd=folder).stdout)
    assert [f["severity"] for f in found] == ["advice", "warning", "error"]
    text = looplint("train.py", cwd=folder).stdout.decode()
    assert "train.py:7:5: advice: ACME1 acme-events\n" in text, "what makes the run fail is shown in full"
    assert "Found 1 error, 1 warning and 1 piece of advice in 1 file" in text


@pytest.mark.slow
def test_a_baseline_and_comments_know_no_severity(folder: Path) -> None:
    assert looplint("train.py", "--write-baseline", "known.json", "--min-severity", "error", cwd=folder).returncode == 0
    assert len(json.loads((folder / "known.json").read_text())["findings"]) == 3
    configure(folder, "[severity]", 'ACME1 = "error"')
    said = looplint("train.py", "--baseline", "known.json", "--min-severity", "error", cwd=folder)
    assert said.returncode == 0 and "3 known problems of known.json are not shown." in said.stdout.decode()


@pytest.mark.slow
def test_only_what_is_reported_is_silenced_and_repaired(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        CLEAN.replace("    loss.backward()", "    loss.backward()\n    history.append(loss)").replace("for x", "history = []\nfor x")
    )
    assert "Silenced 0 problems" in looplint("train.py", "--add-noqa", "--min-severity", "error", cwd=tmp_path).stdout.decode()
    assert looplint("train.py", "--diff", "--min-severity", "error", cwd=tmp_path).stdout == b""
    assert b"loss.item()" in looplint("train.py", "--diff", cwd=tmp_path).stdout


def finding(row: int, severity: Severity, code: str = "LL504", filename: str = "a.py") -> Finding:
    return Finding(code, "called-by-name", f"net{row}.forward() is called", filename, Location(row, 1), Location(row, 4), severity=severity)


def test_advice_is_a_line_for_each_rule_after_the_rest() -> None:
    findings = [finding(row, "advice") for row in range(1, 6)]
    text = render("text", LintResult((*findings, finding(9, "advice", "LL902"), finding(1, "warning", "LL303", "b.py")), (), 2))
    block, _, rest = text.partition("\n\n")
    assert block.startswith("b.py:1:1: warning: LL303 called-by-name\n")
    assert rest.splitlines() == [
        "advice: LL504 called-by-name: 5 places (a.py:1:1, a.py:2:1, a.py:3:1, ...): net1.forward() is called",
        "advice: LL902 called-by-name: a.py:9:1: net9.forward() is called",
        "",
        "Found 1 warning in 1 file (2 files checked).",
        "Advice fails no run: `--exit-on advice` shows each place, `--min-severity warning` leaves it out.",
    ]


def test_advice_alone_is_no_problem() -> None:
    text = render("text", LintResult((finding(1, "advice"),), (), 1))
    assert "No problems found (1 file checked).\nAdvice fails no run" in text
    assert "a.py:1:1: advice: LL504 called-by-name\n" in render("text", LintResult((finding(1, "advice"),), (), 1, exit_on="advice"))


def test_every_format_has_a_level() -> None:
    result = LintResult((finding(1, "advice"), finding(2, "warning"), finding(3, "error")), (), 1)
    assert [line.split()[1] for line in render("concise", result).splitlines()] == ["warning:", "error:", "advice:"]
    assert [f["severity"] for f in json.loads(render("json", result))] == ["advice", "warning", "error"]
    assert [r["level"] for r in json.loads(render("sarif", result))["runs"][0]["results"]] == ["note", "warning", "error"]
    assert [line.split()[0] for line in render("github", result).splitlines()] == ["::notice", "::warning", "::error"]
    assert [e["severity"] for e in json.loads(render("gitlab", result))] == ["info", "minor", "major"]
    junit = render("junit", result)
    assert junit.count("<skipped ") == 1 and junit.count("<failure ") == 2
    assert all(f": {severity}: net" in junit for severity in ("advice", "warning", "error"))


def test_a_fingerprint_is_the_same_whatever_it_matters() -> None:
    def fingerprints(severity: Severity) -> list[str]:
        return [e["fingerprint"] for e in json.loads(render("gitlab", LintResult((finding(1, severity),), (), 1)))]

    assert fingerprints("advice") == fingerprints("error")


def test_rules_that_report_what_happens_to_a_run_say_so() -> None:
    """The rules that are not errors by themselves, so that a change of one is seen."""
    others = {rule.code: rule.severity for rule in load() if rule.severity != "error" and not rule.code.startswith("LP")}
    assert others == {
        "LL001": "advice",
        "LL110": "warning",
        "LL111": "warning",
        "LL207": "warning",
        "LL303": "warning",
        "LL401": "warning",
        "LL402": "warning",
        "LL403": "warning",
        "LL501": "advice",
        "LL504": "advice",
        "LL802": "warning",
        "LL803": "warning",
        "LL805": "warning",
        "LL902": "advice",
        "LL903": "warning",
        "LL904": "warning",
        "LL905": "warning",
        "LL906": "advice",
        "LL907": "warning",
    }


@pytest.mark.parametrize(
    ("name", "head", "backward", "step"),
    [
        ("test_training.py", "import pytest\n", "advice", "advice"),
        ("training_test.py", "from unittest import TestCase\n", "advice", "advice"),
        ("test_training.py", "class TestIt(Case):\n    def test_it(self):\n        pass\n", "advice", "advice"),
        ("test_model.py", "def test_epoch(model, loader):\n    pass\n", "warning", "error"),
        ("training.py", "import pytest\n", "warning", "error"),
    ],
)
def test_what_is_found_in_a_unit_test_is_advice(folder: Path, name: str, head: str, backward: str, step: str) -> None:
    (folder / name).write_text(head + CLEAN)
    found = {f.message: f.severity for f in api.lint(folder / name)}
    assert (found["a backward"], found["a step"]) == (backward, step)
