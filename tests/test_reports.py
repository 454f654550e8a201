"""Every output format, read by a consumer that is not ours where there is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from looplint.report import FORMATS

ROOT = Path(__file__).parent.parent


def looplint(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "looplint", *arguments], cwd=cwd, capture_output=True, text=True, encoding="utf-8")


def output(name: str, *arguments: str, cwd: Path = ROOT) -> str:
    done = looplint("--output-format", name, *(arguments or ("examples/train.py",)), cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_json_lines_are_the_objects_of_json() -> None:
    assert [json.loads(line) for line in output("json-lines").splitlines()] == json.loads(output("json"))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_imports_no_other(name: str) -> None:
    code = f"import sys\nfrom looplint.report import render\nfrom looplint.lint import LintResult\nrender({name!r}, LintResult((), (), 0))\nprint(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    heavy = {"json", "xml.etree.ElementTree", "hashlib", "libcst"}
    if name in ("text", "concise", "github"):
        assert not heavy & loaded
    assert f"looplint.report.{FORMATS[name]}" in loaded


def test_output_file_holds_what_would_be_printed(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    done = looplint("--output-format", "json", "--output-file", str(target), "examples/train.py")
    assert done.returncode == 1 and done.stdout == ""
    assert target.read_text(encoding="utf-8") == output("json")
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


def test_output_file_follows_links_and_keeps_modes(tmp_path: Path) -> None:
    target, link = tmp_path / "report.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    looplint("--output-file", str(link), "examples/train.py")
    assert link.is_symlink() and "LL103" in target.read_text(encoding="utf-8")
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not Path("/dev/stderr").exists(), reason="no such device here")
def test_output_file_may_be_a_device() -> None:
    assert "LL103" in looplint("--output-file", "/dev/stderr", "examples/train.py").stderr


@pytest.mark.parametrize("name", ["missing/report.txt", "."])
def test_an_output_file_that_cannot_be_written_is_an_error(tmp_path: Path, name: str) -> None:
    done = looplint("--output-file", os.path.join(tmp_path, name), str(ROOT / "examples/train.py"), cwd=tmp_path)
    assert done.returncode == 2 and "cannot be written" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"text"}))
def test_quiet_still_gives_a_whole_document(tmp_path: Path, name: str) -> None:
    (tmp_path / "clean.py").write_text("print(1)\n")
    assert output(name, "clean.py", "--quiet", cwd=tmp_path) == output(name, "clean.py", cwd=tmp_path)
