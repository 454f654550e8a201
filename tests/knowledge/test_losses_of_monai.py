"""MONAI's losses are losses of torch's kind: applied, they give a tensor and send nothing backward themselves."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import monai
import torch
from elsewhere import Schedule, build
from monai.losses import DiceLoss, FocalLoss
from torch import nn


class Weighted(DiceLoss):
    pass


def train(loader, epochs):
    net = build().cuda()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
    schedule = Schedule(optimizer=opt)
    criterion = {built}
    for epoch in range(epochs):
        for batch in loader:
            opt.zero_grad()
            out = net(input_images=batch["image"])
            loss = torch.tensor(0.0).cuda()
            for k in range(len(batch["label"])):
                loss += {applied}
            {backward}
            opt.step(){marked}
        schedule.step()
"""
FORMS = {
    "built where it is applied": ("None", "monai.losses.DiceCELoss(sigmoid=True)(out[[k]].float(), batch['label'][k])"),
    "imported": ("FocalLoss()", "criterion(out[[k]].float(), batch['label'][k])"),
    "derived from": ("Weighted(sigmoid=True)", "criterion(out[k], batch['label'][k])"),
    "two of them": ("DiceLoss(sigmoid=True)", "criterion(out[k], batch['label'][k]) + FocalLoss()(out[k], batch['label'][k])"),
}


@pytest.mark.parametrize(("built", "applied"), FORMS.values(), ids=FORMS.keys())
def test_a_step_without_a_backward_is_told(built: str, applied: str) -> None:
    def program(backward: str, marked: str) -> str:
        return PROGRAM.format(built=built, applied=applied, backward=backward, marked=marked)

    assert_marked(program("print(loss)", "  # expect: LL107"))
    assert_marked(program("loss.backward()", ""))
