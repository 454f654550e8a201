"""A schedule whose words are those of steps, as where it was copied from: what its caller gives for its end tells what it counts."""

import pytest

from programs import assert_marked

OWN = """
import math
from functools import partial

{schedule}

def train(net, loader, args):
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    total = {total}
    schedule = {made}
    for epoch in range(args.epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
        schedule.step(){mark}
"""
COSINE = """
def cosine(optimizer, num_warmup_steps, num_training_steps, last_epoch=-1):
    def factor(current_step):
        if current_step < num_warmup_steps:
            return current_step / max(1, num_warmup_steps)
        progress = (current_step - num_warmup_steps) / max(1, num_training_steps - num_warmup_steps)
        return 0.5 * (1.0 + math.cos(math.pi * progress))
    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor, last_epoch)
"""
PARTIAL = """
def decayed(current_step, *, num_training_steps):
    return max(0.0, (num_training_steps - current_step) / num_training_steps)

def linear(optimizer, num_training_steps):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, partial(decayed, num_training_steps=num_training_steps))
"""
HANDED_ON = (
    COSINE
    + """
def build(optimizer, total_steps):
    return cosine(optimizer, num_warmup_steps=0, num_training_steps=total_steps)
"""
)
HORIZON = """
def annealed(optimizer, total_steps):
    return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps)
"""
TRANSFORMERS = "from transformers import get_cosine_schedule_with_warmup, get_scheduler"
CASES = [
    (COSINE, "cosine(opt, num_warmup_steps=0, num_training_steps=total)"),
    (COSINE, "cosine(opt, 5, total)"),
    (PARTIAL, "linear(opt, num_training_steps=total)"),
    (HANDED_ON, "build(opt, total)"),
    (HORIZON, "annealed(opt, total_steps=total)"),
    (TRANSFORMERS, "get_cosine_schedule_with_warmup(opt, num_warmup_steps=0, num_training_steps=total)"),
    (TRANSFORMERS, "get_scheduler('linear', opt, num_warmup_steps=0, num_training_steps=total)"),
]


@pytest.mark.parametrize(("schedule", "made"), CASES)
@pytest.mark.parametrize("total", ["args.epochs", "args.max_epochs - 5"])
def test_an_end_that_is_given_in_epochs_is_not_one_of_steps(schedule: str, made: str, total: str) -> None:
    assert_marked(OWN.format(schedule=schedule, made=made, total=total, mark=""))


@pytest.mark.parametrize(("schedule", "made"), CASES)
@pytest.mark.parametrize("total", ["args.epochs * len(loader)", "args.max_steps", "args.epochs * args.steps_per_epoch"])
def test_one_that_is_given_in_steps_is(schedule: str, made: str, total: str) -> None:
    assert_marked(OWN.format(schedule=schedule, made=made, total=total, mark="  # expect: LL202"))


def test_a_number_that_is_multiplied_on_the_way_is_not_what_was_given() -> None:
    scaled = COSINE.replace("    def factor", "    num_training_steps = num_training_steps * 500\n    def factor")
    made = "cosine(opt, 0, num_training_steps=args.epochs)"
    assert_marked(OWN.format(schedule=scaled, made=made, total=0, mark="  # expect: LL202"))
