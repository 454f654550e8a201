"""`looplint test-rule`: what a page says of its examples is checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from command_line import looplint_text
from looplint.linting.catalogue import folder


def test_the_page_of_a_new_rule_holds(tmp_path: Path) -> None:
    looplint_text("new-rule", "unclipped-step", "--code", "ACME101", cwd=tmp_path)
    done = looplint_text("test-rule", "rules/unclipped_step.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "rules/unclipped_step.py: ACME101 unclipped-step: its examples are as its page says\n")
    assert looplint_text("test-rule", "rules", cwd=tmp_path).returncode == 0


def test_what_does_not_hold_is_said_with_its_line(tmp_path: Path) -> None:
    looplint_text("new-rule", "unclipped-step", "--code", "ACME101", cwd=tmp_path)
    path = tmp_path / "rules" / "unclipped_step.py"
    text = path.read_text()
    path.write_text(text.replace("## Bad", "## Hold").replace("## Good", "## Bad").replace("## Hold", "## Good"))
    done = looplint_text("test-rule", "rules", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout.splitlines() == [
        "rules/unclipped_step.py: ACME101 unclipped-step: the example under Bad is not reported",
        "rules/unclipped_step.py: ACME101 unclipped-step: the example under Good is reported, in its line 12: "
        "opt steps with gradients that nothing has clipped: one large batch may undo many; clip before it",
    ]
    path.write_text(text.replace("## Good", "## Fine"))
    assert "its page has no heading ## Good" in looplint_text("test-rule", "rules", cwd=tmp_path).stdout
    path.write_text(text.replace('visit.always("filled")', 'visit.always("full")'))
    done = looplint_text("test-rule", "rules", cwd=tmp_path)
    assert done.returncode == 1 and "failed at rules/unclipped_step.py:" in done.stdout and "has no state 'full'" in done.stdout


def test_a_rule_of_the_project_holds(tmp_path: Path) -> None:
    assert looplint_text("test-rule", str(folder() / "missing_zero_grad.py"), cwd=tmp_path).returncode == 0


def test_a_rule_is_run_as_its_text_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python takes bytecode for that of a text of the same second and size: of a rule that was just edited, it is another's."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    looplint_text("new-rule", "unclipped-step", "--code", "ACME101", cwd=tmp_path)
    path = tmp_path / "rules" / "unclipped_step.py"
    before, text = path.stat(), path.read_text()
    assert looplint_text("test-rule", "rules", cwd=tmp_path).returncode == 0
    path.write_text(text.replace("ACME101", "ACME102"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert "ACME102 unclipped-step: " in looplint_text("test-rule", "rules", cwd=tmp_path).stdout
    assert [found.name for found in path.parent.iterdir()] == [path.name], "and nothing is left beside a user's rule"


def test_a_file_with_a_null_byte_is_no_rule(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes(b'"""Odd."""\nCODE = "ACME1"\nNAME = "\0"\n')
    done = looplint_text("test-rule", "odd.py", cwd=tmp_path)
    assert done.returncode == 2 and "odd.py: is not a rule (source code string cannot contain null bytes)" in done.stderr
