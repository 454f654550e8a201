"""The page and the drawing of a loop: well-formed, complete and self-contained."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from command_line import looplint
from looplint.linting.analysis import build_program
from looplint.linting.files import judge
from looplint.linting.selection import Selection
from looplint.queries.loop_tree import LoopView, view
from looplint.report import loop_html, loop_svg
from looplint.sources.reading import decode, read_source
from places import ROOT

FILES = ["examples/train.py", "fixtures/clip_after_step/inherited_trainer/main.py", "fixtures/missing_zero_grad/accumulation.py"]
ODD = 'import torch\nnet = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in load("<b>&\'"):\n    if x < 3 and "</style>":\n        net(x).sum().backward()\n    opt.step()\n'
VOID = {"meta", "br", "hr", "img", "link"}


def drawn(path: str) -> LoopView:
    source = decode(ODD.encode(), None, "<odd>.py") if path == "odd" else read_source(Path(path))
    program, info = build_program(source)
    return view(program, info, judge(source, Selection()).findings)


class Balanced(HTMLParser):
    """Sees that every element is closed, and collects the text and the targets."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.targets += [v or "" for k, v in attrs if k in ("href", "src")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("path", [*FILES, "odd"])
def test_the_page_is_whole_and_well_formed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = drawn(path)
    page = Balanced()
    page.feed(loop_html.render(found))
    page.close()
    assert not page.open
    assert all(target.startswith("https://looplint.readthedocs.io/rules/") for target in page.targets)
    for loop in found.loops():
        assert loop.title in page.text and loop.role in page.text
    for root in found.roots:
        assert root.title in page.text


@pytest.mark.parametrize("path", [*FILES, "odd"])
def test_the_picture_is_xml_and_nothing_leaves_its_frame(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = drawn(path)
    text = loop_svg.render(found)
    svg = ET.fromstring(text)
    assert set(re.findall(r"https?://[^\s\"<]+", text)) == {"http://www.w3.org/2000/svg"}
    width, height = float(svg.attrib["width"]), float(svg.attrib["height"])
    for each in svg.iter("{http://www.w3.org/2000/svg}text"):
        assert float(each.attrib["x"]) + 7.3 * len(each.text or "") <= width + 1
        assert float(each.attrib["y"]) <= height
    for each in svg.iter("{http://www.w3.org/2000/svg}rect"):
        if "x" in each.attrib:
            assert float(each.attrib["x"]) + float(each.attrib["width"]) <= width
            assert float(each.attrib["y"]) + float(each.attrib["height"]) <= height
    shown = " ".join(each.text or "" for each in svg.iter("{http://www.w3.org/2000/svg}text"))
    assert all(loop.role in shown for loop in found.loops())


def test_findings_stand_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = drawn("examples/train.py")
    for code in ("LL102", "LL103", "LL302", "LL303", "LL401"):
        assert code in loop_html.render(found) and code in loop_svg.render(found)


def test_a_program_without_a_loop_says_so_in_both() -> None:
    source = decode(b"x = 1\n", None, "x.py")
    program, info = build_program(source)
    empty = view(program, info, ())
    assert "No training loop is seen here" in loop_html.render(empty)
    ET.fromstring(loop_svg.render(empty))


def test_the_command_writes_files(tmp_path: Path) -> None:
    done = looplint("loop", "examples/train.py", "--html", str(tmp_path / "a.html"), "--svg", str(tmp_path / "a.svg"), cwd=ROOT)
    assert done.returncode == 0 and not done.stdout
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>") and ET.parse(tmp_path / "a.svg")
    done = looplint("loop", "examples/train.py", "--svg", str(tmp_path / "no" / "a.svg"), cwd=ROOT)
    assert done.returncode == 2 and b"cannot be written" in done.stderr
