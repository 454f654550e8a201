"""Comments that silence: what they reach, how they are added, and when they are no longer needed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from looplint.finding import Finding, Location
from looplint.linting.catalogue import folder
from looplint.linting.edits import apply_edits
from looplint.linting.noqa import NotSilenced, add_noqa
from looplint.linting.suppression import Suppressions, comment_row
from looplint.linting.unused import unused

KNOWN = [("LL001", "unused-suppression"), ("LL102", "missing-zero-grad"), ("LL103", "clip-before-backward"), ("LL104", "clip-after-step")]


def finding(row: int, code: str = "LL102", end: int = 0) -> Finding:
    return Finding(code, dict(KNOWN)[code], "…", "train.py", Location(row, 1), Location(end or row, 2))


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("step()  # noqa: LL102\n", 1),
        ("step()  # type: ignore  # noqa: LL102\n", 1),
        ("step()  # noqa: E501,LL102 because\n", 1),
        ("step()  # looplint: ignore[clip-after-step, missing-zero-grad]\n", 1),
        ("step()  # looplint: ignore[LL104]  # noqa: LL102\n", 1),
        ("a = 1 + \\\n    2 + \\\n    3  # noqa: LL102\n", 1),
        ('step("""a\nb\n""")  # noqa: LL102\n', 1),
        ('step("""a\nb\n""", \\\n1)  # noqa: LL102\n', 2),
        ("# looplint: ignore-file[LL1]\nstep()\n", 2),
        ("# looplint: noqa\nstep()\n", 2),
    ],
)
def test_a_comment_reaches(text: str, row: int) -> None:
    assert Suppressions.parse(text).silences(finding(row))


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("step()  # noqa: LL103\n", 1),
        ("step()  # looplint: ignore[]\n", 1),
        ("x = '# noqa'\n", 1),
        ('x = """\n# noqa: LL102\n"""\n', 2),
        ("step(\n    1,  # noqa: LL102\n)\n", 1),
        ("step()\nother()  # noqa: LL102\n", 1),
    ],
)
def test_a_comment_does_not_reach(text: str, row: int) -> None:
    assert not Suppressions.parse(text).silences(finding(row))


ADDED = {
    "plain": ("step()\n", "step()  # looplint: ignore[LL102]\n"),
    "no newline at the end": ("step()", "step()  # looplint: ignore[LL102]"),
    "windows line ends": ("step()\r\nx\r\n", "step()  # looplint: ignore[LL102]\r\nx\r\n"),
    "another comment": ("step()  # why\n", "step()  # why  # looplint: ignore[LL102]\n"),
    "codes of others": ("step()  # noqa: E501, B007 # why\n", "step()  # noqa: E501, B007 # why  # looplint: ignore[LL102]\n"),
    "own codes among them": ("step()  # noqa: E501, LL104 # why\n", "step()  # noqa: E501, LL104, LL102 # why\n"),
    "a list without spaces": ("step()  #noqa:E501\n", "step()  #noqa:E501  # looplint: ignore[LL102]\n"),
    "looplint's own comment": ("step()  # looplint: ignore[LL104]\n", "step()  # looplint: ignore[LL104, LL102]\n"),
    "silenced already": ("step()  # noqa\n", "step()  # noqa\n"),
    "a backslash": ("x = step() \\\n    + 1\n", "x = step() \\\n    + 1  # looplint: ignore[LL102]\n"),
    "two backslashes": ("x = step() \\\n + 1 \\\n + 2\ny\n", "x = step() \\\n + 1 \\\n + 2  # looplint: ignore[LL102]\ny\n"),
    "a string of several lines": ('step("""\n# a\n""")\n', 'step("""\n# a\n""")  # looplint: ignore[LL102]\n'),
    "an f-string of several lines": ('print(f"""\n{step()}\n""")\n', 'print(f"""\n{step()}\n""")  # looplint: ignore[LL102]\n'),
    "a call of several lines": ("step(\n    1,\n)\n", "step(  # looplint: ignore[LL102]\n    1,\n)\n"),
    "a hash in a string": ("step('# noqa: E501')\n", "step('# noqa: E501')  # looplint: ignore[LL102]\n"),
    "another alphabet": ("schritt('äöü')  # noqa: E501\n", "schritt('äöü')  # noqa: E501  # looplint: ignore[LL102]\n"),
}


@pytest.mark.parametrize("name", ADDED)
def test_a_comment_is_added(name: str) -> None:
    before, after = ADDED[name]
    row = 2 if "f-string" in name else 1
    assert add_noqa(before, [finding(row)]) == after
    assert add_noqa(after, [finding(row)]) == after


def test_several_findings_of_a_line_share_a_comment() -> None:
    findings = [finding(1, "LL104"), finding(1, "LL102"), finding(1, "LL104"), finding(2, "LL103")]
    assert add_noqa("a\nb\n", findings) == "a  # looplint: ignore[LL102, LL104]\nb  # looplint: ignore[LL103]\n"


def test_what_cannot_be_tokenized_is_left_alone() -> None:
    with pytest.raises(NotSilenced, match="cannot be tokenized"):
        add_noqa("step(\n", [finding(1)])


FOUND = [finding(1, "LL102")]
# The comment, what is said of it ("" for nothing), and the line after the repair.
UNUSED = {
    "needed": ("step()  # noqa: LL102\n", "", ""),
    "needed by a prefix": ("step()  # noqa: LL1\n", "", ""),
    "not needed": ("step()  # noqa: LL103\n", "LL103 is silenced here, and would not be reported", "step()\n"),
    "half of it needed": ("step()  # noqa: LL103, LL102\n", "LL103 is silenced", "step()  # noqa: LL102\n"),
    "other linters'": ("step()  # noqa: E501, LL103,F401\n", "LL103 is silenced", "step()  # noqa: E501, F401\n"),
    "only other linters'": ("step()  # noqa: E501\n", "", ""),
    "bare": ("other()\nstep()  # noqa\nstep()  # looplint: ignore\n", "", ""),
    "no such code": ("step()  # noqa: LL999\n", "LL999 is silenced here, and no rule has that code or name", "step()\n"),
    "no such name": ("step()  # looplint: ignore[nonsense]\n", "nonsense is silenced here, and no rule has", "step()\n"),
    "two of three names": (
        "step()  # looplint: ignore[clip-after-step, LL102, nonsense]\n",
        "clip-after-step is silenced here, and would not be reported; nonsense is",
        "step()  # looplint: ignore[LL102]\n",
    ),
    "two codes": ("step()  # noqa: LL103,LL104\n", "LL103 and LL104 are silenced here", "step()\n"),
    "a comment before": ("step()  # why  # noqa: LL103\n", "LL103", "step()  # why\n"),
    "a comment after": ("step()  # noqa: LL103  # why\n", "LL103", "step()  # why\n"),
    "an explanation": ("step()  # noqa: LL103 - on purpose\n", "LL103", "step()  # on purpose\n"),
    "a line of its own": ("step()  # noqa\n# noqa: LL103\nx\n", "LL103", "step()  # noqa\nx\n"),
    "a line of its own at the end": ("step()\n# noqa: LL103", "LL103", "step()\n"),
    "a file": ("step()\n# looplint: ignore-file[LL103]\n", "LL103 is silenced in this file", "step()\n"),
    "a file that needs it": ("step()\n# looplint: ignore-file[LL102]\n", "", ""),
    "itself": ("step()  # noqa: LL103, LL001\n", "", ""),
    "itself by name": ("step()  # looplint: ignore[LL103, unused-suppression]\n", "", ""),
    "all of ours": ("other()\nstep()  # noqa: LL\n", "LL is silenced here", "other()\nstep()\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSED)
def test_a_comment_that_silences_nothing_is_reported_and_taken_away(name: str) -> None:
    text, said, repaired = UNUSED[name]
    reports = list(unused("train.py", text, FOUND, KNOWN))
    assert [said in r.message for r in reports] == ([True] if said else [])
    for report in reports:
        assert report.fix is not None and report.code == "LL001"
        after = apply_edits(text, report.fix.edits)
        assert after == repaired
        assert list(unused("train.py", after, FOUND, KNOWN)) == []


@pytest.mark.parametrize("path", sorted(folder().glob("missing_*.py")), ids=lambda p: p.stem)
def test_every_statement_of_a_real_file_can_be_silenced(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    findings = [finding(n.lineno, end=n.end_lineno or 0) for n in ast.walk(tree) if isinstance(n, ast.stmt | ast.Call)]
    after = add_noqa(text, findings)
    assert ast.dump(ast.parse(after)) == ast.dump(tree)
    assert after.count("# looplint: ignore[LL102]") >= 4 and all(Suppressions.parse(after).silences(f) for f in findings)


@pytest.mark.parametrize("name", [n for n in ADDED if "f-string" not in n])
def test_the_row_for_a_comment_is_told(name: str) -> None:
    before, after = ADDED[name]
    row = comment_row(before, 1)
    assert "looplint: ignore" in after or "noqa" in after.split("\n")[row - 1]
    assert comment_row(before, 99) == 99
