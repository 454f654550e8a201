"""An entry, behind the first, of what a module out of sight returns may be a text or an array: it is kept with no graph unless it is used as a tensor (LL401)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn

def run(net, loader):
    opt = torch.optim.Adam(net.parameters())
    kept = []
    for x, y in loader:
        opt.zero_grad()
        {forward}
        loss = nn.functional.cross_entropy({scores}, y)
        loss.backward()
        opt.step()
        {keep}
    print(kept)
"""


def found(forward: str, scores: str, keep: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(forward=forward, scores=scores, keep=keep), isolated=True)]


@pytest.mark.parametrize(
    ("forward", "scores", "keep"),
    [
        ("scores, texts = net(x)", "scores", "kept.append(texts)"),
        ("scores, texts = net(x)", "scores", "kept.append((texts, y, 1))"),
        ("scores, texts = net(x)", "scores", "for text, label in zip(texts, y): kept.append((text, label))"),
        ("scores, _, texts = net(x)", "scores", "kept += [texts]"),
        ("out = net(x)", "out[0]", "kept.append(out[1])"),
    ],
)
def test_nothing_shows_that_it_is_a_tensor(forward: str, scores: str, keep: str) -> None:
    assert found(forward, scores, keep) == []


@pytest.mark.parametrize(
    ("forward", "scores", "keep"),
    [
        ("hidden, scores = net(x)", "scores", "kept.append(scores)"),
        ("hidden, scores = net(x)", "scores", "kept.append(hidden)"),
        ("scores, hidden = net(x)\n        scores = scores - 2 * hidden", "scores", "kept.append(hidden)"),
        ("scores, hidden = net(x)", "scores", "kept.append(torch.relu(hidden))"),
        ("scores, hidden = net(x)", "scores", "kept.append(loss)"),
        ("out = net(x)", "out[1]", "kept.append(out[0])"),
    ],
)
def test_a_tensor(forward: str, scores: str, keep: str) -> None:
    assert found(forward, scores, keep) == ["LL401"]
