"""Functions that call themselves on the parts of a model: what only looks leaves the model as it was, what may change it does not."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

# Each is called once a batch, in a loop that never clears; what only looks cannot have cleared.
LOOKING = {
    "collects into a list": """
        def walk(module, out=None):
            out = [] if out is None else out
            if isinstance(module, nn.ReLU):
                out.append(module)
            for child in module.children():
                walk(child, out)
        """,
    "counts": """
        def walk(module):
            total = sum(p.numel() for p in module.parameters())
            for name, child in module.named_children():
                total += walk(child)
            return total
        """,
    "prints": """
        def walk(module, depth=0):
            print(" " * depth, type(module))
            for name, child in module.named_children():
                walk(child, depth + 1)
        """,
}
CHANGING = {
    "sets an attribute": """
        def walk(module):
            if isinstance(module, nn.ReLU):
                module.inplace = True
            for child in module.children():
                walk(child)
        """,
    "puts a part into a mode": """
        def walk(module):
            if isinstance(module, nn.ReLU):
                module.eval()
            for child in module.children():
                walk(child)
        """,
    "calls what is not in sight": """
        from lib import reset
        def walk(module):
            if isinstance(module, nn.ReLU):
                reset(module)
            for child in module.children():
                walk(child)
        """,
    "calls another object's method of its name": """
        from lib import walker
        def walk(module):
            if isinstance(module, nn.ReLU):
                walker.walk(module)
            for child in module.children():
                walk(child)
        """,
    "puts something in the place of an item": """
        def walk(module):
            for number in range(len(module)):
                module[number] = nn.ReLU()
                walk(module[number])
        """,
}
TRAINING = """
def train(loader):
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for x, y in loader:
        walk(net)
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()  # expect: LL102
        opt.step()
"""


@pytest.mark.parametrize("function", LOOKING.values(), ids=LOOKING)
def test_what_only_looks_leaves_a_model_alone(function: str) -> None:
    assert_marked(dedent(function) + TRAINING)


@pytest.mark.parametrize("function", CHANGING.values(), ids=CHANGING)
def test_what_may_change_a_model_does_not(function: str) -> None:
    program = f"import torch\nfrom torch import nn\n{dedent(function)}{TRAINING}"
    assert not [f for f in looplint.lint(program, isolated=True) if f.code == "LL102"]


def test_what_a_recursion_has_collected_may_be_cleared() -> None:
    program = """
        def walk(module, out):
            if isinstance(module, nn.Linear):
                out.append(module)
            for child in module.children():
                walk(child, out)
        def train(loader):
            net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            found = []
            walk(net, found)
            net.train()
            for x, y in loader:
                for part in found:
                    part.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
        """
    assert_marked(program)
    uncleared = program.replace("part.zero_grad()", "print(part)")
    assert_marked(uncleared.replace("backward()", "backward()  # expect: LL102"))


ENTERING = """
class Probe({base}):
    def __init__(self, module):
        self.module = module
    def __enter__(self):
        super().__enter__()
        return self
    def __exit__(self, *error):
        super().__exit__(*error)
def train(loader):
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    probe = Probe(net)
    net.train()
    for x, y in loader:
        with probe:
            loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize(
    ("base", "imported", "found"),
    [
        ("TorchDispatchMode", "from torch.utils._python_dispatch import TorchDispatchMode", True),
        ("contextlib.ExitStack", "import contextlib", True),
        ("TorchFunctionMode", "from torch.overrides import TorchFunctionMode", True),
        ("Mode", "from lib import Mode", False),
        ("Mode, contextlib.ExitStack", "import contextlib\nfrom lib import Mode", False),
    ],
)
def test_contexts_of_torch_do_not_touch_what_a_subclass_keeps(base: str, imported: str, found: bool) -> None:
    program = f"import torch\nfrom torch import nn\n{imported}\n{ENTERING.format(base=base)}"
    assert bool([f for f in looplint.lint(program, isolated=True) if f.code == "LL102"]) is found
