"""What is gathered as arrays over a validation pass, and scored after it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import numpy as np
import torch
from sklearn import metrics
from sklearn.metrics import accuracy_score, f1_score
from torch import nn, optim

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(self.fc(x))

class Meter:
    def __init__(self):
        self.scores, self.targets = np.zeros((0,)), []
    def add(self, scores, targets):
        self.scores = np.hstack([self.scores, scores])
        self.targets.append(targets)
    def value(self):
        return np.sqrt(np.mean((self.scores - np.hstack(self.targets)) ** 2))

def train(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

@torch.no_grad()
def predict(model, loader):
    logits, labels = None, None
    for x, y in loader:
        out = model(x).detach().cpu().numpy()
        logits = out if logits is None else np.append(logits, out, axis=0)
        labels = y.numpy() if labels is None else np.append(labels, y.numpy(), axis=0)
    return logits, labels

@torch.no_grad()
def evaluate(model, loader):
    {evaluation}

def main(loader, valid):
    model = Net()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        train(model, loader, optimizer)
        print(evaluate(model, valid))
"""

SCORED = {
    "tensors that are put together, then an array": """
    targets, scores = [], []
    for x, y in loader:
        targets.append(y.cpu())
        scores.append(model(x).cpu())
    targets, scores = torch.cat(targets).numpy(), torch.cat(scores).numpy()
    return [metrics.roc_auc_score(targets[:, i], scores[:, i]) for i in range(targets.shape[1])]""",
    "lists of labels, compared": """
    found, labels = [], []
    for x, y in loader:
        found += model(x).argmax(1).cpu().tolist()
        labels.extend(y.tolist())
    return np.mean(np.array(found) == np.array(labels))""",
    "another function's arrays": """
    logits, labels = predict(model, loader)
    found = np.argmax(logits, axis=1)
    return {"acc": accuracy_score(labels, found), "f1": f1_score(labels, found)}""",
    "arrays that are added up in place": """
    targets, scores = [], []
    for crop in range(9):
        for i, (x, y) in enumerate(loader):
            if crop < 1:
                scores.append(model(x).cpu().numpy())
                targets.append(y)
            else:
                scores[i] += model(x).cpu().numpy()
    return metrics.average_precision_score(np.concatenate(targets).T[0], np.concatenate(scores).T[0])""",
    "a meter": """
    meter = Meter()
    for x, y in loader:
        meter.add(model(x).squeeze().cpu().numpy(), y.numpy())
    return meter.value()""",
}
KEPT = {
    "a bank of features": """
    bank = [model(x).cpu().numpy() for x, y in loader]
    return np.concatenate(bank)""",
    "pictures": """
    for x, y in loader:
        np.save("picture.npy", np.clip(model(x).cpu().numpy() * 255, 0, 255).astype("uint8"))""",
}


def codes(evaluation: str) -> set[str]:
    source = PROGRAM.replace("{evaluation}", evaluation.strip())
    return {f.code for f in looplint.lint(source, isolated=True) if f.severity != "advice"}


@pytest.mark.parametrize("evaluation", SCORED.values(), ids=SCORED.keys())
def test_predictions_are_scored_as_arrays(evaluation: str) -> None:
    assert codes(evaluation) == {"LL302"}
    switched = PROGRAM.replace("        print(evaluate", "        model.eval()\n        print(evaluate")
    assert not {f.code for f in looplint.lint(switched.replace("{evaluation}", evaluation.strip()), isolated=True)} & {"LL302"}


@pytest.mark.parametrize("evaluation", KEPT.values(), ids=KEPT.keys())
def test_arrays_that_nothing_is_compared_with_are_no_scores(evaluation: str) -> None:
    assert codes(evaluation) == set()
