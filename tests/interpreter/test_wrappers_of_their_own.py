"""A class of the program that derives from DataParallel or its like wraps a model: it is that model."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from registry import models

class Spread({base}):
    {own}

class Trainer:
    def __init__(self, config, loader, valid):
        self.loader, self.valid = loader, valid
        model = models.build(config)
        self.model = {wrapped}
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        for x, y in self.valid:
            print(nn.functional.mse_loss(self.model(x), y).item())

    def train(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            for i, (x, y) in enumerate(self.loader):
                self.opt.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward(){mark}
                self.opt.step()
                if i % 100 == 99:
                    self.validate()
                    {after}
"""
FOUND = "  # expect: LL304"
FORWARD = """def forward(self, batch):
        return self.module(batch[0])"""
CONSTRUCTOR = """def __init__(self, first, module, devices):
        super().__init__(module, device_ids=devices)
        self.first = first"""
SCATTER = """def scatter(self, inputs, kwargs, devices):
        return super().scatter(inputs[:2], kwargs, devices)"""


@pytest.mark.parametrize(
    ("base", "own", "wrapped"),
    [
        ("nn.DataParallel", FORWARD, "Spread(model)"),
        ("nn.DataParallel", CONSTRUCTOR, "Spread(4, model, [0, 1])"),
        ("nn.parallel.DistributedDataParallel", SCATTER, "Spread(module=model, device_ids=[0])"),
    ],
)
def test_its_mode_is_the_models(base: str, own: str, wrapped: str) -> None:
    assert_marked(PROGRAM.format(base=base, own=own, wrapped=wrapped, mark=FOUND, after="pass"))
    assert_marked(PROGRAM.format(base=base, own=own, wrapped=wrapped, mark="", after="self.model.train()"))


def test_a_class_with_methods_of_its_own_is_no_wrapper_alone() -> None:
    own = """def eval(self):
        return self"""
    assert_marked(PROGRAM.format(base="nn.DataParallel", own=own, wrapped="Spread(model)", mark="", after="pass"))
