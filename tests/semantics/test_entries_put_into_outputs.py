"""What a program puts into a model's outputs under a key is what stands there: labels and counts have no graph (LL401)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

NAMES = """\
KEY = "labels"
ENTRIES = {"labels": ("scores", "labels"), "size": ("count", "size")}
"""
PROGRAM = """\
import torch
import names

NAME = "labels"


def outputs(net, batch, device):
    x, y = map(lambda each: each.to(device), batch)
    results = net(features=x)
    PUT
    return results


def train(net, loss, loader, valid, device):
    opt = torch.optim.Adam(net.parameters())
    for epoch in range(9):
        net.train()
        for batch in loader:
            opt.zero_grad()
            loss(outputs(net, batch, device)).backward()
            opt.step()
        net.eval()
        kept = []
        for batch in valid:
            kept.append(outputs(net, batch, device)["labels"])
        print(torch.cat(kept).cpu())
"""


def found(folder: Path, put: str) -> list[str]:
    (folder / "names.py").write_text(NAMES)
    path = folder / "script.py"
    path.write_text(PROGRAM.replace("PUT", put))
    return [f.code for f in looplint.lint(path, isolated=True) if f.code == "LL401"]


@pytest.mark.parametrize(
    "put",
    [
        "results['labels'] = y.view(-1)",
        "results[NAME] = y",
        "results[names.KEY] = y.view(-1)",
        "results[names.ENTRIES['labels'][1]] = y.view(-1)",
        "results['labels'] = len(x)",
        "results['labels'] = [[] for _ in x]",
        "results['labels'] = [(1, each.item()) for each in results['labels']]",
        "results['labels'] = (y, {'names': [str(each) for each in y]})",
        "spans = []\n    for each in results['labels'].tolist(): spans.append((each, 'name'))\n    results['labels'] = spans",
        "results['labels'] = results['labels'].detach()",
        "results['labels'] = y\n    results['loss'] = results['loss'] * 2",
    ],
)
def test_without_a_graph(tmp_path: Path, put: str) -> None:
    assert found(tmp_path, put) == []


@pytest.mark.parametrize(
    "put",
    [
        "pass",
        "results[names.ENTRIES['size'][1]] = y",
        "results[batch] = y",
        "results['labels'] = results['labels'] * 2",
        "results['labels'] = y\n    results['labels'] = net(features=x)['labels']",
        "if len(x) > 3: results['labels'] = y",
        "results['labels'] = library.align(results, y)",
        "results['labels'] = [results['labels'] * 2]",
        "results['labels'] = [(1, each * 2) for each in results['labels']]",
        "results['labels'] = {'names': (y, results['scores'])}",
    ],
)
def test_with_a_graph(tmp_path: Path, put: str) -> None:
    assert found(tmp_path, put) == ["LL401"]
