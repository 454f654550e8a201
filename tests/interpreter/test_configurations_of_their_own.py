"""A class derived from a dict or a list keeps what it is given: the methods of Python's own that it calls and is asked for do nothing to that."""

from __future__ import annotations

import pytest

from programs import assert_marked

_FIT = """
        class Trainer:
            def __init__(self, model: nn.Module, loader):
                self.config = Config({"cuda": True, "lr": 0.1})
                self.loader = loader
                self.model = model
                self.optimizer = self.config["optimizer"] = torch.optim.SGD(self.model.parameters(), lr=self.config["lr"])
            def fit(self):
                for x, y in self.loader:
                    if self.config["cuda"]:
                        x, y = x.cuda(), y.cuda()
                    loss = nn.functional.mse_loss(self.model(x), y)
                    loss.backward()MARK
                    self.optimizer.step()
                    CALL
        def main(model: nn.Module, loader):
            Trainer(model, loader).fit()
        """
_GETTER = """
        class Config(dict):
            def __init__(self, given=()):
                super().__init__()
                self.update(given)
            def __getitem__(self, key):
                return super().__getitem__(key)
            def names(self):
                return [key for key, value in self.items()]
        """
_HOOKED = """
        from settings import Hooked
        class Config(Hooked):
            def __getitem__(self, key):
                return super().__getitem__(key)
        """
LOUD = "  # expect: LL102"
PROGRAMS = {
    "an entry that its own method reads": _GETTER + _FIT.replace("MARK", LOUD).replace("CALL", ""),
    "its entries": _GETTER + _FIT.replace("MARK", LOUD).replace("CALL", "print(self.config.names())"),
    "a dict that remembers an order": _GETTER.replace("(dict)", "(collections.OrderedDict)").replace(
        "class", "import collections\n        class", 1
    )
    + _FIT.replace("MARK", LOUD).replace("CALL", 'self.config.setdefault("step", 0)'),
    "a base out of sight may do anything": _HOOKED + _FIT.replace("MARK", "").replace("CALL", ""),
    "a method that the class does not have": _HOOKED + _FIT.replace("MARK", "").replace("CALL", "self.config.flush()"),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
