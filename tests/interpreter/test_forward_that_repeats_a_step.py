"""A module whose forward calls a step of training in a loop is a trainer: its forward is followed where nobody calls it."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim
from tqdm import trange


class Imagine(nn.Module):
    def __init__(self, epochs: int):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.2))
        self.epochs = epochs
        self.optimizer = optim.Adam(self.model.parameters(), 0.1)

    def train_step(self, x, i: int):
        loss = self.model(x).sum()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        if i % 10 == 0:
            with torch.no_grad():
                self.model.eval()
                print(self.model(x).sum().item())
                {after}
        return loss

    def forward(self):
        x, i = torch.randn(3, 3), 0
        {head}
            {call}
"""
HEADS = ["for i in range(self.epochs):", "for i in trange(self.epochs, desc='epochs'):", "for i, _ in enumerate(range(self.epochs)):"]


def codes(head: str, after: str = "pass", call: str = "loss = self.train_step(x, i)") -> list[str]:
    return [f.code for f in looplint.lint(SCRIPT.format(head=head, after=after, call=call), isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("head", HEADS)
def test_its_loop_is_that_of_training(head: str) -> None:
    assert codes(head) == ["LL304"]


@pytest.mark.parametrize("head", HEADS)
def test_what_is_right_there_is_left_alone(head: str) -> None:
    assert codes(head, after="self.model.train()") == []


def test_a_forward_without_a_step_is_a_computation() -> None:
    assert codes(HEADS[0], call="x = self.model(x)") == []


ADVERSARIAL = """\
import torch
from torch import nn


class Adversarial(nn.Module):
    def __init__(self, args, gan_type):
        super().__init__()
        self.discriminator = nn.Linear(2, 1)
        if gan_type == "wgan":
            self.optimizer = torch.optim.RMSprop(self.discriminator.parameters())
        else:
            self.optimizer = torch.optim.Adam(self.discriminator.parameters())
        self.scheduler = schedule(args, self.optimizer)

    def forward(self, fake, real):
        {loop}:
            self.optimizer.zero_grad()
            loss = (self.discriminator(fake.detach()) - self.discriminator(real)).mean()
            {body}
        return -self.discriminator(fake).mean()


def schedule(args, optimizer):
    if args.decay == "step":
        found = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    elif args.decay == "cosine":
        found = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    return found
"""


@pytest.mark.parametrize("loop", ["for _ in range(5)", "for number, scale in enumerate(args.scales)", "while self.close(fake, real)"])
@pytest.mark.parametrize(
    ("body", "found"),
    [("loss.backward(); self.optimizer.step()", []), ("self.optimizer.step()", ["LL107"]), ("print(loss.item())", [])],
)
def test_a_forward_that_steps_in_a_loop(loop: str, body: str, found: list[str]) -> None:
    """Whoever has the module steps its scheduler."""
    assert [f.code for f in looplint.lint(ADVERSARIAL.format(loop=loop, body=body)) if f.severity != "advice"] == found
