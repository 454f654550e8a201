"""A function that an engine is given is what it does with each batch: it is judged, though nothing in sight calls it."""

from __future__ import annotations

import pytest

import looplint

FORMS = {
    "in the function that makes the engine": """\
def make(model: nn.Module, optimizer, loss_fn, device=None):
    def update(engine, batch):
{body}
    return Engine(update)
""",
    "of the module": """\
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()

def update(engine, batch):
{body}

trainer = Engine(update)
trainer.run(loader, max_epochs=3)
""",
    "a method": """\
class Program:
    def __init__(self, model: nn.Module, loader):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss_fn = nn.CrossEntropyLoss()
        def update(engine, batch):
{body}
        self.engine = Engine(process_function=update)
        self.engine.run(loader)
""",
}
HEAD = "import torch\nfrom torch import nn\nfrom ignite.engine import Engine\nfrom data import loader\n\n"
RIGHT = ["optimizer.zero_grad()", "loss = loss_fn(model(batch[0]), batch[1])", "loss.backward()", "optimizer.step()", "return loss.item()"]
WRONG = [RIGHT[1], RIGHT[2], RIGHT[0], *RIGHT[3:]]


def found(form: str, lines: list[str]) -> list[str]:
    text = FORMS[form].format(body="\n".join("            " + line for line in lines))
    return [f.code for f in looplint.lint(HEAD + text, isolated=True)]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_done_with_a_batch_is_judged(form: str) -> None:
    assert found(form, WRONG) == ["LL101"]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_right_is_quiet(form: str) -> None:
    assert found(form, RIGHT) == []
