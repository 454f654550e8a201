"""An accelerator that is handed in, or else built, is one: what goes backward through it reaches the optimizer in any case."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from accelerate import Accelerator

class Trainer:
    def __init__(self, net, loader, rate, accelerator{annotation}=None):
        rate = rate * accelerator.num_processes if accelerator else rate
        {own} = {chosen}
        self.net = net
        self.opt = torch.optim.Adam(net.parameters(), lr=rate)
        self.net, self.opt, self.loader = {own}.prepare(self.net, self.opt, loader)
        self.accelerator = {own}

    def train(self):
        self.net.train()
        for x, y in self.loader:
            loss = nn.functional.mse_loss(self.net(x), y)
            self.accelerator.backward(loss{retained}){mark}
            self.opt.step()
            {cleared}
"""
CHOSEN = [
    "accelerator or Accelerator()",
    "accelerator if accelerator is not None else Accelerator(mixed_precision='fp16')",
    "accelerator if accelerator else Accelerator()",
    "Accelerator() if accelerator is None else accelerator",
]


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("own", ["self.accelerator", "own"])
def test_it_is_one(chosen: str, own: str) -> None:
    form = {"annotation": ": Accelerator", "own": own, "chosen": chosen}
    assert_marked(PROGRAM.format(**form, retained=", retain_graph=True", cleared="self.opt.zero_grad()", mark="  # expect: LL110"))
    assert_marked(PROGRAM.format(**form, retained="", cleared="pass", mark="  # expect: LL102"))
    assert_marked(PROGRAM.format(**form, retained="", cleared="self.opt.zero_grad()", mark=""))
