"""LL303: a part out of sight whose `forward` is called by that name is a module, and no method that may disable gradients by itself."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import time
from torch import optim


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.optimizer = optim.Adam(self.parameters())

    def fit(self, loader):
        for x, y in loader:
            self.train()
            self.optimizer.zero_grad()
            self.loss(self(x), y).backward()
            self.optimizer.step()

    def eval_time(self, dataset_eval):
        def run():
            start = time.time()
            for x, y in dataset_eval:
                {context}
                    {body}
            return time.time() - start

        self.eval()
        return run()
"""
BODIES = [
    "x = self.encoder.forward(x)",
    "self.net.encoder.forward(x, y)",
    'hidden = self.parts["decoder"].forward(y, None)[1]',
    "x, lengths = self.encoder.forward(x)",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_pass_that_is_timed(body: str) -> None:
    assert_marked(PROGRAM.format(context="if True:", body=f"{body}  # expect: LL303"))
    assert_marked(PROGRAM.format(context="with torch.no_grad():", body=body))


@pytest.mark.parametrize("body", ["x = self.encode(x)", "x = self.encoder.generate(x)", "x = self.decoder.forward_greedy(x)"])
def test_what_may_be_a_method_that_disables_them(body: str) -> None:
    assert_marked(PROGRAM.format(context="if True:", body=body))
