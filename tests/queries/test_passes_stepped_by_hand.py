"""A loop in which the program applies the gradients itself trains on its loader; so does a DeepSpeed engine whose model is stepped so."""

from __future__ import annotations

from textwrap import indent

import pytest

from programs import assert_marked

PROGRAM = """
    import torch.nn.functional as F
    from torch import optim
    from torch.utils.data import DataLoader
    from torch.utils.data.distributed import DistributedSampler


    class Fused(optim.Optimizer):
        def __init__(self, model, lr):
            self.model = model
            self.lr = lr
            self.apply = self.made()
            for p in self.model.parameters():
                p.register_hook(self.apply)
            super().__init__(model.parameters(), dict(lr=lr))

        def made(self):
            def apply(x):
                with torch.no_grad():
                    for name, p in self.model.named_parameters():
                        if p.requires_grad and p.grad is not None:
{update}
                return x

            return apply

        def fused_backward(self, loss):
            loss.backward()
            self.apply(0)


    def main(data, epochs):
        net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
        sampler = DistributedSampler(data){mark}
        loader = DataLoader(data, batch_size=4, sampler=sampler, num_workers=2)
        opt = Fused(net, 0.1)
        for epoch in range(epochs):
            {told}
            for x, y in loader:
                loss = F.mse_loss(net(x), y)
                opt.fused_backward(loss)
"""
UPDATES = {
    "at once": "p.data.add_(p.grad, alpha=-self.lr)\np.grad = None",
    "a gradient with a name": "grad = p.grad.float()\np.grad = None\np.data.add_(grad, alpha=-self.lr)",
    "a difference": "p -= self.lr * p.grad\np.grad = None",
    "a copy that is written back": "grad = p.grad.float()\np.grad = None\nnew = p.data.float()\nnew.add_(grad, alpha=-self.lr)\np.data.copy_(new)",
}
ENGINE = """
    import deepspeed
    import torch.nn.functional as F


    def evaluate(engine, valid):
        engine.eval()
        total = 0.0
        with torch.no_grad():
            for x, y in valid:
                total += F.mse_loss(engine(x), y).item()
        return total


    def train(net, loader, valid, epochs, lr):
        engine, _, _, _ = deepspeed.initialize(model=net)
        for epoch in range(epochs):
            for x, y in loader:
                {on}
                loss = F.mse_loss(engine(x), y){mark}
                loss.backward()
                for p in net.parameters():
                    p.data.add_(p.grad, alpha=-lr)
                    p.grad = None
            print(evaluate(engine, valid))
"""


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_a_sampler_that_is_never_told_the_epoch(update: str) -> None:
    assert_marked(PROGRAM.format(update=indent(update, " " * 28), told="print(epoch)", mark="  # expect: LL903"))


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_a_sampler_that_is_told_the_epoch(update: str) -> None:
    assert_marked(PROGRAM.format(update=indent(update, " " * 28), told="sampler.set_epoch(epoch)", mark=""))


def test_gradients_that_are_only_measured() -> None:
    assert_marked(PROGRAM.format(update=indent("print(p.grad.norm())", " " * 28), told="print(epoch)", mark=""))


def test_an_engine_whose_model_is_stepped_by_hand() -> None:
    assert_marked(ENGINE.format(on="x = x.cuda()", mark="  # expect: LL301"))
    assert_marked(ENGINE.format(on="engine.train()", mark=""))
