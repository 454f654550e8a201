"""The wrapper that a library puts around the average of a model's weights moves towards the model: gradients, steps and modes are as they were."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        import copy
        from timm.utils import ModelEma, ModelEmaV2
        from ema_pytorch import EMA
        from elsewhere import Follower
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 1)
                self.dropout = nn.Dropout()
            def forward(self, x):
                return self.dropout(self.layer(x))
            def update(self, model):
                for p in model.parameters():
                    p.data -= 0.1 * p.grad
        class Trainer:
            def __init__(self, lr):
                self.model = Net()
                self.average = {built}
            def fit(self, loader, held_out):
                optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
                for epoch in range(9):
                    for x, y in loader:
                        {cleared}
                        nn.functional.mse_loss(self.model(x), y).backward(){marked}
                        {stepped}
                        {used}
                    {after}
"""
CLEAR, STEP, NOTHING = "optimizer.zero_grad()", "optimizer.step()", "pass"
SWA, UPDATE = "torch.optim.swa_utils.AveragedModel(self.model)", "self.average.update_parameters(self.model)"
NO_STEP, NO_CLEAR, IN_EVAL_MODE = "  # expect: LL106", "  # expect: LL102", "  # expect: LL301"


def _program(built: str, used: str, *, marked: str, after: str = NOTHING) -> str:
    cleared, stepped = NOTHING if marked == NO_CLEAR else CLEAR, STEP if marked in (NO_CLEAR, IN_EVAL_MODE) else NOTHING
    return LOOP.format(built=built, used=used, marked=marked, cleared=cleared, stepped=stepped, after=after)


PROGRAMS = {
    "torch's own, and nothing steps": _program(SWA, UPDATE, marked=NO_STEP),
    "timm's, and nothing steps": _program("ModelEmaV2(self.model, decay=0.9)", "self.average.update(self.model)", marked=NO_STEP),
    "one that keeps the model, and nothing steps": _program("EMA(self.model, beta=0.9)", "self.average.update()", marked=NO_STEP),
    "gradients stay": _program("ModelEma(self.model)", "self.average.update(self.model)", marked=NO_CLEAR),
    "eval mode stays": _program(SWA, UPDATE, marked=IN_EVAL_MODE, after="self.model.eval(); print(self.model(held_out))"),
    "a copy that is no such wrapper has the model's own methods": _program(
        "copy.deepcopy(self.model)", "self.average.update(self.model)", marked=""
    ),
    "one of a library that is not known may step": _program(
        "Follower(self.model)", "self.average.update_parameters(self.model)", marked=""
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_wrappers_of_averages(program: str) -> None:
    assert_marked(program)
