"""What stands behind a condition under which the loop ends happens in each turn that another one follows."""

from __future__ import annotations

import pytest

from programs import assert_marked

SETUP = """
        class Trainer:
            def __init__(self, model, loader, epochs, total):
                self.model, self.loader, self.epochs, self.total = model, loader, epochs, total
                self.opt = torch.optim.Adam(model.parameters())
                self.sched = torch.optim.lr_scheduler.StepLR(self.opt, step_size=self.epochs // 2)
"""
RUN = """
            def run(self):
                for epoch in range(self.epochs):
                    for i, (x, y) in enumerate(self.loader):
                        self.opt.zero_grad()
                        nn.functional.mse_loss(self.model(x), y).backward()
                        self.opt.step()
"""
PROGRAMS = {
    "a break behind a count": RUN
    + """
                        if i + epoch * len(self.loader) == self.total:
                            break
                        self.sched.step()  # expect: LL201
    """,
    "a return": RUN
    + """
                        if self.is_done(i):
                            print("done")
                            return
                        self.sched.step()  # expect: LL201
    """,
    "an error": RUN
    + """
                        if i > self.total:
                            raise RuntimeError(i)
                        else:
                            print(i)
                        self.sched.step()  # expect: LL201
    """,
    "an error in a function that the loop calls": RUN
    + """
                        self.advance(i)
            def advance(self, i):
                if i > self.total:
                    raise RuntimeError(i)
                self.sched.step()  # expect: LL201
    """,
    "the next turn begins": RUN
    + """
                        if i < self.total:
                            continue
                        self.sched.step()
    """,
    "the next turn begins, or the loop ends": RUN
    + """
                        if i < self.total:
                            if i:
                                continue
                            break
                        self.sched.step()
    """,
    "a function that the loop calls returns": RUN
    + """
                        self.advance(i)
            def advance(self, i):
                if i < self.total:
                    return
                self.sched.step()
    """,
    "in the turn that ends the loop": RUN
    + """
                        if i == self.total:
                            self.sched.step()
                            break
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_exits(program: str) -> None:
    assert_marked(SETUP + program)
