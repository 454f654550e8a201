"""What is None at first, and is set by a method that a class inherits and does not call, is set: the base stands in the same file."""

from __future__ import annotations

import pytest

from programs import assert_marked

SCALER = """
        class Base:
            def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer):
                self.model, self.optimizer = model, optimizer
                self.scaler = None
        class Trainer(Base):
            def run(self):
                self.scaler = torch.amp.GradScaler("cuda")
        class Supervised(Trainer):
            def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer):
                super().__init__(model, optimizer)
            def fit(self, loader):
                for x, y in loader:
                    self.optimizer.zero_grad()
                    if self.scaler is not None:
                        with torch.autocast("cuda", torch.float16):
                            loss = nn.functional.cross_entropy(self.model(x), y)
                        self.scaler.scale(loss).backward()
                        self.scaler.step(self.optimizer){marked}
                        {update}
"""
BEFORE, _, BODY = SCALER.partition("fit(self, loader)")
BY_ANOTHER_NAME = f"{BEFORE}fit(self, engine: 'Supervised', loader){BODY.replace('self.', 'engine.')}"
OPTIMIZER = """
        class Base:
            def __init__(self, model: nn.Module):
                self.model, self.optimizer = model, None
            def configure(self, rate):
                self.optimizer = torch.optim.SGD(self.model.parameters(), rate)
        class Learner(Base):
            def __init__(self, model: nn.Module, steps):
                super().__init__(model)
                self.steps = steps
            def train(self, loader):
                {begin}
                for x, y in loader:
                    {before}
                    loss = nn.functional.cross_entropy(self.model(x), y)
                    loss.backward()
                    {after}
                    self.optimizer.step()
"""
CLEARED, MARKED = "self.optimizer.zero_grad()", "self.optimizer.zero_grad()  # expect: LL101"
LAZY = "if self.optimizer is None: self.configure(0.1)"
ASKED = "if self.optimizer is None: raise RuntimeError('call configure() first')"

PROGRAMS = {
    "a scaler that is never updated": SCALER.format(marked="  # expect: LL602", update="pass"),
    "a scaler that is updated": SCALER.format(marked="", update="self.scaler.update()"),
    "a scaler of an object by another name": BY_ANOTHER_NAME.format(marked="  # expect: LL602", update="pass"),
    "a scaler of an object by another name that is updated": BY_ANOTHER_NAME.format(marked="", update="engine.scaler.update()"),
    "an optimizer": OPTIMIZER.format(begin="pass", before="pass", after=MARKED),
    "an optimizer that is asked for": OPTIMIZER.format(begin=ASKED, before="pass", after=MARKED),
    "an optimizer that is made when it is needed": OPTIMIZER.format(begin=LAZY, before="pass", after=MARKED),
    "an optimizer that is cleared in time": OPTIMIZER.format(begin="pass", before=CLEARED, after="pass"),
    "one that is asked for, and cleared in time": OPTIMIZER.format(begin=ASKED, before=CLEARED, after="pass"),
    "one that is made when it is needed, and cleared in time": OPTIMIZER.format(begin=LAZY, before=CLEARED, after="pass"),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
