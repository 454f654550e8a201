"""A class of the program that has the methods of a gradient scaler and scales nothing is one that is off, beside one of torch that is on."""

from __future__ import annotations

import pytest

from programs import assert_marked

IDLE = """
class IdleScaler(object):
    def scale(self, outputs):
        return outputs

    def unscale_(self, optimizer):
        return optimizer

    def step(self, optimizer, *args):
        '''Steps without a scale.'''
        return optimizer.step(*args)

    def update(self):
        pass
"""
TRAIN = """
def train(model: nn.Module, loader, half):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    {built}
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", enabled=half):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        {unscaled}
        nn.utils.clip_grad_norm_(model.parameters(), 1.0){mark}
        scaler.step(optimizer)
        scaler.update()
"""
BUILT = {
    "either branch": "if half:\n        scaler = torch.amp.GradScaler('cuda')\n    else:\n        scaler = IdleScaler()",
    "an expression": "scaler = IdleScaler() if not half else torch.amp.GradScaler('cuda')",
    "replaced": "scaler = IdleScaler()\n    if half:\n        scaler = torch.amp.GradScaler('cuda')",
}
EXPECT = "  # expect: LL601"


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
@pytest.mark.parametrize("unscaled", [False, True], ids=["scaled", "unscaled"])
def test_a_scaler_that_is_off_stands_for_one_that_is_on(built: str, unscaled: bool) -> None:
    unscale = "scaler.unscale_(optimizer)" if unscaled else "pass"
    assert_marked(IDLE + TRAIN.format(built=built, unscaled=unscale, mark="" if unscaled else EXPECT))


def test_trainers_that_keep_either_are_judged() -> None:
    assert_marked(f"""{IDLE}
class Trainer:
    def __init__(self, model: nn.Module, half):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scaler = make(half)["scaler"]

    def train_iter(self, x, y):
        self.model.train()
        self.optimizer.zero_grad()
        self.scaler.scale(nn.functional.mse_loss(self.model(x), y)).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0){EXPECT}
        self.scaler.step(self.optimizer)
        self.scaler.update()

def make(half):
    if not half:
        scaler = IdleScaler()
    else:
        scaler = torch.amp.GradScaler("cuda")
    return {{"scaler": scaler}}
""")


def test_what_is_off_alone_scales_nothing() -> None:
    assert_marked(IDLE + TRAIN.format(built="scaler = IdleScaler()", unscaled="pass", mark=""))


def test_an_update_that_is_missing_matters_to_one_that_is_on() -> None:
    train = TRAIN.format(built=BUILT["either branch"], unscaled="scaler.unscale_(optimizer)", mark="").replace("scaler.update()", "pass")
    assert_marked(IDLE + train.replace("scaler.step(optimizer)", "scaler.step(optimizer)  # expect: LL602"))
    assert_marked(IDLE + train.replace(BUILT["either branch"], "scaler = IdleScaler()"))


@pytest.mark.parametrize(
    ("has", "instead"),
    [
        ("return outputs", "return outputs * 1024"),
        ("    def unscale_(self, optimizer):\n        return optimizer\n", ""),
        ("return optimizer.step(*args)", "if self.ready(optimizer):\n            optimizer.step(*args)"),
        ("        pass", "        self.scheduler.step()"),
    ],
    ids=["scales", "cannot unscale", "steps at times", "does more"],
)
def test_a_class_that_does_more_or_less_is_none(has: str, instead: str) -> None:
    assert has in IDLE
    assert_marked(IDLE.replace(has, instead) + TRAIN.format(built=BUILT["either branch"], unscaled="pass", mark=""))
