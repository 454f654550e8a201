"""A part that is replaced where the program then only evaluates is missed by no optimizer: the branch that trains is another (LL502)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Linear(4, 4)

        def fuse(self):
            self.head = nn.Linear(4, 4){mark}

        def forward(self, x):
            return self.conv(x)

    class Trainer:
        def __init__(self, net, optim, loader):
            self.net, self.optim, self.loader = net, optim, loader

        def one_epoch(self, training=True):
            net = self.net.train(training)
            for x, y in self.loader:
                with torch.set_grad_enabled(training):
                    loss = (net(x) - y).pow(2).mean()
                if training:
                    self.optim.zero_grad()
                    loss.backward()
                    self.optim.step()

    def main(args, loader):
        net = Net()
        optim = torch.optim.AdamW(net.parameters())
        trainer = Trainer(net, optim, loader)
        {body}
"""
EVALUATES = {
    "branches": "if args.eval: net.fuse(); trainer.one_epoch(training=False)\n        else: trainer.one_epoch()",
    "the other way round": "if not args.eval: trainer.one_epoch()\n        else: net.fuse(); trainer.one_epoch(training=False)",
    "within another condition": "if args.eval:\n            if args.fuse: net.fuse()\n            trainer.one_epoch(False)\n        else: trainer.one_epoch(True)",
}
TRAINS = {
    "before the branches": "if args.fuse: net.fuse()\n        if args.eval: trainer.one_epoch(False)\n        else: trainer.one_epoch()",
    "in one branch": "if args.eval: net.fuse(); trainer.one_epoch(True)\n        else: trainer.one_epoch()",
    "in turns of a loop": "for epoch in range(9):\n            if epoch == 4: net.fuse()\n            else: trainer.one_epoch()",
}


@pytest.mark.parametrize("body", EVALUATES.values(), ids=EVALUATES)
def test_the_branch_that_replaces_only_evaluates(body: str) -> None:
    assert_marked(PROGRAM.format(body=body, mark=""))


@pytest.mark.parametrize("body", TRAINS.values(), ids=TRAINS)
def test_a_step_may_follow(body: str) -> None:
    assert_marked(PROGRAM.format(body=body, mark="  # expect: LL502"))
