"""A model that is passed in has the methods of the class that its annotation names; what its layers are is not believed."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from __future__ import annotations
from typing import Optional

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)

    def forward(self, x):
        return self.body(x)

    @torch.no_grad()
    def sample(self, x):
        {first}
        out = self.body(x)
        {last}
        return out.clamp(0, 1)

class Further(Net):
    pass

class Trainer:
    def __init__(self, model: {said}, loader):
        self.model, self.loader = model, loader
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            for i, (x, y) in enumerate(self.loader):
                self.opt.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward(){mark}
                self.opt.step()
                if i % 100 == 99:
                    print({call})
"""
FOUND = "  # expect: LL304"


@pytest.mark.parametrize("said", ["Net", "Further", '"Net"'])
@pytest.mark.parametrize("call", ["self.model.sample(x)", "self.model.sample(x=x[:4]).mean().item()"])
def test_what_a_method_does_to_the_mode(said: str, call: str) -> None:
    assert_marked(PROGRAM.format(first="self.eval()", last="pass", said=said, call=call, mark=FOUND))
    assert_marked(PROGRAM.format(first="self.eval()", last="self.train()", said=said, call=call, mark=""))


@pytest.mark.parametrize("said", ["nn.Module", "object", "Unheard"])
def test_an_annotation_that_names_no_class_of_the_program(said: str) -> None:
    assert_marked(PROGRAM.format(first="self.eval()", last="pass", said=said, call="self.model.sample(x)", mark=""))
