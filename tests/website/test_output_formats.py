"""The pages of docs/ show what their commands print: they are run, in order, in a folder with the shipped script. `--bless` writes them anew."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from looplint.settings.formats import FORMATS
from places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

PAGE = ROOT / "docs/output-formats.md"
SHOWING = sorted(page for page in (ROOT / "docs").glob("*.md") if "<!-- run" in page.read_text(encoding="utf-8"))
# <!-- run -->, a block whose lines with "$ " are commands, <!-- /run -->. `from` and `lines` choose a part of what is printed.
BLOCK = re.compile(
    r'(?P<opening><!-- run(?: from="(?P<start>[^"]*)")?(?: lines=(?P<lines>\d+))? -->\n```\w*\n)(?P<body>.*?)(?P<closing>```\n<!-- /run -->)',
    re.DOTALL,
)
WIDEST = 160


def rendered(text: str, folder: Path) -> str:
    (folder / "bin").mkdir()
    shim = folder / "bin/looplint"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m looplint "$@"\n')
    shim.chmod(0o755)
    work = folder / "project"
    work.mkdir()
    for example in (ROOT / "examples").iterdir():
        if example.name in text:
            shutil.copy(example, work)
    environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "GITHUB_WORKSPACE", "CI_PROJECT_DIR")}
    environment |= {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}

    def run(match: re.Match[str]) -> str:
        printed = []
        for command in re.findall(r"^\$ (.*)$", match["body"], re.MULTILINE):
            done = subprocess.run(
                command, shell=True, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            output = done.stdout.replace(str(work), "/home/you/project").splitlines()
            printed += [f"$ {command}", *part(output, match["start"], int(match["lines"] or 0))]
        return match["opening"] + "".join(f"{line}\n" for line in printed) + match["closing"]

    return BLOCK.sub(run, text)


def part(lines: list[str], start: str | None, count: int) -> list[str]:
    first = next((n for n, line in enumerate(lines) if start and start in line), 0)
    last = first + count if count else len(lines)
    shown = [line if len(line) <= WIDEST else line[: WIDEST - 3] + "..." for line in lines[first:last]]
    return ["..."] * bool(first) + shown + ["..."] * (last < len(lines))


@pytest.mark.skipif(sys.platform != "linux", reason="the page's commands are written for a shell with GNU's tools")
@pytest.mark.parametrize("page", SHOWING, ids=lambda p: p.name)
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == text.count("<!-- run")
    fresh = rendered(text, tmp_path)
    if request.config.getoption("--bless"):
        page.write_text(fresh, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == fresh


def test_every_format_has_its_part() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert sorted(re.findall(r"^### `(.*)`$", text, re.MULTILINE)) == sorted(FORMATS)
    assert text.count("<!-- run") >= len(FORMATS)
