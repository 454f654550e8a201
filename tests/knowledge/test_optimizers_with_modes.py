"""An optimizer without a schedule has two modes of its own, and is an optimizer all the same, wherever it comes from."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from accelerate import Accelerator
from {library} import {name}

class Trainer:
    def __init__(self, model, config, accelerator):
        self.accelerator = accelerator
        optimizer = {name}(model.parameters(), lr=config.lr)
        self.model, self.optimizer = accelerator.prepare(model, optimizer)

    def train_epoch(self, loader):
        for x, y in loader:
            loss = nn.functional.cross_entropy(self.model(x), y)
            {loop}

    def train(self, loader, val_loader):
        for epoch in range(10):
            self.optimizer.train()
            self.model.train()
            self.train_epoch(loader)
            self.optimizer.eval()
            self.model.eval()
            with torch.no_grad():
                for x, y in val_loader:
                    print((self.model(x).argmax(1) == y).float().mean().item())
"""
BACKWARD = "self.accelerator.backward(loss)"
LOOPS = {
    "no step": f"{BACKWARD}  # expect: LL106\n            self.optimizer.zero_grad()",
    "no clear": f"{BACKWARD}  # expect: LL102\n            self.optimizer.step()",
    "right": f"{BACKWARD}; self.optimizer.step(); self.optimizer.zero_grad()",
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(("library", "name"), [("schedulefree", "AdamWScheduleFree"), ("dadaptation", "DAdaptAdam"), ("ours", "Fancy")])
def test_it_is_an_optimizer(library: str, name: str, loop: str) -> None:
    assert_marked(PROGRAM.format(library=library, name=name, loop=LOOPS[loop]))
