"""What is passed in is what its use says, also where a property gives it to the methods that use it."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
class Trainer:
    def __init__(self, model, optimizer, criterion):
        self._model = model
        self._optimizer = optimizer
        self.criterion = criterion

    {model}

    @property
    def optimizer(self):
        return self._optimizer

    def train(self, loader):
        self.model.train()
        for x, y in loader:
            {clear}
            loss = self.criterion(self.model(x), y)
            {backward}
            self.optimizer.step(){mark}
"""
PROPERTIES = {
    "a property": "@property\n    def model(self):\n        return self._model",
    "one that unwraps": (
        "@property\n    def model(self):\n        if isinstance(self._model, nn.DataParallel):\n"
        "            return self._model.module\n        return self._model"
    ),
    "one through another": "@property\n    def net(self):\n        return self._model\n\n    @property\n    def model(self):\n        return self.net",
}


@pytest.mark.parametrize("model", PROPERTIES.values(), ids=PROPERTIES)
def test_it_is_a_model(model: str) -> None:
    clear = "self.optimizer.zero_grad()"
    assert_marked(TRAINER.format(model=model, clear=clear, backward="print(loss.item())", mark="  # expect: LL107"))
    assert_marked(TRAINER.format(model=model, clear=clear, backward="loss.backward()", mark=""))


@pytest.mark.parametrize(
    "model",
    [
        "@property\n    def model(self):\n        return self._model.build()",
        "def model(self, x):\n        return x",
    ],
    ids=["what a call makes", "a method"],
)
def test_what_is_made_of_it_is_not_known(model: str) -> None:
    text = TRAINER.format(model=model, clear="self.optimizer.zero_grad()", backward="print(loss.item())", mark="")
    assert_marked(text.replace("        self.model.train()\n", ""))
