"""The picture of a loop: goldens of what is drawn, and the properties that every picture has. `pytest --bless` draws the goldens anew."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import command_line
from fixture_cases import FIXTURES, parameters
from looplint.linting.analysis import build_program
from looplint.linting.files import judge
from looplint.linting.selection import Selection
from looplint.queries.loop_tree import Box, LoopView, Step, view
from looplint.report import loop_html, loop_svg
from looplint.report.loop_text import render
from looplint.sources.reading import decode, read_source
from places import GOLDENS, ROOT

PICTURES = GOLDENS / "loops"
DRAWN = {
    "example": "examples/train.py",
    "trainer in three files": "fixtures/clip_after_step/inherited_trainer/main.py",
    "accumulation": "fixtures/missing_zero_grad/accumulation.py",
    "two optimizers": "fixtures/step_before_backward/one_of_two_optimizers.py",
}


def looplint(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return command_line.looplint(*arguments, cwd=cwd, environment=environment)


def drawn(text: str, name: str = "train.py") -> LoopView:
    source = decode(text.encode(), None, name)
    program, info = build_program(source)
    return view(program, info, judge(source, Selection()).findings)


def steps(box: Box | Step) -> list[Step]:
    return [box] if isinstance(box, Step) else [s for item in box.items for s in steps(item)]


@pytest.mark.parametrize("name", DRAWN)
def test_pictures(name: str, request: pytest.FixtureRequest) -> None:
    picture = looplint("loop", "--isolated", DRAWN[name], PYTHONIOENCODING="utf-8").stdout.decode()
    golden = PICTURES / f"{name.replace(' ', '_')}.txt"
    if request.config.getoption("--bless"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(picture, encoding="utf-8")
    assert picture == golden.read_text(encoding="utf-8")


LOOP = """\
import torch
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    net.train()
    for x in loader:
        net(x).sum().backward()
        opt.step()
"""


def test_loops_are_named_and_events_stand_in_them_in_order() -> None:
    found = drawn(LOOP)
    assert [(b.role, b.title) for b in found.loops()] == [("epoch loop", "for epoch in range(3)"), ("batch loop", "for x in loader")]
    assert [s.kind for b in found.roots for s in steps(b)] == ["construct", "construct", "train", "forward", "backward", "step"]


def test_a_finding_stands_at_its_line_once_and_none_is_lost() -> None:
    found = drawn(LOOP)
    assert [(s.place.row, f.code) for b in found.roots for s in steps(b) for f in s.findings] == [(7, "LL102")]
    assert not found.elsewhere


@pytest.mark.parametrize("fixture", parameters(sorted(FIXTURES.glob("*/*.py"))))
def test_every_fixture_can_be_drawn_within_its_width(fixture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    source = read_source(fixture.relative_to(ROOT))
    program, info = build_program(source)
    findings = judge(source, Selection()).findings
    found = view(program, info, findings)
    shown = [f for b in found.roots for s in _all(b) for f in s.findings]
    assert sorted(f.sort_key for f in [*shown, *found.elsewhere]) == sorted(f.sort_key for f in findings)
    picture = render(found, width=100)
    assert max(map(len, picture.splitlines())) <= 100
    assert all(f.code in picture for f in findings)
    assert render(found, width=100, ascii_only=True).encode("ascii", "replace").count(b"?") <= picture.count("?") + sum(
        not c.isascii() for c in source.text
    )


def _all(box: Box | Step) -> list[Box | Step]:
    return [box, *(each for item in box.items for each in _all(item))] if isinstance(box, Box) else [box]


def test_state_carries_what_a_reader_asks_for() -> None:
    said = {s.kind: [str(x) for x in s.said] for b in drawn(LOOP).roots for s in steps(b)}
    assert said["forward"] == ["net: train mode, graph recorded"]
    assert said["backward"] == ["opt: this batch's gradients on top of used ones (first time: this batch's gradients)"]
    assert said["step"] == ["opt: updates with this batch's gradients on top of used ones"]
    cleared = {
        s.kind: [str(x) for x in s.said]
        for b in drawn(LOOP.replace("        net(x)", "        opt.zero_grad()\n        net(x)")).roots
        for s in steps(b)
    }
    assert cleared["clear"] == ["opt: no gradients"] and cleared["step"] == ["opt: updates with this batch's gradients"]


def test_a_file_without_a_loop_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import torch\nnet = torch.nn.Linear(1, 1)\n")
    done = looplint("loop", "model.py", cwd=tmp_path, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0 and done.stdout == b"No training loop is seen here: nothing goes backward, and no optimizer steps.\n"


def test_an_output_that_has_no_boxes_gets_plain_characters() -> None:
    plain = looplint("loop", "examples/train.py", PYTHONIOENCODING="ascii").stdout
    assert plain.isascii() and b"+- batch loop - for x, y in loader" in plain and b"x LL103 clip-before-backward" in plain
    assert looplint("loop", "--ascii", "examples/train.py", PYTHONIOENCODING="utf-8").stdout == plain


def test_colours_are_asked_for() -> None:
    assert b"\x1b[" in looplint("loop", "examples/train.py", FORCE_COLOR="1", PYTHONIOENCODING="utf-8").stdout
    assert b"\x1b[" not in looplint("loop", "examples/train.py", PYTHONIOENCODING="utf-8").stdout


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("for x in y:\n    loss.backward(\n")
    for name, said in (("bad.py", b"syntax error"), ("missing.py", b"no such file")):
        done = looplint("loop", name, cwd=tmp_path)
        assert done.returncode == 2 and said in done.stderr and done.stderr.count(b"\n") == 1


def test_a_loop_that_is_not_judged_is_named_with_the_reason() -> None:
    source = read_source(FIXTURES / "retain_graph_in_loop" / "rows_of_a_jacobian.py")
    lost = view(*build_program(source), ())
    ((place, why),) = lost.unjudged
    assert place == f"{source.display}:31" and "`output`" in why
    for picture in (render(lost), loop_html.render(lost), loop_svg.render(lost)):
        assert "not judged" in picture and ":31" in picture and "no known optimizer holds" in picture
    assert drawn(LOOP).unjudged == ()
