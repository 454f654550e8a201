"""What a function is given that is wrapped where it is called is used as the function uses it: `retry(self.infer)(output)`."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import torch
from torch import nn
from elsewhere import retry, make

class Net(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, batched):
        outputs = self.head([each["image"] for each in batched])
        found = []
        for scores, masks in zip(outputs["scores"], outputs["masks"]):
            {moved}
            found.append({called})
        return found

    def infer(self, scores, masks):
        return torch.einsum("qc,qhw->chw", torch.nn.functional.softmax(scores, dim=-1), masks.sigmoid())

    def keep(self, scores, masks):
        self.last = scores, masks
"""
LOUD = [
    "retry(self.infer)(scores, masks)",
    "make.retrying(self.infer)(scores, masks)",
    "retry(self.infer)(scores=scores, masks=masks)",
    "self.infer(scores, masks)",
]
QUIET = [
    "retry(self.keep)(scores, masks)",
    "retry(self, self.infer)(scores, masks)",
    "retry(*self.infer)(scores, masks)",
    "retry(name=self.infer)(scores, masks)",
    "type(self.infer)(scores, masks)",
]


@pytest.mark.parametrize("called", LOUD)
@pytest.mark.parametrize("moved", ["scores.to(masks)", "scores.cuda()"])
def test_a_tensor(called: str, moved: str) -> None:
    assert_marked(PROGRAM.format(called=called, moved=f"{moved}  # expect: LL503"))
    assert_marked(PROGRAM.format(called=called, moved=f"scores = {moved}"))


@pytest.mark.parametrize("called", QUIET)
def test_nothing_tells_of_a_tensor(called: str) -> None:
    assert_marked(PROGRAM.format(called=called, moved="scores.to(masks)"))


def test_an_optimizer_that_a_wrapped_method_of_a_scaler_gets() -> None:
    assert_marked("""
        import torch
        from torch.cuda.amp import GradScaler
        from elsewhere import timed

        def train(net: torch.nn.Module, updater, loader, scaler: GradScaler):
            for x in loader:
                updater.zero_grad()
                loss = net(x).sum()
                scaler.scale(loss).backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                timed(scaler.step)(updater)
                scaler.update()
    """)
