"""A run has one outcome of an option that an object keeps too, `self.args.pairs`: what one branch leaves in a turn, the other does not find in the next."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import argparse

class Runner:
    def __init__(self, args, net):
        self.args = args
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def train(self, loader):
        for epoch in range(3):
            {branch}
                self.net.train()
                for x, y in loader:
                    self.opt.zero_grad()
                    nn.functional.l1_loss(self.net(x), y).backward()
                    self.opt.step()
                self.net.eval()
                with torch.no_grad():
                    print(sum(nn.functional.l1_loss(self.net(x), y).item() for x, y in loader))
            else:
                for x, y in loader:
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.net(x), y).backward(){mark}
                    self.opt.step()
            {after}

parser = argparse.ArgumentParser()
parser.add_argument("--pairs", action="store_true")
parser.add_argument("--mode", default="pairs")
parser.add_argument("--size", type=int, default=8)
args = parser.parse_args()
loader = [(torch.randn(4, 8), torch.randn(4, 1)) for _ in range(3)]
Runner(args, nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))).train(loader)
"""
BRANCHES = {
    "a flag": "if self.args.pairs:",
    "a value": 'if self.args.mode == "pairs":',
    "two options": "if self.args.pairs and self.args.size > 4:",
    "one of them": "if self.args.pairs or self.args.size > 4:",
}


@pytest.mark.parametrize("branch", BRANCHES.values(), ids=BRANCHES)
def test_the_branches_are_runs_apart(branch: str) -> None:
    assert_marked(PROGRAM.format(branch=branch, after="", mark=""))


SET_AGAIN = {
    "the option": ("if self.args.pairs:", "self.args.pairs = not self.args.pairs"),
    "what keeps the options": ("if self.args.pairs:", "self.args = args if epoch else self.other"),
}


@pytest.mark.parametrize(("branch", "after"), SET_AGAIN.values(), ids=SET_AGAIN)
def test_one_that_changes_leads_from_one_branch_to_the_other(branch: str, after: str) -> None:
    assert_marked(PROGRAM.format(branch=branch, after=after, mark="  # expect: LL304"))


TRAINER = """
from transformers import Trainer

class Own(Trainer):
    def train(self):
        optimizer = self.optimizer
        for epoch in range(3):
            for inputs in self.get_train_dataloader():
                if self.args.estimated:
                    loss = self.compute_loss(self.model, inputs)
                    loss.backward()
                else:
                    self.training_step(self.model, inputs)
                    if self.args.fp16:
                        {unscale}
                        nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm){mark}
                        self.scaler.step(optimizer)
                        self.scaler.update()
                    else:
                        optimizer.step()
                    self.model.zero_grad()
"""


def test_the_arguments_of_a_trainer_are_options() -> None:
    assert_marked(TRAINER.format(unscale="", mark="  # expect: LL601"))
    assert_marked(TRAINER.format(unscale="self.scaler.unscale_(optimizer)", mark=""))
