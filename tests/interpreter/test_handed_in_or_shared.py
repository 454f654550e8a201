"""An optimizer that is handed in, or else the one that another model has: it is one of the two, and its loop is judged."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
{maker}

class Agent:
    def __init__(self, act, act_optimizer, cri=None, cri_optimizer=None, **kwargs):
        self.act = act
        self.cri = cri if cri is not None else self.act
        self.act_optimizer = act_optimizer
        self.cri_optimizer = {given}

    def update(self, loader):
        for x, y in loader:
            loss = nn.functional.mse_loss(self.cri(x), y)
            {before}
            loss.backward()
            {after}
            self.cri_optimizer.step()

    def update_actor(self, loader):
        for x, y in loader:
            self.act_optimizer.zero_grad()
            nn.functional.mse_loss(self.act(x), y).backward()
            self.act_optimizer.step()

    def update_both(self, loader):
        for x, y in loader:
            self.act_optimizer.zero_grad()
            self.cri_optimizer.zero_grad()
            nn.functional.mse_loss(self.act(x), y).backward()
            nn.functional.mse_loss(self.cri(x), y).backward()
            self.act_optimizer.step()
            self.cri_optimizer.step()

    def update_one_after_the_other(self, loader):
        for x, y in loader:
            nn.functional.mse_loss(self.act(x), y).backward()
            nn.functional.mse_loss(self.cri(x), y).backward()
            self.act_optimizer.step()
            self.act_optimizer.zero_grad()
            self.cri_optimizer.step()
            self.cri_optimizer.zero_grad()
"""
MAKER = """
def take(options, key, default=None):
    return options[key] if key in options else default
"""
TAKEN = "take(kwargs, 'cri_optimizer') if take(kwargs, 'cri_optimizer') else self.act_optimizer"
FORMS = [
    pytest.param("", "cri_optimizer if cri_optimizer else self.act_optimizer", id="its truth"),
    pytest.param("", "cri_optimizer if cri_optimizer is not None else self.act_optimizer", id="not None"),
    pytest.param("", "cri_optimizer if cri_optimizer is not None else act_optimizer", id="a name"),
    pytest.param(MAKER, TAKEN, id="by its key"),
]
CLEAR = "self.cri_optimizer.zero_grad()"


@pytest.mark.parametrize(("maker", "given"), FORMS)
def test_its_own_loop(maker: str, given: str) -> None:
    assert_marked(PROGRAM.format(maker=maker, given=given, before="pass", after=f"{CLEAR}  # expect: LL101"))
    assert_marked(PROGRAM.format(maker=maker, given=given, before=CLEAR, after="pass"))


@pytest.mark.parametrize(
    "given", ["cri_optimizer if kwargs else self.act_optimizer", "self.act_optimizer if cri is None else cri_optimizer"]
)
def test_what_another_condition_chooses(given: str) -> None:
    assert_marked(PROGRAM.format(maker="", given=given, before="pass", after=CLEAR))
