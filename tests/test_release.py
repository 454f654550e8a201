"""`python release.py`: what a release changes, and when it is refused."""

from __future__ import annotations

import datetime
import json
import subprocess
from pathlib import Path

import pytest

import release
from command_line import git
from looplint import __version__
from places import ROOT

FILES = ("looplint/__init__.py", "editors/vscode/package.json", "editors/vscode/package-lock.json", "docs/ci.md", "README.md")
DAY = datetime.date(2030, 1, 2)
CHANGES = "# Changes\n\n## Unreleased\n\n### Added\n\n- Something.\n\n## 0.1.0\n\nThe first version.\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the files that name the version."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "n")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "e@example.org")
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(release, "answers", lambda address: True)
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def said(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_release_has_one_version_everywhere_and_a_tag_with_its_changes(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["7.8.9"], checkout, DAY) == 0
    assert capsys.readouterr().out.endswith("\ngit push --atomic origin main v7.8.9\n")
    assert said(checkout, "status", "--porcelain") == ""
    assert said(checkout, "show", "--no-patch", "--format=%s", "HEAD") == "Version 7.8.9\n"
    assert (
        said(checkout, "for-each-ref", "refs/tags/v7.8.9", "--format=%(objecttype) %(contents)")
        == "tag Version 7.8.9\n\n### Added\n\n- Something.\n\n"
    )
    assert (checkout / "CHANGELOG.md").read_text().startswith("# Changes\n\n## Unreleased\n\n## 7.8.9 - 2030-01-02\n\n### Added\n")
    assert '__version__ = "7.8.9"' in (checkout / "looplint/__init__.py").read_text()
    for file in ("package.json", "package-lock.json"):
        assert json.loads((checkout / "editors/vscode" / file).read_text())["version"] == "7.8.9"
    for file in ("README.md", "docs/ci.md"):
        text = (checkout / file).read_text()
        assert "looplint/looplint@v7.8.9" in text and "rev: v7.8.9" in text and f"v{__version__}" not in text


def test_a_dry_run_prints_the_changes_and_makes_none(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["7.8.9", "--dry-run"], checkout, DAY) == 0
    printed = capsys.readouterr().out
    assert '+__version__ = "7.8.9"\n' in printed and "+## 7.8.9 - 2030-01-02\n" in printed
    assert printed.endswith("Would commit this as version 7.8.9, and tag it v7.8.9.\n")
    assert said(checkout, "status", "--porcelain") == "" and said(checkout, "tag") == ""


def test_the_repository_itself_could_be_released() -> None:
    notes, changes = release.planned(ROOT, "99.0.0", DAY)
    assert notes and set(changes) == {*FILES, "CHANGELOG.md"}


@pytest.mark.parametrize(
    ("version", "spoilt", "reason"),
    [
        ("1.0", "", "1.0 is no version"),
        (__version__, "", f"{__version__} is not later than {__version__}"),
        ("0.0.9", "", "0.0.9 is not later"),
        ("7.8.9", "README.md", "README.md does not have the version"),
        ("7.8.9", "CHANGELOG.md", "CHANGELOG.md says nothing under `## Unreleased`"),
        ("7.8.9", "new.txt", "there are changes that are not committed"),
        ("7.8.9", "tag", "the tag v7.8.9 exists"),
    ],
)
def test_what_is_not_ready_is_refused(version: str, spoilt: str, reason: str, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if spoilt == "tag":
        git(checkout, "tag", "v7.8.9")
    elif spoilt:
        (checkout / spoilt).write_text("# Changes\n\n## Unreleased\n\n## 0.1.0\n")
    before = said(checkout, "rev-parse", "HEAD")
    assert release.main([version], checkout, DAY) == 2
    assert f"error: {reason}" in capsys.readouterr().err
    assert said(checkout, "rev-parse", "HEAD") == before


def test_metadata_that_names_what_does_not_exist_is_not_released(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(release, "answers", lambda address: asked.append(address) or "readthedocs" not in address)
    assert release.main(["7.8.9"], checkout, DAY) == 2
    assert "does not answer: Documentation (https://looplint.readthedocs.io/)\n" in capsys.readouterr().err
    assert len(asked) == 5 and said(checkout, "tag") == ""
