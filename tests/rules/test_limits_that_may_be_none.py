"""Whether there is a limit to clip by says nothing of the scaler: a clip under that condition meets scaled gradients, also where an option may switch the scaler off."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

WRAPPER = """
class Scaler:
    def __init__(self, fp32=False, clip=None):
        self._scaler = torch.cuda.amp.GradScaler(enabled=not fp32)
        self.clip = clip
        self.fp32 = fp32

    def __call__(self, loss, optimizer, clip=None, parameters=None, update=True, fp32=False):
        self._scaler.scale(loss).backward()
        if update:
            if {test}:
                {unscale}
                torch.nn.utils.clip_grad_norm_(parameters, {limit}){mark}
            else:
                self._scaler.unscale_(optimizer)
            self._scaler.step(optimizer)
            self._scaler.update()
"""
LOOP = """
def train(model, loader, optimizer, args):
    scaler = torch.amp.GradScaler("cuda", enabled=args.amp)
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16, enabled=args.amp):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        if {test}:
            {unscale}
            nn.utils.clip_grad_norm_(model.parameters(), {limit}){mark}
        else:
            scaler.unscale_(optimizer)
            print(model.weight.grad.norm().item())
        scaler.step(optimizer)
        scaler.update()
"""
MARK = "  # expect: LL601"
OF_THE_LIMIT = [
    pytest.param(WRAPPER, "clip is not None", "clip", id="an argument"),
    pytest.param(WRAPPER, "clip", "max_norm=clip", id="its truth, by keyword"),
    pytest.param(WRAPPER, "self.clip > 0", "self.clip", id="an attribute"),
    pytest.param(LOOP, "args.clip is not None and args.clip > 0", "args.clip", id="an option in a loop"),
]


@pytest.mark.parametrize(("program", "test", "limit"), OF_THE_LIMIT)
def test_a_condition_on_the_limit(program: str, test: str, limit: str) -> None:
    assert_marked(program.format(test=test, unscale="pass", limit=limit, mark=MARK))
    owner = "self._scaler" if program is WRAPPER else "scaler"
    assert_marked(program.format(test=test, unscale=f"{owner}.unscale_(optimizer)", limit=limit, mark=""))


OF_MORE = [
    pytest.param(WRAPPER, "fp32", "clip", id="the precision"),
    pytest.param(WRAPPER, "clip and self.fp32", "clip", id="and the precision"),
    pytest.param(WRAPPER, "self.fp32", "self.clip", id="another attribute"),
    pytest.param(LOOP, "args.full", "args.clip", id="another option"),
    pytest.param(LOOP, "args.full", "1.0", id="a number"),
]


@pytest.mark.parametrize(("program", "test", "limit"), OF_MORE)
def test_a_condition_that_may_tell_of_the_scaler(program: str, test: str, limit: str) -> None:
    assert_marked(program.format(test=test, unscale="pass", limit=limit, mark=""))
