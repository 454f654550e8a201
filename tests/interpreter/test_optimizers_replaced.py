"""An attribute that is given one optimizer after the other: on each path it holds the one that it was given last."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.flow.events import Step
from looplint.linting.analysis import build_program
from looplint.sources.reading import from_text
from programs import assert_marked

_BEFORE = """
        class Trainer:
            def __init__(self, model: nn.Module, loader):
                self.model, self.loader = model, loader

            def pretrain(self):
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
                self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 10)
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()
                    self.scheduler.step()

            def adapt(self, *_):
                net = copy.deepcopy(self.model)
                self.optimizer = torch.optim.Adam(net.parameters())
                self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 10)
"""
_AFTER = """
        def main(loader):
            trainer = Trainer(nn.Linear(2, 2), loader)
            trainer.pretrain()
            return trainer.adapt()

        main(load())
"""
ENDS = {
    "the second loop does not clear": """
                for x, y in self.loader:
                    nn.functional.cross_entropy(net(x), y).backward()  # expect: LL102
                    self.optimizer.step()
                    self.scheduler.step()
    """,
    "the second loop stands in a method of its own": """
                self.epoch(net)

            def epoch(self, net):
                for x, y in self.loader:
                    nn.functional.cross_entropy(net(x), y).backward()  # expect: LL102
                    self.optimizer.step()
                    self.scheduler.step()
    """,
    "the second scheduler comes before its optimizer": """
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    self.scheduler.step()  # expect: LL203
                    self.optimizer.step()
    """,
    "the second loop clears": """
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    self.optimizer.step()
                    self.scheduler.step()
    """,
    "it is given back what it held": """
                before, self.optimizer = self.optimizer, torch.optim.SGD(self.model.parameters(), lr=1e-3)
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()
                self.optimizer = before
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    self.optimizer.step()
                    self.scheduler.step()
    """,
}
OTHERS = {
    "one of two, by a setting": """
        class Trainer:
            def __init__(self, model: nn.Module, loader):
                self.model, self.loader = model, loader
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

            def fit(self, other: nn.Module, fine):
                if fine:
                    self.optimizer = torch.optim.Adam(other.parameters())
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()

        Trainer(nn.Linear(2, 2), load()).fit(nn.Linear(2, 2), chosen())
        """,
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_an_attribute_holds_the_optimizer_that_it_was_given_last(end: str) -> None:
    assert_marked("        import copy\n" + _BEFORE + end + _AFTER)


@pytest.mark.parametrize("program", OTHERS.values(), ids=OTHERS)
def test_an_attribute_that_may_hold_either(program: str) -> None:
    assert_marked(program)


def test_each_step_is_one_of_the_optimizer_that_was_built_for_it() -> None:
    calls = "\n".join(f"        trainer.adapt({number})" for number in range(9))
    text = f"{_BEFORE}{ENDS['the second loop clears']}\n        trainer = Trainer(nn.Linear(2, 2), load())\n{calls}\n"
    program, _ = build_program(from_text(f"import copy\nimport torch\nfrom torch import nn\n{dedent(text)}", None, "train.py"))
    steps = program.of(Step)
    assert len(steps) == 10  # with that of `pretrain`, which nobody calls
    assert all(event.certain and len(event.subjects) == 1 for event in steps)
