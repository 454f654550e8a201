"""The parts that a forward never names have no part in what a call of the module gives, whatever mode they are in (LL302)."""

from textwrap import dedent, indent

import pytest

from programs import assert_marked

_PROGRAM = """
import numpy as np


class Block(nn.Module):
    def __init__(self, drop):
        super().__init__()
        self.inner = drop

    def forward(self, x):
        return self.inner(x)


class Base(nn.Module):
    def forward(self, x):
        return self.drop(self.body(x))


class Net({base}):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.drop = nn.Dropout()
        {more}

{methods}


def predict(path, x):
    net = Net()
    net.load_state_dict(torch.load(path))
    with torch.no_grad():
        np.save("out.npy", net{called}(x).cpu().numpy()){mark}
"""
_OF_ANOTHER_METHOD = """
    def forward(self, x):
        return self.body(x)

    def loss(self, x):
        return self.drop(self.body(x)).mean()
"""
_BY_A_HELPER = """
    def forward(self, x):
        return self.step(x, self.scale)

    @property
    def scale(self):
        return 2 * self.body.weight.mean()

    def step(self, x, scale):
        return self.body(x) * scale
"""
_OF_NONE = """
    @torch.no_grad()
    def forward(self, x):
        return self.body(x)
"""


def _program(methods: str, base: str = "nn.Module", more: str = "pass", called: str = "", mark: str = "") -> str:
    text = indent(dedent(methods).strip(), " " * 4)
    return _PROGRAM.format(methods=text, base=base, more=more, called=called, mark=mark)


@pytest.mark.parametrize("methods", [_OF_ANOTHER_METHOD, _BY_A_HELPER, _OF_NONE])
@pytest.mark.parametrize("called", ["", ".forward"])
def test_a_part_that_does_not_run(methods: str, called: str) -> None:
    assert_marked(_program(methods, called=called))


@pytest.mark.parametrize(
    ("methods", "base", "more"),
    [
        pytest.param("def forward(self, x):\n    return self.drop(x)", "nn.Module", "pass", id="it is named"),
        pytest.param(
            "def forward(self, x):\n    return self.step(x)\n\ndef step(self, x):\n    return self.drop(x)",
            "nn.Module",
            "pass",
            id="by a helper",
        ),
        pytest.param("def forward(self, x):\n    return step(self, x)", "nn.Module", "pass", id="the whole is handed on"),
        pytest.param(
            "def forward(self, x):\n    for part in self.children():\n        x = part(x)\n    return x",
            "nn.Module",
            "pass",
            id="all parts",
        ),
        pytest.param("def forward(self, x):\n    return getattr(self, 'drop')(self.body(x))", "nn.Module", "pass", id="by a text"),
        pytest.param("def forward(self, x):\n    return super().forward(x)", "Base", "pass", id="in the base"),
        pytest.param("def scale(self):\n    return 2", "Base", "pass", id="an inherited forward"),
        pytest.param(
            "def forward(self, x):\n    return self.block(self.body(x))", "nn.Module", "self.block = Block(self.drop)", id="in another part"
        ),
        pytest.param(
            "def forward(self, x):\n    return self.how(x)\n\ndef dropped(self, x):\n    return self.drop(self.body(x))",
            "nn.Module",
            "self.how = self.dropped",
            id="by a method of another name",
        ),
        pytest.param(
            "def forward(self, x):\n    def run(y):\n        return self.drop(y)\n    return run(self.body(x))",
            "nn.Module",
            "pass",
            id="a function within",
        ),
    ],
)
def test_one_that_may_run(methods: str, base: str, more: str) -> None:
    assert_marked(_program(methods, base, more, mark="  # expect: LL302"))


def test_a_layer_beside_a_dropout_by_a_function_tells_what_was_meant() -> None:
    program = _program("def forward(self, x):\n    return F.dropout(self.body(x))", mark="  # expect: LL302")
    assert_marked(f"import torch.nn.functional as F\n{program}")
