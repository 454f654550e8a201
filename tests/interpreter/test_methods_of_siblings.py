"""A call that goes to the method of one of several objects of the program, or to a model or what drives it, is made in each case."""

from __future__ import annotations

import looplint

HANDLERS = """\
import torch
from torch import nn, optim
import torch.nn.functional as F


class Labels:
    def evaluate(self, model, x, y):
        return F.cross_entropy(model(x), y).item()


class Ranks:
    def evaluate(self, model, x, y):
        return F.mse_loss(model(x), y).item()


def handler_for(task):
    if task == "labels":
        return Labels()
    elif task == "ranks":
        return Ranks()
    raise ValueError(task)


def evaluate(handler, model, loader):
    model.eval()
    {context}
        for x, y in loader:
            print(handler.evaluate(model, x, y))


def main(task, loader, valid, fast, engines):
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    {wrap}
    for epoch in range(3):
        net.train()
        for x, y in loader:
            loss = F.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        evaluate(handler_for(task), net, valid)


if __name__ == "__main__":
    main("labels", [], [], False, None)
"""


def codes(context: str, wrap: str = "pass") -> list[str]:
    return [f.code for f in looplint.lint(HANDLERS.format(context=context, wrap=wrap), isolated=True)]


def test_gradients_are_on_in_whichever_is_chosen() -> None:
    assert codes("with torch.no_grad():") == []
    assert "LL303" in codes("if True:")


def test_a_model_or_its_engine_is_applied() -> None:
    wrap = "engine, *_ = deepspeed.initialize(model=net, optimizer=optimizer)\n    one = engine if fast else net\n    evaluate(handler_for(task), one, valid)"
    text = HANDLERS.format(context="if True:", wrap=wrap).replace("import torch\n", "import deepspeed\nimport torch\n", 1)
    assert any(f.code == "LL303" for f in looplint.lint(text, isolated=True))
