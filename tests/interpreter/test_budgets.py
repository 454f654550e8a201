"""Programs that are larger than the interpreter follows: what matters is followed, and the cost does not grow with the calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.flow.remarks import Remark
from looplint.interpreter import interpreter, loops, replay, roots
from looplint.interpreter.interpreter import AGAIN_FUEL, ALONE_FUEL, ROOT_FUEL
from looplint.interpreter.roots import follow, interpreter_of
from looplint.linting.analysis import build_program
from looplint.linting.files import judge
from looplint.linting.selection import Selections
from looplint.queries.coverage import training_loops
from looplint.semantics import composition
from looplint.sources.reading import from_text, read_source
from looplint.syntax.parsing import parsed
from looplint.syntax.project import ModuleInfo, Project

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOOP = """
net = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
prepared = f1(3)
for epoch in range(3):
    for x in [torch.ones(2, 4)]:
        loss = net(x).sum()
        loss.backward()
        opt.step()
"""


def _tree(depth: int, leaf: str, between: str = "") -> str:
    """A program whose functions each call the next one twice, and that trains behind them."""
    functions = [f"def f{depth}(x):\n    return {leaf}\n"]
    for number in range(depth - 1, 0, -1):
        functions.append(f"def f{number}(x):\n    a = f{number + 1}(x)\n{between}    b = f{number + 1}(x)\n    return a + b\n")
    return "import torch\n" + "\n".join(functions) + LOOP


def _burnt(text: str) -> int:
    info = ModuleInfo(Path("train.py"), "train.py", from_text(text, None, "train.py"), parsed(text))
    composition.install()
    m = interpreter_of(Project(), info)
    before = m.left
    follow(m)
    return before - m.left


def test_a_tree_of_calls_that_compute_costs_as_much_as_it_has_functions() -> None:
    small, middle, large = (_burnt(_tree(depth, "x + 1")) for depth in (6, 12, 18))
    assert 0 < large - middle == middle - small


@pytest.mark.parametrize(("clears", "codes"), [("", ["LL102"]), ("        opt.zero_grad()\n", [])], ids=["missing", "cleared"])
def test_a_loop_at_the_end_of_a_long_chain_of_calls_is_judged(clears: str, codes: list[str]) -> None:
    functions = "".join(f"def f{n}(net, opt, loader):\n    f{n + 1}(net, opt, loader)\n\n\n" for n in range(30))
    loop = f"    for x in loader:\n{clears}        net(x).sum().backward()\n        opt.step()\n"
    text = f"import torch\n\n\n{functions}def f30(net, opt, loader):\n{loop}\n\n"
    text += "model = torch.nn.Linear(4, 1)\nf0(model, torch.optim.SGD(model.parameters(), lr=0.1), [torch.ones(2, 4)])\n"
    source = from_text(text, None, "train.py")
    assert [f.code for f in judge(source, Selections().of_source(source)).findings] == codes
    program, info = build_program(source)
    assert [loop.reason for loop in training_loops(program, info, [info])] == [""]


def test_a_generator_that_makes_itself_again_is_followed_a_few_times() -> None:
    once = "import torch\n\n\ndef run(net, loader):\n    for x in loader:\n        yield net(x).sum()\n\n\nrun(torch.nn.Linear(4, 1), [])\n"
    again = once.replace("        yield net(x).sum()\n", "        yield net(x).sum()\n        rest = run(net, loader)\n")
    assert _burnt(again) < 10 * _burnt(once) < ROOT_FUEL


@pytest.mark.parametrize("depth", [10, 18])
def test_the_loop_behind_what_is_too_large_is_judged(depth: int) -> None:
    text = _tree(depth, "[x]", between="    c = [a]\n")
    program, info = build_program(from_text(text, None, "train.py"))
    (loop,) = training_loops(program, info, [info])
    assert loop.reason == ""
    assert _burnt(text) <= 2 * ROOT_FUEL


@pytest.mark.parametrize(("leaf", "complete"), [("[x]", True), ("[x, x.backward()]", False)], ids=["computes", "may train"])
def test_only_what_may_train_makes_a_program_incomplete_where_it_is_cut_off(leaf: str, complete: bool) -> None:
    text = _tree(18, leaf, between="    c = [a]\n")
    program, _ = build_program(from_text(text, None, "train.py"))
    assert program.complete is complete


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.py"))[::12], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_a_call_did_is_done_again_as_if_it_were_followed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = read_source(path)
    graphs = []
    for least in (0, 1_000_000):
        monkeypatch.setattr(replay, "_WORTH_IT", least)
        program, _ = build_program(source)
        graphs.append((program.graph.text(), [(type(e).__name__, e.index) for e in program.of(Remark)]))
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.py"))[5::12], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_loop_that_is_read_again_is_as_if_it_were_read_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = read_source(path)
    graphs = [build_program(source)[0].graph.text()]
    monkeypatch.setattr(loops, "_read_before", lambda _interp, _loop, entry: entry)
    graphs.append(build_program(source)[0].graph.text())
    assert graphs[0] == graphs[1]


def test_loops_in_loops_cost_as_much_more_as_there_are_levels() -> None:
    def burnt(depth: int) -> int:
        lines = [f"{'    ' * level}for a{level} in range(3):\n" for level in range(depth)]
        body = "".join(f"{'    ' * depth}y{n} = (net(torch.ones(2, 4)) + {n}).sum()\n" for n in range(40))
        return _burnt(f"import torch\nnet = torch.nn.Linear(4, 4)\n{''.join(lines)}{body}")

    assert burnt(5) < 5 * burnt(1)


def test_a_call_in_nested_loops_is_not_followed_for_each_reading_of_them() -> None:
    work = "def work(net, x):\n" + "".join(f"    y{n} = net(x) + {n}\n" for n in range(40)) + "    return y0\n"
    loops = "for a in range(3):\n    for b in range(3):\n        for c in range(3):\n            kept = work(net, torch.ones(2, 4))\n"
    assert _burnt(f"import torch\n{work}\nnet = torch.nn.Linear(4, 4)\n{loops}") < 3 * _burnt(
        f"import torch\n{work}\nnet = torch.nn.Linear(4, 4)\nwork(net, torch.ones(2, 4))\n"
    )


RENDERING = """
import argparse
import torch

class Tokenizer:
    def __init__(self):
        self.special = {"start": 1, "end": 2}
    def encode(self, text):
        ids = []
        for word in text.split():
            if word in self.special:
                ids.append(self.special[word])
            elif word.isdigit():
                ids.extend([int(word)] * 2)
            else:
                ids.append(hash(word) % 50)
        return ids
    def render(self, conversation):
        ids, mask = [], []
        for message in conversation["messages"]:
            if message["role"] == "user":
                ids += self.encode(message["content"])
            elif message["role"] == "assistant":
                ids += self.encode(message["answer"])
            mask += [message["role"] == "assistant"] * len(ids)
        return ids, mask

tokenizer = Tokenizer()
"""


def _rendered(times: int, given: str = "read({})") -> str:
    calls = "".join(f"ids{n}, mask{n} = tokenizer.render({given.format(n)})\n" for n in range(times))
    return f"{RENDERING}{calls}{LOOP.replace('prepared = f1(3)', '')}"


@pytest.mark.parametrize("given", ["read({})", "read().turn{}", "argparse.ArgumentParser().parse_args().turn{}"])
def test_what_only_works_on_data_costs_no_more_from_some_number_of_calls_on(given: str) -> None:
    few, many, more = (_burnt(_rendered(times, given)) for times in (10, 60, 110))
    one = _burnt(_rendered(2)) - _burnt(_rendered(1))
    assert more - many == (many - few) < 50 * one / 10
    program, info = build_program(from_text(_rendered(60), None, "train.py"))
    assert [loop.reason for loop in training_loops(program, info, [info])] == [""]


def test_what_takes_from_a_list_of_its_own_only_works_on_data() -> None:
    walk = '        todo = [conversation]\n        while todo:\n            message = todo.pop()\n            todo.extend(message["replies"])\n'
    few, many, more = (
        _burnt(_rendered(times).replace('        for message in conversation["messages"]:\n', walk)) for times in (10, 60, 110)
    )
    assert more - many == many - few


WORKING = """
import torch

def work(rows, given=None):
    found = []
    for row in rows:
        if row.isdigit():
            found.extend([int(row)] * 2)
        elif row.startswith("a"):
            found.append(len(row))
        else:
            found.append(hash(row) % 50)
    if given is not None:
        BODY
    return found

CALLS
history = []
net = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x in [torch.ones(2, 4)]:
        opt.zero_grad()
        loss = net(x).sum()
        loss.backward()
        work(["a"], GIVEN)
        opt.step()
"""


@pytest.mark.parametrize(
    ("body", "given", "codes"),
    [
        ("given.zero_grad()", "opt", ["LL101"]),
        ("for each in given: each.zero_grad()", "[opt]", ["LL101"]),
        ("history.append(given)", "loss", ["LL401"]),
        ("history.append(given)", "[loss]", ["LL401"]),
        ("history.append(given)", "3", []),
    ],
)
def test_what_has_only_worked_on_data_is_followed_where_it_gets_something_of_the_loop(body: str, given: str, codes: list[str]) -> None:
    calls = "\n".join(f"work(read({n}))" for n in range(80))
    text = WORKING.replace("BODY", body).replace("CALLS", calls).replace("GIVEN", given)
    assert [f.code for f in judge(from_text(text, None, "train.py"), Selections().of_source(None)).findings] == codes


LARGE = """\
import torch
from library import build, Wrapper, Base, {calls}

class Trainer(Base):
    def train(self, args, loader):
{called}
        net = build(args)
        wrapped = Wrapper(net)
        opt = self.optimizer_of(net)
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(wrapped(x), y)
            opt.zero_grad()
{body}

Trainer().train(None, [])
"""
LIBRARY = """\
import torch

class Base:
    def optimizer_of(self, net):
        return torch.optim.Adam(net.parameters())

class Wrapper(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
    def forward(self, x):
        return self.net(x)

def build(args):
    return torch.nn.Linear(2, 1)

"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("            loss.backward()\n            opt.step()", []),
        ("            opt.step()\n            loss.backward()", ["LL105"]),
        ("            loss.backward()\n            opt.zero_grad()\n            opt.step()", ["LL101"]),
    ],
    ids=["right", "stepped first", "cleared late"],
)
def test_a_root_that_calls_too_much_of_other_files_is_judged_by_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, codes: list[str]
) -> None:
    # A quarter of each budget, for a quarter of the library: most of the time is its parsing.
    for module, name in ((roots, "ROOT_FUEL"), (roots, "AGAIN_FUEL"), (roots, "ALONE_FUEL"), (interpreter, "FILE_FUEL")):
        monkeypatch.setattr(module, name, getattr(interpreter, name) // 4)
    names = [f"large{n}" for n in range(38)]
    work = "".join(f"    values[{n}] = [x, values]\n" for n in range(150))
    library = LIBRARY + "".join(f"def {name}(x, net):\n    values = {{}}\n    net.train()\n{work}    return values\n\n" for name in names)
    (tmp_path / "library.py").write_text(library)
    called = "".join(f"        {name}([args], torch.nn.Linear(2, 1))\n" for name in names)
    (tmp_path / "train.py").write_text(LARGE.format(calls=", ".join(names), called=called, body=body))
    source = read_source(tmp_path / "train.py")
    program, info = build_program(source)
    assert not program.complete
    assert [loop.reason for loop in training_loops(program, info, [info])] == [""]
    assert [f.code for f in judge(source, Selections().of_source(source)).findings] == codes


def test_what_a_call_was_too_large_for_is_not_followed_again_on_the_same_budget() -> None:
    step = "    x = x * 2 + net.weight * k\n" * 300 + "    net(x).sum().backward()\n    opt.step()\n"
    calls = "".join(f"    train(net, opt, torch.ones(2, 4), {n})\n" for n in range(50))
    made = "    net = torch.nn.Linear(4, 1)\n    opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    text = f"import torch\n\n\ndef train(net, opt, x, k):\n    opt.zero_grad()\n{step}\n\ndef main():\n{made}{calls}\n\nmain()\n"
    assert ROOT_FUEL < _burnt(text) < ROOT_FUEL + AGAIN_FUEL + ALONE_FUEL


def test_a_loop_that_takes_the_parts_of_its_model_in_each_turn_is_read_no_more_often() -> None:
    train = (
        "def train(net, opt):\n    for x in [torch.ones(2, 4)]:\n        opt.zero_grad()\n        net(x).sum().backward()\n        opt.step()\n"
        + "        x = x + 1\n" * 40
    )

    def burnt(features: str) -> int:
        model = "net = torch.hub.load('pytorch/vision', 'resnet18')\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        loops = f"for task in range(3):\n    for epoch in range(3):\n        features = {features}\n        train(net, opt)\n"
        return _burnt(f"import torch\n{train}{model}{loops}")

    assert burnt("torch.nn.Sequential(*list(net.children())[:-1])") < 1.2 * burnt("torch.nn.Sequential(net)")


def test_a_long_constructor_of_a_model_is_read_to_its_end() -> None:
    block = "class Block(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n        self.norm = nn.LayerNorm(width)\n"
    block += "        self.first = nn.Linear(width, 4 * width)\n        self.second = nn.Linear(4 * width, width)\n\n\n"
    stages = "".join(f"        self.stage{number} = Block({number} * width)\n" for number in range(120))
    text = f"from torch import nn\n\n\n{block}class Net(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n{stages}"
    text += "        self.heads = [nn.Linear(width, 2) for _ in range(3)]\n\n"
    text += "    def forward(self, x):\n        return [head(x) for head in self.heads]\n"
    source = from_text(text, None, "net.py")
    assert [f.code for f in judge(source, Selections().of_source(source)).findings] == ["LL505"]
