"""`--since` and `--diff-only`: findings on changed lines, as git tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import git, looplint
from looplint.errors import UserError
from looplint.sources.changes import changes_since
from programs import BROKEN, CLEAN

pytestmark = pytest.mark.slow


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-b", "main")
    (tmp_path / "old.py").write_text(BROKEN)
    (tmp_path / "clean.py").write_text(CLEAN)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    return tmp_path


def found(folder: Path, *arguments: str) -> list[str]:
    done = looplint(*arguments, "--output-format", "concise", cwd=folder)
    assert done.returncode in (0, 1), done.stderr.decode()
    return [" ".join(line.split()[:3]) for line in done.stdout.decode().splitlines()]


def test_nothing_has_changed(repository: Path) -> None:
    assert found(repository, ".") == ["old.py:8:5: error: LL102"]
    assert found(repository, ".", "--diff-only") == []


def test_a_line_taken_away_concerns_the_block_that_lost_it(repository: Path) -> None:
    (repository / "clean.py").write_text(BROKEN)
    assert found(repository, ".", "--diff-only") == ["clean.py:8:5: error: LL102"]


def test_a_line_taken_away_elsewhere_does_not(repository: Path) -> None:
    (repository / "old.py").write_text(BROKEN.replace("import torch\n", "import os\nimport torch\n") + "def f():\n    a = 1\n    b = 2\n")
    git(repository, "commit", "-am", "more")
    (repository / "old.py").write_text(BROKEN + "def f():\n    b = 2\n")
    assert found(repository, ".", "--diff-only") == []


def test_a_changed_line_and_a_changed_place_that_takes_part(repository: Path) -> None:
    (repository / "old.py").write_text(BROKEN.replace("opt.step()", "opt.step()  # now"))
    assert found(repository, ".", "--diff-only") == ["old.py:8:5: error: LL102"], "the step takes part in the finding"
    (repository / "old.py").write_text("# a comment\n" + BROKEN)
    assert found(repository, ".", "--diff-only") == []


def test_new_files_count_as_a_whole_and_ignored_ones_not(repository: Path) -> None:
    (repository / "new file.py").write_text(BROKEN)
    assert [f.split(":")[0] for f in found(repository, ".", "--diff-only")] == ["new file.py"]
    (repository / ".gitignore").write_text("new*\n")
    assert found(repository, "new file.py", "--diff-only") == []


def test_since_a_branch_what_others_did_there_does_not_count(repository: Path) -> None:
    git(repository, "checkout", "-b", "mine")
    (repository / "mine.py").write_text(BROKEN)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "mine")
    git(repository, "checkout", "main")
    (repository / "old.py").write_text(BROKEN.replace("opt.step()", "opt.step()  # theirs"))
    git(repository, "commit", "-am", "theirs")
    git(repository, "checkout", "mine")
    assert found(repository, ".", "--since", "main") == ["mine.py:8:5: error: LL102"]
    assert found(repository, ".", "--diff-only") == []


def test_below_the_top_of_the_repository_and_odd_names(repository: Path) -> None:
    deep = repository / "deep"
    deep.mkdir()
    name = 'ü "quoted".py'
    (deep / name).write_text(CLEAN)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "deep")
    (deep / name).write_text(BROKEN)
    assert len(found(deep, ".", "--diff-only")) == 1


def test_problems_of_unchanged_files_are_not_told(repository: Path) -> None:
    (repository / "syntax.py").write_text("for x in y:\n    loss.backward(\n")
    assert looplint(".", "--diff-only", cwd=repository).returncode == 2
    git(repository, "add", ".")
    git(repository, "commit", "-m", "syntax")
    assert looplint(".", "--diff-only", cwd=repository).returncode == 0
    assert looplint("missing.py", "--diff-only", cwd=repository).returncode == 2


def test_mistakes(repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    done = looplint(".", "--since", "nowhere", cwd=repository)
    assert done.returncode == 2 and b"git knows no revision 'nowhere' here" in done.stderr
    assert looplint(".", "--since", "--output=x", cwd=repository).returncode == 2 and not (repository / "x").exists()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = looplint(".", "--diff-only", cwd=elsewhere)
    assert done.returncode == 2 and b"not a git repository" in done.stderr
    assert looplint(".", "--diff-only", "--fix", cwd=repository).returncode == 2
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="cannot be run"):
        changes_since("HEAD")
