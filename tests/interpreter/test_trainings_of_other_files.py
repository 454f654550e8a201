"""What a function may train is known before it is followed, also where that stands in a file which no call has led to yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.interpreter import interpreter, roots
from looplint.interpreter.allowances import may_train
from looplint.interpreter.roots import interpreter_of
from looplint.linting.analysis import build_program
from looplint.linting.files import judge, merge
from looplint.linting.selection import Selections
from looplint.sources.reading import read_source
from looplint.syntax.parsing import parsed
from looplint.syntax.project import ModuleInfo, Project

# With a class by the function's name beside it, and another of its methods.
ENGINE = """\
def train(net, opt, loader):
    for x in loader:
        net(x).sum().backward()


def prepare(loader):
    return sorted(loader)


class Trainer:
    def fit(self, net, opt, loader):
        train(net, opt, loader)
"""
FORMS = {
    "a function": ("from engine import train", "train(net, opt, [])"),
    "under another name": ("from engine import train as once", "once(net, opt, [])"),
    "by its module": ("import engine", "engine.train(net, opt, [])"),
    "by a module of a package": ("from package import inner", "inner.run(net, opt, [])"),
    "behind another": ("from package.inner import run", "run(net, opt, [])"),
    "through a package": ("from package import run", "run(net, opt, [])"),
    "by a star": ("from package.inner import *", "run(net, opt, [])"),
    "a class": ("from engine import Trainer", "Trainer().fit(net, opt, [])"),
    "only data": ("from engine import prepare", "prepare([])"),
    "out of sight": ("from elsewhere import train", "train(net, opt, [])"),
    "modules that import each other": ("from package.circle import around", "around(net, opt, [])"),
}
SILENT = ("only data", "out of sight", "modules that import each other")


def _written(folder: Path, main: str) -> Path:
    (folder / "engine.py").write_text(ENGINE)
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("from package.inner import run\n")
    (folder / "package" / "inner.py").write_text("from engine import train\n\n\ndef run(net, opt, loader):\n    train(net, opt, loader)\n")
    (folder / "package" / "circle.py").write_text("from package.circle2 import around\n")
    (folder / "package" / "circle2.py").write_text("from package.circle import around\n")
    (folder / "main.py").write_text(main)
    return folder / "main.py"


@pytest.mark.parametrize("form", FORMS)
def test_a_function_is_known_to_train_before_what_it_calls_was_followed(tmp_path: Path, form: str) -> None:
    imported, call = FORMS[form]
    source = read_source(_written(tmp_path, f"{imported}\n\n\ndef main(net, opt):\n    {call}\n"))
    info = ModuleInfo(source.place_of_imports, source.display, source, parsed(source.text))
    project = Project()
    project.add(info)
    interp = interpreter_of(project, info)
    assert info.code is not None
    (main,) = [f for f in info.code.functions if f.name == "main"]
    assert not may_train(interp, main)
    interp.training.look_after(main, info, project)
    assert may_train(interp, main) is (form not in SILENT)


LARGE = """\
import torch
from steps import train, validate


def main():
    net = torch.nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
{work}
    for epoch in range(3):
        net.train()
        train(net, opt, [torch.ones(2, 2)])
        net.eval()
        {guard}
            print(validate(net, [torch.ones(2, 2)]))


if __name__ == "__main__":
    main()
"""
STEPS = """\
def train(net, opt, loader):
    for x in loader:
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()


def validate(net, loader):
    total, values = 0, {{}}
    for x in loader:
        total += net(x).mean().item()
{work}
    return total
"""


@pytest.mark.parametrize(("guard", "codes"), [("if epoch:", ["LL303"]), ("with torch.no_grad():", [])])
def test_a_validation_is_followed_in_a_program_that_trains_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guard: str, codes: list[str]
) -> None:
    for module, name in ((roots, "ROOT_FUEL"), (roots, "AGAIN_FUEL"), (roots, "ALONE_FUEL"), (interpreter, "FILE_FUEL")):
        monkeypatch.setattr(module, name, getattr(interpreter, name) // 12)
    main = "    values = {}\n" + "".join(f"    values[{n}] = [epoch, values]\n" for n in range(800))
    checked = "".join(f"        values[{n}] = [total, values]\n" for n in range(60))
    (tmp_path / "steps.py").write_text(STEPS.format(work=checked))
    (tmp_path / "main.py").write_text(LARGE.format(work=main, guard=guard))
    source = read_source(tmp_path / "main.py")
    program, _ = build_program(source)
    assert program.complete
    assert [f.code for f in judge(source, Selections().of_source(source)).findings if f.code == "LL303"] == codes


def test_a_function_that_is_too_large_when_its_loop_is_read_again_is_judged_in_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((roots, "ROOT_FUEL"), (roots, "AGAIN_FUEL"), (roots, "ALONE_FUEL"), (interpreter, "FILE_FUEL")):
        monkeypatch.setattr(module, name, getattr(interpreter, name) // 4)
    before = "    best, values = None, {}\n" + "".join(f"    values[{n}] = [best, values]\n" for n in range(1850))
    checked = "".join(f"        values[{n}] = [total, values]\n" for n in range(900))
    steps = STEPS.format(work=checked).replace("validate(net, loader):", "validate(net, loader, best):\n    net.eval()")
    main = LARGE.format(work=before, guard="if epoch:").replace(
        "print(validate(net, [torch.ones(2, 2)]))", "best = validate(net, [], best)"
    )
    (tmp_path / "steps.py").write_text(steps)
    (tmp_path / "main.py").write_text(main)
    called, own = (judge(s, Selections().of_source(s)) for s in map(read_source, (tmp_path / "main.py", tmp_path / "steps.py")))
    assert [name.rpartition("::")[2] for name in called.followed] == ["train"]
    assert [f.code for f in merge([called, own]) if f.code == "LL303"] == ["LL303"]
