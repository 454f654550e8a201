"""What an object counts in its methods is not known in a method that nobody calls: it may be the second task, the third round."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
        class Base:
            def __init__(self, width):
                self.net = nn.Linear(width, 1)
                self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
                {given}
        class Trainer(Base):
            def learn(self, loader):
                total = 0
                for x, y in loader:
                    self.optimizer.zero_grad()
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward()
                    self.optimizer.step()
                    if {test}:
                        total += loss{marked}
                return total
            def finish(self, data):
                {count}
"""
COUNTED = {
    "more than it began with": ("self.tasks = 0", "self.tasks > 0", "self.tasks += 1"),
    "another number": ("self.tasks = 1", "self.tasks != 1", "self.tasks += 1"),
    "counted down": ("self.tasks = 3", "self.tasks == 0", "self.tasks -= 1"),
    "by an amount": ("self.tasks = 0", "self.tasks", "self.tasks += len(data)"),
    "a part of a test": ("self.tasks = 0", "self.tasks > 2 and x is not None", "self.tasks += 1"),
}
SET = {
    "never counted": ("self.tasks = 0", "self.tasks > 0", "pass"),
    "another one is counted": ("self.tasks = self.n = 0", "self.tasks > 0", "self.n += 1"),
}


@pytest.mark.parametrize("parts", COUNTED.values(), ids=COUNTED.keys())
def test_what_stands_behind_another_count_is_followed(parts: tuple[str, str, str]) -> None:
    given, test, count = parts
    assert_marked(TRAINER.format(given=given, test=test, count=count, marked="  # expect: LL402"))


@pytest.mark.parametrize("parts", SET.values(), ids=SET.keys())
def test_a_number_that_is_never_counted_is_what_it_was_set_to(parts: tuple[str, str, str]) -> None:
    given, test, count = parts
    assert_marked(TRAINER.format(given=given, test=test, count=count, marked=""))
