"""The drawing of a loop: its goldens, and the properties of every drawing. `pytest --bless` renders the goldens."""

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
    said = {s.kind: [str(x) for x in s.phrases] for b in drawn(LOOP).roots for s in steps(b)}
    assert said["forward"] == ["net: train mode, graph recorded"]
    assert said["backward"] == ["opt: this batch's gradients on top of used ones (first time: this batch's gradients)"]
    assert said["step"] == ["opt: updates with this batch's gradients on top of used ones"]
    cleared = {
        s.kind: [str(x) for x in s.phrases]
        for b in drawn(LOOP.replace("        net(x)", "        opt.zero_grad()\n        net(x)")).roots
        for s in steps(b)
    }
    assert cleared["clear"] == ["opt: no gradients"] and cleared["step"] == ["opt: updates with this batch's gradients"]


def test_a_file_without_a_loop_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import torch\nnet = torch.nn.Linear(1, 1)\n")
    done = looplint("loop", "model.py", cwd=tmp_path, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0 and done.stdout == b"No training loop is seen here: nothing goes backward, and no optimizer steps.\n"


def told(text: str) -> dict[int, list[str]]:
    """What is said at each line of a program."""
    found: dict[int, list[str]] = {}
    for box in drawn(text).roots:
        for step in steps(box):
            found.setdefault(step.place.row, []).extend(str(phrase) for phrase in step.phrases)
    return found


def titles(text: str) -> list[tuple[str, list[str]]]:
    """Every box that holds something, with the kinds and titles of what is in it."""
    boxes = [b for root in drawn(text).roots for b in _all(root) if isinstance(b, Box)]
    return [(b.title, [i.title if isinstance(i, Box) else i.kind for i in b.items]) for b in boxes if b.items]


def test_the_loop_of_a_generator_stands_in_its_call() -> None:
    text = LOOP.replace("    for x in loader:\n        net(x)", "    for y in outputs():\n        y").replace(
        "for epoch", "def outputs():\n    for x in loader:\n        yield net(x)\nfor epoch"
    )
    assert ("outputs()", ["for x in loader"]) in titles(text)


def test_a_condition_in_a_context_manager_stands_where_the_manager_is_entered() -> None:
    text = LOOP.replace("        net(x)", "        with fast():\n            net(x)").replace(
        "for epoch",
        "import contextlib\n@contextlib.contextmanager\ndef fast():\n    if MODERN:\n        yield 1\n    else:\n        yield 2\nfor epoch",
    )
    assert ("for x in loader", ["if MODERN", "unless MODERN", "step"]) in titles(text)


def test_conditions_keep_their_precedence() -> None:
    text = LOOP.replace(
        "        opt.step()", "        if a or b:\n            if c and d:\n                opt.zero_grad()\n        opt.step()"
    )
    step = next(s for b in drawn(text).roots for s in steps(b) if s.kind == "clear")
    assert step.condition == "if (a or b) and c and d"


def test_calls_of_other_functions_are_not_as_above() -> None:
    text = LOOP + (
        "def predict(x):\n    with torch.no_grad():\n        return net(x)\ndef first(x):\n    predict(x)\ndef second(x):\n    predict(x)\n"
        "net.eval()\nfirst(1)\nsecond(2)\nsecond(3)\n"
    )
    roles = {b.title: b.role for root in drawn(text).roots for b in _all(root) if isinstance(b, Box)}
    assert roles["first(1)"] == roles["second(2)"] == "" and roles["second(3)"] == "as above"


@pytest.mark.parametrize(
    ("head", "role"),
    [
        ("while done < steps_per_epoch:", "training loop"),
        ("while epoch < last:", "epoch loop"),
        ("for _ in range(num_epochs):", "epoch loop"),
        ("for x in epoch_loader:", "batch loop"),
        ("for epoch in epoch_loader:", "epoch loop"),
    ],
)
def test_what_a_loop_is_called(head: str, role: str) -> None:
    loader = "epoch_loader = torch.utils.data.DataLoader(data)\n"
    found = drawn(
        f"import torch\n{loader}"
        + LOOP.replace("for epoch in range(3):", f"{head}\n   if True:").replace("    for x in loader:", "    if True:")
    )
    assert [b.role for b in found.loops()] == [role]


def test_gradients_that_are_set_by_hand_are_no_backward_pass() -> None:
    found = drawn(
        LOOP.replace(
            "        opt.step()", "        for p in net.parameters():\n            p.grad = torch.ones_like(p)\n        opt.step()"
        )
    )
    assert [s.kind for b in found.roots for s in steps(b)][-4:] == ["backward", "clear", "gradient", "step"]
    assert [b.role for b in found.loops()][-1] == "loop"


def test_scaled_gradients_are_what_they_were() -> None:
    text = LOOP.replace("        opt.step()", "        for p in net.parameters():\n            p.grad *= 2\n        opt.step()")
    assert told(text)[10] == ["opt: updates with this batch's gradients on top of used ones"]


def test_what_leaves_sight_is_told_of_objects_that_have_a_state() -> None:
    text = LOOP.replace(
        "        opt.step()", "        opt.step()\n        show(loader, net)\n        show(net(x))\n        net.train(flag)"
    )
    said = told(text)
    assert said[9] == ["net: handed to show, which is not followed"]
    assert said[10] == ["net: mode not known, graph recorded", "net: perhaps output handed to show"]
    assert said[11] == ["net: net.train sets a mode that is not known"]


def test_a_frozen_module_records_no_graph_by_itself() -> None:
    said = told(
        LOOP.replace("for epoch", "old = torch.nn.Linear(2, 1)\nold.requires_grad_(False)\nfor epoch").replace(
            "net(x)", "(net(x) - old(x))"
        )
    )
    assert said[9][:2] == ["net: train mode, graph recorded", "old: train mode, frozen, a graph only of inputs that have one"]


def test_parameters_that_are_chosen_by_name_are_some() -> None:
    some = "for n, p in net.named_parameters():\n    if 'bias' in n:\n        p.requires_grad = False\nfor epoch"
    said = told(LOOP.replace("for epoch", some))
    assert said[6] == ["net: perhaps parameters frozen"] and said[10][0] == "net: train mode, graph recorded"
    clear = "        for n, p in net.named_parameters():\n            if 'bias' in n:\n                p.grad = None\n        opt.step()"
    assert all("perhaps" in words for words in told(LOOP.replace("        opt.step()", clear))[10])


def test_an_average_that_a_library_keeps_of_parameters_is_no_module() -> None:
    text = LOOP.replace("import torch\n", "import torch\nfrom diffusers.training_utils import EMAModel\n")
    said = told(text.replace("for epoch", "mean = EMAModel(net.parameters())\nfor epoch") + "        mean.step(net.parameters())\n")
    assert 10 in said and 5 not in said and 11 not in said


def test_no_box_is_empty() -> None:
    text = LOOP.replace("        opt.step()", "        if verbose:\n            show(loader)\n        opt.step()")
    text = text.replace("for epoch", "loader = torch.utils.data.DataLoader(data)\nfor epoch")
    assert not [b.title for root in drawn(text).roots for b in _all(root) if isinstance(b, Box) and not b.items]


def test_a_module_of_which_a_part_is_trained_again_is_not_frozen() -> None:
    again = (
        "for p in net.parameters():\n    p.requires_grad = False\nfor p in net.head().parameters():\n    p.requires_grad = True\nfor epoch"
    )
    assert told(LOOP.replace("for epoch", again))[11][0] == "net: train mode, graph recorded"


def test_parameters_are_frozen_and_trained() -> None:
    said = told(LOOP.replace("for epoch", "net.requires_grad_(False)\nnet.requires_grad_(True)\nfor epoch"))
    assert said[4] == ["net: parameters frozen"] and said[5] == ["net: parameters trained"]


def test_a_schedule_of_steps_is_none_of_epochs() -> None:
    """The loop of the step is neither one over batches, which are taken by the accumulation loop in it, nor one over epochs."""
    text = LOOP.replace("for epoch", "plan = torch.optim.lr_scheduler.StepLR(opt, 3)\nfor epoch").replace(
        "        opt.step()", "    opt.step()\n    plan.step()"
    )
    assert told(text.replace("for epoch in range(3)", "while go_on()"))[10] == ["plan: next learning rate of opt, every step"]


def test_a_property_is_named_and_not_quoted() -> None:
    text = """\
import torch
class Trainer:
    def __init__(self):
        self.net = torch.nn.Linear(1, 1)
        self.made = None
    @property
    def optimizer(self):
        if self.made is None:
            self.made = torch.optim.SGD(self.net.parameters(), lr=1)
        return self.made
    def fit(self, loader):
        for x in loader:
            self.optimizer.zero_grad()
            self.net(x).sum().backward()
            self.optimizer.step()
Trainer().fit([1])
"""
    assert not [title for title, _ in titles(text) if "def " in title]


def test_a_program_that_is_not_followed_is_not_said_to_have_no_loop() -> None:
    empty = LoopView("train.py", (), (), (("train.py:9", "the program is too large"),), complete=False)
    assert render(empty).startswith("Nothing can be drawn: no backward and no optimizer's step was reached.")


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
