"""Two versions that say the same differ in nothing, and what one says otherwise is printed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare.__main__ import ROOT, main
from benchmarks.compare.differences import Difference, differences, report
from benchmarks.compare.history import Between, Commit, changes, commits, extract, followed, table
from benchmarks.compare.programs import Program, repositories, scripts

pytestmark = pytest.mark.slow

CASES = ("missing_zero_grad/accumulation_never_cleared", "missing_zero_grad/engine_module")
SAID = "nothing clears"


def finding(**changes: Any) -> dict[str, Any]:
    fix = {"message": "Clear them", "applicability": "safe", "edits": [{"content": "a.zero_grad()"}]}
    place = {"filename": "train.py", "location": {"row": 3, "column": 1}, "cell": None}
    return {"code": "LL102", "message": "they add up", **place, "certainty": "every-path", "related": [], "fix": fix, **changes}


def answer(*findings: dict[str, Any], error: str = "", **texts: str) -> dict[str, Any]:
    return {"findings": list(findings), "problems": [], "error": error, "texts": texts}


def compared(old: dict[str, Any], new: dict[str, Any]) -> str:
    return report(list(differences("train.py", old, new)), {})


def test_a_checkout_is_like_itself_and_a_changed_message_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--mutants", "0", "--cache", str(tmp_path / "cache"), *(o for case in CASES for o in ("--only", case))]
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


def test_commits_that_changed_answers_are_found_by_bisection() -> None:
    history = [Commit(f"{number:07}", f"change {number}") for number in range(100)]
    # What each program's message is before the first commit of a pair, and from it on.
    told = {"one.py": {0: "a", 17: "b", 60: "c"}, "two.py": {0: "a", 60: "c"}, "same.py": {0: "a", 40: "b", 45: "a"}}
    asked: list[int] = []

    def said(name: str, number: int) -> dict[str, Any]:
        return answer(finding(filename=name, message=next(text for since, text in reversed(told[name].items()) if since <= number)))

    def ask(commit: Commit, programs: Any) -> list[dict[str, Any]]:
        asked.append(int(commit.revision))
        return [said(program.name, asked[-1]) for program in programs]

    def differ(between: Between) -> list[Difference]:
        return list(differences(between.program.name, between.old, between.new))

    pending = [Between(Program(name, Path("."), name), said(name, 0), said(name, 99)) for name in told]
    found = list(changes(pending, history, ask, differ))
    assert [(int(change.commit.revision), list(change.programs)) for change in found] == [(17, ["one.py"]), (60, ["one.py", "two.py"])]
    assert len(asked) == len(set(asked)) < 15
    shown = table(found)
    assert "0000060 change 60\n    2 programs\n    2 changed message LL102, as at one.py:3:1 LL102:\n        - b\n        + c" in shown


def test_of_each_kind_of_difference_so_many_programs_are_followed() -> None:
    message, place = (Difference(f"changed {field}", "train.py:3:1", "", "LL102") for field in ("message", "location"))
    found = {"a": [message], "b": [message], "c": [message, place], "d": [message], "e": [message]}
    assert followed(found, 1) == ["c"] and followed(found, 3) == ["c", "a", "b"]


def test_the_commits_between_two_checkouts_are_those_that_change_code(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path / "new", check=True)

    (tmp_path / "new" / "looplint").mkdir(parents=True)
    git("init", "--quiet")
    for number, name in enumerate(("looplint/a.py", "README.md", "looplint/b.py")):
        (tmp_path / "new" / name).write_text(str(number), encoding="utf-8")
        git("add", ".")
        git("commit", "--quiet", "--message", f"writes {name}")
        if not number:
            git("worktree", "add", "--quiet", "--detach", "../old")
    old, new = tmp_path / "old", tmp_path / "new"
    history = commits(old, new)
    assert [commit.subject for commit in history] == ["", "writes looplint/b.py"]
    assert (extract(history[1], tmp_path / "code", new) / "looplint" / "b.py").read_text(encoding="utf-8") == "2"
    with pytest.raises(ValueError, match="no ancestor"):
        commits(new, old)
    (old / "looplint" / "a.py").write_text("changed", encoding="utf-8")
    with pytest.raises(ValueError, match="not committed"):
        commits(old, new)


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
