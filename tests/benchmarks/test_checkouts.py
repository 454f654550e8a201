"""Benchmarks look at the files that a linter looks at."""

from __future__ import annotations

from pathlib import Path

from benchmarks.checkouts import python_files


def test_copies_and_links_are_left_out(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "package/c.py", "package/.ipynb_checkpoints/c-checkpoint.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    assert [path.relative_to(tmp_path).as_posix() for path in python_files(tmp_path)] == ["a.py", "b.py", "package/c.py"]
