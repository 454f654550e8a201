"""What the sources of a survey mean: folders, commits of bare git repositories, manifests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import git
from looplint.errors import UserError
from looplint.survey import trees
from looplint.survey.repositories import Repository, read
from surveys import bare, several, write


def test_a_folder_and_a_commit(tmp_path: Path) -> None:
    folder = several(tmp_path / "one")
    place = bare(tmp_path / "two.git", several(tmp_path / "work"))
    assert read([str(folder), f"{place}@main", str(folder)]) == [Repository("one", str(folder)), Repository("two", str(place), "main")]
    assert read([str(place)]) == [Repository("two", str(place), "HEAD")]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_manifest(kind: str, tmp_path: Path) -> None:
    several(tmp_path / "one")
    bare(tmp_path / "two.git", several(tmp_path / "work"))
    rows = [{"name": "a/one", "place": "one", "kind": "tutorial", "year": "2020"}, {"name": "", "place": "two.git", "kind": "", "year": ""}]
    text = json.dumps(rows) if kind == "json" else "\n".join(["name,place,kind,year", *(",".join(row.values()) for row in rows)])
    (tmp_path / f"all.{kind}").write_text(text)
    one = Repository("a/one", str(tmp_path / "one"), "", "tutorial", 2020)
    assert read([str(tmp_path / f"all.{kind}")]) == [one, Repository("two", str(tmp_path / "two.git"), "HEAD")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "is no list of repositories"),
        ('[{"name": "one"}]', "repository 1: has no place"),
        ('[{"place": "one", "url": "x"}]', "repository 1: url is unknown"),
        ('[{"place": "one", "year": "20"}]', "year is 20, not four digits"),
        ('[{"place": "one", "name": "a"}, {"place": "two", "name": "a"}]', "two repositories are named a"),
        ("[", "cannot be read"),
    ],
)
def test_a_wrong_manifest_is_said(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text(text)
    with pytest.raises(UserError, match=said):
        read([str(tmp_path / "all.json")])


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        read([str(tmp_path / "none")])
    with pytest.raises(UserError, match="is no bare git repository"):
        read([f"{write(tmp_path / 'plain', {'a.py': ''})}@main"])


def test_the_files_of_a_commit_are_those_of_its_folder(tmp_path: Path) -> None:
    work = write(several(tmp_path / "work"), {"data/large.bin": "x"})
    (work / "link.py").symlink_to("steps.py")
    (work / "away.py").symlink_to("../../away.py")
    (work / ".gitattributes").write_text("*.bin export-ignore\nsteps.py filter=nothing\n")
    place = bare(tmp_path / "two.git", work)
    with trees.opened(place, "HEAD") as tree:
        names = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if not path.is_dir()}
        assert names == {p.relative_to(work).as_posix() for p in work.rglob("*") if not p.is_dir() and ".git" not in p.parts} - {"away.py"}
        assert all((tree / name).read_bytes() == (work / name).read_bytes() for name in names)
        assert (tree / "link.py").is_symlink()
    assert not tree.exists()
    assert trees.year(place, "HEAD") > 2020


def test_the_identity_of_a_repository_changes_with_what_is_linted(tmp_path: Path) -> None:
    work = several(tmp_path / "work")
    first = trees.identity(work, "")
    write(work, {"results.csv": "1"})
    assert trees.identity(work, "") == first
    write(work, {"new.py": ""})
    assert trees.identity(work, "") != first
    place = bare(tmp_path / "two.git", work)
    commit = trees.identity(place, "HEAD")
    assert commit == trees.identity(place, "main") and len(commit) == len("commit:") + 40
    with pytest.raises(UserError):
        trees.identity(place, "no-such-branch")
    with pytest.raises(UserError):
        trees.identity(place, "--help")
    git(work, "commit", "--quiet", "--allow-empty", "--message", "more")
    git(work, "push", "--quiet", str(place), "main")
    assert trees.identity(place, "HEAD") != commit
