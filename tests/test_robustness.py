"""No program makes the analysis crash: real files, and made ones."""

from __future__ import annotations

import ast
import random
import sysconfig
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from looplint.linting.catalogue import load
from looplint.linting.files import analyse
from looplint.sources.reading import SourceError, decode, read_source

pytestmark = pytest.mark.slow

RULES = load()
FIXTURES = Path(__file__).parents[1] / "fixtures"
SAMPLES = {"standard": 15, "installed": 20, "torch": 15}


@cache
def installed() -> list[Path]:
    return sorted(p for p in Path(sysconfig.get_paths()["purelib"]).rglob("*.py") if p.stat().st_size < 60_000)


@cache
def sample(place: str) -> list[Path]:
    """Files of the standard library, of what is installed, and of torch. Looked for where they are needed: going through all folders takes a second."""
    if place == "standard":
        paths = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    else:
        paths = installed()
    if place == "torch":
        paths = [p for p in paths if "torch/optim" in p.as_posix() or "torch/nn" in p.as_posix()]
    return random.Random(0).sample(paths, min(SAMPLES[place], len(paths)))


@pytest.mark.parametrize(("place", "number"), [(place, number) for place, count in SAMPLES.items() for number in range(count)])
def test_real_files_are_analysed(place: str, number: int) -> None:
    files = sample(place)
    if number >= len(files):
        pytest.skip("there are fewer files")
    path = files[number]
    try:
        source = read_source(path)
    except SourceError:
        return
    problems = analyse(source, RULES).problems
    assert not [p for p in problems if "internal error" in p.message], path


CALLS = [
    "opt.zero_grad()", "loss.backward()", "opt.step()", "sched.step()", "net.train()", "net.eval()", "loss = crit(net(x), y)", "total += loss",
    "hist.append(loss)", "nn.utils.clip_grad_norm_(net.parameters(), 1.0)", "scaler.scale(loss).backward()", "scaler.step(opt)", "scaler.update()",
    "net.to('cpu')", "net.head = nn.Linear(1, 1)", "break", "continue", "return loss", "opt = torch.optim.SGD(net.parameters(), lr=1)", "del loss",
    "opt, net = net, opt", "net = nn.Sequential(net)", "x = [n for n in net.parameters()]", "f = lambda: opt.step()", "helper(net, opt)", "yield loss",
]  # fmt: skip
HEADERS = [
    "for x, y in loader:", "for i in range(3):", "while True:", "if i % 4 == 0:", "with torch.no_grad():", "try:", "for net in [net, net]:",
    "if net is None:", "while x:", "with torch.set_grad_enabled(flag):", "def inner(net=net, *a, **k):", "class C(nn.Module):", "match x:",
]  # fmt: skip


@st.composite
def blocks(draw: st.DrawFn, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        if depth < 4 and draw(st.booleans()):
            header = draw(st.sampled_from(HEADERS))
            body = ["    " + line for line in draw(blocks(depth + 1))]
            if header == "match x:":
                body = ["    case 1:", *("    " + line for line in body)]
            lines += [header, *body]
            if header == "try:":
                lines += ["finally:", *("    " + line for line in draw(blocks(depth + 1)))]
            elif header.startswith("if") and draw(st.booleans()):
                lines += ["else:", *("    " + line for line in draw(blocks(depth + 1)))]
        else:
            lines.append(draw(st.sampled_from(CALLS)))
    return lines


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(blocks())
def test_made_programs_are_analysed(lines: list[str]) -> None:
    program = "import torch\nfrom torch import nn\ndef run(net, opt, loader, crit, sched, scaler, hist, flag, total=0):\n"
    program += "\n".join("    " + line for line in lines) + "\n"
    problems = analyse(decode(program.encode(), None, "made.py"), RULES).problems
    assert not [p for p in problems if "internal error" in p.message], program


class _Emptied(ast.NodeTransformer):
    """Leaves nothing in what stands under conditions."""

    def visit_If(self, node: ast.If) -> ast.If:
        return ast.If(node.test, [ast.Pass()], node.orelse)


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.py"))[::4], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_programs_with_empty_branches_are_analysed(path: Path) -> None:
    program = ast.unparse(_Emptied().visit(ast.parse(path.read_text(encoding="utf-8"))))
    problems = analyse(decode(program.encode(), None, "emptied.py"), RULES).problems
    assert not [p for p in problems if "internal error" in p.message], program


def test_time_grows_with_the_lines() -> None:
    """Counted in nodes of the graph, which do not depend on the machine."""
    from looplint.linting.analysis import build_program

    loop = "def train_{0}(net, loader, opt):\n    for x, y in loader:\n        opt.zero_grad()\n        net(x).sum().backward()\n        opt.step()\n"
    sizes = []
    for count in (50, 100, 200):
        program, _ = build_program(decode("".join(loop.format(n) for n in range(count)).encode(), None, "grown.py"))
        sizes.append(len(program.graph.nodes))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
