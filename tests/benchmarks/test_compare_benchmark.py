"""Two versions that say the same differ in nothing, and what one says otherwise is printed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare.__main__ import ROOT, main
from benchmarks.compare.differences import differences, report
from benchmarks.compare.programs import repositories, scripts

pytestmark = pytest.mark.slow

CASES = ("missing_zero_grad/accumulation_never_cleared", "missing_zero_grad/engine_module")
SAID = "gradients add up over all batches"


def finding(**changes: Any) -> dict[str, Any]:
    fix = {"message": "Clear them", "applicability": "safe", "edits": [{"content": "a.zero_grad()"}]}
    place = {"filename": "train.py", "location": {"row": 3, "column": 1}, "cell": None}
    return {"code": "LL102", "message": "they add up", **place, "certainty": "every-path", "related": [], "fix": fix, **changes}


def answer(*findings: dict[str, Any], error: str = "", **texts: str) -> dict[str, Any]:
    return {"findings": list(findings), "problems": [], "error": error, "texts": texts}


def compared(old: dict[str, Any], new: dict[str, Any]) -> str:
    return report(list(differences("train.py", old, new)), {})


def test_a_checkout_is_like_itself_and_a_changed_message_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--mutants", "0", "--old-cache", str(tmp_path / "cache"), *(o for case in CASES for o in ("--only", case))]
    assert main([str(ROOT), str(ROOT), *options]) == 0
    assert "no difference" in capsys.readouterr().out
    changed = tmp_path / "changed"
    for name in ("looplint", "rules"):
        shutil.copytree(ROOT / name, changed / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in changed.rglob("*.py"):
        if SAID in (text := file.read_text(encoding="utf-8")):
            file.write_text(text.replace(SAID, "gradients pile up"), encoding="utf-8")
    assert main([str(ROOT), str(changed), *options]) == 1
    shown = capsys.readouterr().out
    assert f"- {SAID}" in shown and "+ gradients pile up" in shown
    assert "    fixtures/missing_zero_grad/accumulation_never_cleared.py:22:9 LL102" in shown
    assert "changed message:" in shown and "only in" not in shown


def test_each_field_that_changed_is_named() -> None:
    fix = {"message": "Clear them", "applicability": "unsafe", "edits": [{"content": "b.zero_grad()"}]}
    text = compared(answer(finding()), answer(finding(fix=fix, certainty="some-path")))
    assert "== changed certainty\n- every-path\n+ some-path\n    train.py:3:1 LL102" in text
    assert text.endswith("changed certainty: 1\nchanged fix.applicability: 1\nchanged fix.edits: 1")
    assert "changed fix: 1" in compared(answer(finding()), answer(finding(fix=None)))


def test_what_only_one_says_is_told_from_what_moved() -> None:
    moved = finding(location={"row": 5, "column": 1})
    other = finding(code="LL101", message="too late")
    text = compared(answer(finding()), answer(moved, other))
    assert text.endswith("changed location: 1\nonly in NEW: 1") and "LL101 too late\n    train.py:3:1" in text
    assert compared(answer(finding(), finding()), answer(finding())).endswith("only in OLD: 1")


def test_order_errors_and_outputs_are_compared() -> None:
    one, two = finding(), finding(code="LL101")
    assert compared(answer(one, two), answer(two, one)).endswith("changed order: 1")
    turned = [{"message": "made here"}, {"message": "used here"}]
    assert compared(answer(finding(related=turned)), answer(finding(related=turned[::-1]))).endswith("changed order of related: 1")
    assert "- no error\n+ KeyError: 1" in compared(answer(), answer(error="KeyError: 1"))
    assert "-0 entry\n+0 exit" in compared(answer(debug="0 entry"), answer(debug="0 exit"))


def test_a_folder_with_a_main_is_one_program_and_repositories_have_three_layouts(tmp_path: Path) -> None:
    for name in ("one/main.py", "one/engine.py", "two.py", "a+b/train.py", "c__d/train.py", "e/f/train.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [p.name for p in scripts(tmp_path, tmp_path)][-2:] == ["one", "two.py"]
    assert [p.name for p in repositories(tmp_path)] == ["a+b", "c__d", "e/f"]


def test_what_is_no_version_is_refused(tmp_path: Path) -> None:
    for name in (str(tmp_path), "no-such-revision"):
        with pytest.raises(SystemExit) as end:
            main([name, str(ROOT)])
        assert end.value.code == 2
