"""A class that builds an optimizer and goes over all epochs never steps it, unless it leaves that to its subclasses or to others."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
        class Trainer{base}:
            def __init__(self, net: nn.Module, loader, others=()):
                self.net, self.loader, self.others = net, loader, others
                self.opt = torch.optim.{optimizer}(net.parameters(), lr=0.1)
            def fit(self, epochs):
                for epoch in range(epochs):
                    self.one_epoch()
            def one_epoch(self):
                for x, y in self.loader:
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward(){mark}
                    {after}
            {method}
"""
FOUND = "  # expect: LL106"


def _trainer(mark: str = "", after: str = "pass", method: str = "", base: str = "", optimizer: str = "SGD") -> str:
    return TRAINER.format(mark=mark, after=after, method=method, base=base, optimizer=optimizer)


PROGRAMS = {
    "nothing steps": _trainer(FOUND),
    "another optimizer": _trainer(FOUND, optimizer="AdamW"),
    "a method that reports": _trainer(FOUND, "self.report(loss)", "def report(self, loss):\n                print(loss.item())"),
    "a base that is a name only": _trainer(FOUND, base="(object)"),
    "a hook that does nothing": _trainer("", "self.after()", "def after(self):\n                pass"),
    "a hook to be written": _trainer("", "self.after()", "def after(self):\n                raise NotImplementedError"),
    "a hook of the base": _trainer("", "self.after()", base="(Base)"),
    "callbacks": _trainer("", "[other.after(self) for other in self.others]"),
    "a step": _trainer("", "self.opt.step(); self.opt.zero_grad()"),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_what_is_left_to_subclasses(program: str) -> None:
    assert_marked(program)


def test_gradients_of_one_pass_are_for_the_caller() -> None:
    assert_marked("""
        class Gradients:
            def __init__(self, net: nn.Module, loader):
                self.net, self.loader = net, loader
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
            def gather(self):
                for x, y in self.loader:
                    nn.functional.mse_loss(self.net(x), y).backward()
    """)
