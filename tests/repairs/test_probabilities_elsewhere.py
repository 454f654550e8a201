"""A softmax in a model stays where something besides the loss, the largest value and a metric gets what the model puts out."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return {activation}


def accuracy(outputs, y):
    return (outputs.argmax(1) == y).float().mean().item()


def compute_loss(logits, y, scores):
    loss = F.{loss}(logits.view(-1, 2), y)
    {beside}
    return loss


def main(loader, valid, scores):
    net = Net()
    opt = torch.optim.Adam(net.parameters())
    for x, y in loader:
        opt.zero_grad()
        out = net(x)
        loss = compute_loss(out, y, scores)
        loss.backward()
        opt.step()
        {after}
    net.eval()
    with torch.no_grad():
        for x, y in valid:
            outputs = net(x)
            {valid}
"""
ALONE = {"activation": "self.fc(x).softmax(dim=1)", "loss": "cross_entropy", "beside": "pass", "after": "pass", "valid": "pass"}
SIGMOID = {"activation": "torch.sigmoid(self.fc(x))", "loss": "binary_cross_entropy_with_logits"}
ELSEWHERE = {
    "another loss beside it": {"beside": "loss = loss + F.mse_loss(logits, scores)"},
    "an entropy": {"beside": "loss = loss - (logits * logits.log()).sum()"},
    "the caller compares it": {"after": "sure = out > 0.5"},
    "the caller keeps it": {"after": "rows = [out.tolist()]"},
    "another pass shows it": {"valid": "print(outputs)"},
    "another pass filters it": {"valid": "refined = crf.refine(x, outputs)"},
    "a threshold of a sigmoid": {**SIGMOID, "valid": "hits = (outputs > 0.5).sum().item()"},
    "a metric of a sigmoid": {**SIGMOID, "valid": "accuracy(outputs, y)"},
}
NOWHERE = {
    "the loss alone": {},
    "the largest": {"after": "hits = (out.argmax(1) == y).sum().item()", "valid": "_, predicted = torch.max(outputs.data, 1)"},
    "a metric": {"valid": "accuracy(outputs, y)"},
    "the loss again": {"valid": "print(F.cross_entropy(outputs, y).item(), outputs.shape)"},
    "what has its name in another function": {"valid": "del outputs"},
    "a sigmoid for the loss alone": SIGMOID,
}


def _repairs(changed: dict[str, str]) -> list[str]:
    found = [f for f in looplint.lint(PROGRAM.format(**{**ALONE, **changed}), isolated=True) if f.code in ("LL701", "LL702")]
    assert found
    return [f.fix.message if f.fix is not None else f.unrepaired or "" for f in found]


@pytest.mark.parametrize("changed", ELSEWHERE.values(), ids=ELSEWHERE)
def test_it_stays(changed: dict[str, str]) -> None:
    assert all("too" in told for told in _repairs(changed))


def test_a_layer_stays_in_its_container() -> None:
    program = PROGRAM.replace("nn.Linear(4, 2)", "nn.Sequential(nn.Linear(4, 2), nn.Softmax(1))")
    layer = {**ALONE, "activation": "self.fc(x)"}
    (alone,) = looplint.lint(program.format(**layer), isolated=True)
    (taken,) = looplint.lint(program.format(**{**layer, **ELSEWHERE["another loss beside it"]}), isolated=True)
    assert alone.fix is not None and alone.fix.message == "Remove nn.Softmax(1)"
    assert taken.fix is None and taken.unrepaired == "F.mse_loss(logits, scores) gets the probabilities too"


@pytest.mark.parametrize("changed", NOWHERE.values(), ids=NOWHERE)
def test_it_goes(changed: dict[str, str]) -> None:
    assert all(told == "Remove the activation of self.fc(x)" for told in _repairs(changed))
