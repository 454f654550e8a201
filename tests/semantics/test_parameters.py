"""Which modules are known to hold no parameters: what their results depend on has a graph only where their inputs have one."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.domain.objects import Module
from looplint.linting.analysis import build_program
from looplint.semantics.parameters import without_parameters
from looplint.sources.reading import decode

CLASSES = {
    "numbers and texts, by their defaults": ("n_fft=1024, kind='a'", "self.n_fft, self.kind = n_fft, kind", True),
    "a number, by its annotation": ("n_fft: int, kind: str = None", "self.n_fft = n_fft\n    self.kind = kind", True),
    "a function of the program": ("n_fft=1024, kind='a'", "self.transform = transform", True),
    "something handed in": ("n_fft, kind='a'", "self.front = n_fft", False),
    "something handed in, or nothing": ("n_fft=None, kind='a'", "self.front = n_fft", False),
    "something made of a number": ("n_fft=1024, kind='a'", "self.front = build(n_fft)", False),
    "a layer": ("n_fft=1024, kind='a'", "self.n_fft = n_fft\n    self.layer = nn.Linear(n_fft, 2)", False),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_module_that_keeps(name: str) -> None:
    parameters, body, expected = CLASSES[name]
    lines = "\n".join(f"        {line.strip()}" for line in body.split("\n"))
    text = dedent("""\
        import torch
        from torch import nn
        from settings import build

        def transform(x):
            return x.abs()

        class Front(nn.Module):
            def __init__(self, PARAMETERS):
                super().__init__()
        BODY
            def forward(self, x):
                return transform(x)

        def main(config):
            front = Front(config.n_fft, config.kind)
            front(torch.ones(2)).sum().backward()
        """)
    text = text.replace("PARAMETERS", parameters).replace("BODY", lines)
    program, _ = build_program(decode(text.encode(), None, "front.py"))
    (front,) = [each for each in program.modules if isinstance(each, Module) and each.name == "front"]
    assert without_parameters(front) == expected
