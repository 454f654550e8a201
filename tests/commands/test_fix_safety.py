"""What `--fix` writes, and what it leaves alone: bytes that it did not mean to change, files elsewhere, what others hold on to."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from command_line import looplint_text as looplint
from looplint.sources.reading import decode, with_text
from programs import BROKEN, CLEAN


@pytest.mark.parametrize("encoding", ["unicode_escape", "utf-7", "utf-16", "idna", "punycode"])
def test_a_file_whose_encoding_gives_other_bytes_back_is_left(encoding: str, tmp_path: Path) -> None:
    raw = f"# coding: {encoding}\ns = 'a\\tb\\x41+AGE-'\n{BROKEN}".encode()
    (tmp_path / "train.py").write_bytes(raw)
    for option in ("--fix", "--add-noqa"):
        looplint("train.py", option, cwd=tmp_path)
        assert (tmp_path / "train.py").read_bytes() == raw


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "shift_jis", "utf-8", "gb18030"])
def test_an_encoding_that_gives_the_same_bytes_back_is_kept(encoding: str, tmp_path: Path) -> None:
    raw = f"# coding: {encoding}\ns = 'x'\n{BROKEN}".encode(encoding)
    (tmp_path / "train.py").write_bytes(raw)
    looplint("train.py", "--fix", cwd=tmp_path)
    assert (tmp_path / "train.py").read_bytes() == f"# coding: {encoding}\ns = 'x'\n{CLEAN}".encode(encoding)


def test_text_that_an_encoding_cannot_hold_is_refused() -> None:
    source = decode(b"# coding: ascii\nx = 1\n", None, "a.py")
    with pytest.raises(ValueError, match="ascii"):
        with_text(source, source.text + "é")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A working copy, and beside it a file of somebody else."""
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "train.py").write_text(BROKEN)
    return tmp_path / "project"


@pytest.mark.parametrize("link", ["train.py", "sub"])
@pytest.mark.parametrize("paths", [(".",), ("{link}",), ("{absolute}",)], ids=["found", "named", "absolute"])
def test_no_link_is_followed_out_of_the_project(link: str, paths: tuple[str, ...], project: Path) -> None:
    (project / link).symlink_to(project.parent / "other" / ("train.py" if link == "train.py" else ""))
    given = [path.format(link=link, absolute=project / link) for path in paths]
    done = looplint(*given, "--fix", cwd=project)
    assert done.returncode == 2 and "is reached through a link out of the project" in done.stderr
    assert (project.parent / "other" / "train.py").read_text() == BROKEN


def test_links_within_the_project_are_followed(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "train.py").write_text(BROKEN)
    (project / "link.py").symlink_to("src/train.py")
    assert looplint("link.py", "--fix", cwd=project).returncode == 0
    assert (project / "src" / "train.py").read_text() == CLEAN and (project / "link.py").is_symlink()


def test_a_folder_that_the_user_names_through_a_link_is_the_users(project: Path) -> None:
    (project.parent / "link").symlink_to(project.parent / "other")
    assert looplint(str(project.parent / "link" / "train.py"), "--fix", cwd=project).returncode == 0
    assert (project.parent / "other" / "train.py").read_text() == CLEAN


def test_hard_links_stay_together(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    os.link(tmp_path / "train.py", tmp_path / "other.txt")
    done = looplint("train.py", "--fix", cwd=tmp_path)
    assert done.returncode == 2 and "has other hard links" in done.stderr
    assert os.path.samefile(tmp_path / "train.py", tmp_path / "other.txt") and (tmp_path / "train.py").read_text() == BROKEN


def test_what_killed_processes_left_is_removed_by_name_and_age(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    names = {".train.py.looplint-old": True, ".train.py.looplint-new": False, ".train.py.swp": False, "looplint-old": False}
    for name in names:
        (tmp_path / name).write_text("")
        if not name.endswith("new"):
            os.utime(tmp_path / name, (time.time() - 7200,) * 2)
    looplint("train.py", "--fix", "--no-cache", cwd=tmp_path)
    left = {path.name for path in tmp_path.iterdir()} - {"train.py"}
    assert left == {name for name, removed in names.items() if not removed}


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs files of two owners")
def test_the_owner_stays(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    os.chown(tmp_path / "train.py", 1234, 4321)
    looplint("train.py", "--fix", cwd=tmp_path)
    status = (tmp_path / "train.py").stat()
    assert (status.st_uid, status.st_gid) == (1234, 4321) and (tmp_path / "train.py").read_text() == CLEAN
