"""A function that calls itself with another constant, which decides what it does: the other branches are followed too."""

from __future__ import annotations

import pytest

from programs import assert_marked

STAGES = """
        def process(batch, model, optimizer, stage, valid):
            x, y = batch
            loss = nn.functional.cross_entropy(model(x), y)
            if stage == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                {evaluate}
            return loss.item()
        def evaluate(model, optimizer, valid):
            model.eval()
            {context}
                losses = [{again} for batch in valid]{marked}
            model.train()
            return sum(losses)
        def main(loader, valid):
            model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for batch in loader:
                process(batch, model, optimizer, "train", valid)
"""
AGAIN = [
    ("print(evaluate(model, optimizer, valid))", 'process(batch, model, optimizer, "valid", valid)'),
    ("print(evaluate(model, optimizer, valid))", 'process(batch, model, None, stage="valid", valid=None)'),
    ("print(evaluate(model, optimizer, valid))", "process(batch, model, optimizer, None, valid)"),
]


@pytest.mark.parametrize(("evaluate", "again"), AGAIN)
def test_the_branches_of_another_constant_are_followed(evaluate: str, again: str) -> None:
    parts = {"evaluate": evaluate, "again": again}
    assert_marked(STAGES.format(**parts, context="if True:", marked="  # expect: LL303"))
    assert_marked(STAGES.format(**parts, context="with torch.no_grad():", marked=""))


METHODS = """
        class Trainer:
            def __init__(self, loader, valid):
                self.loader, self.valid = loader, valid
                self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            def run(self, train=True):
                {mode}
                total = 0.0
                for x, y in self.loader if train else self.valid:
                    with torch.set_grad_enabled(train):
                        loss = nn.functional.cross_entropy(self.model(x), y)
                    if train:
                        self.optimizer.zero_grad()
                        loss.backward()
                        self.optimizer.step()
                    total += loss.item()
                if train:
                    print(self.run({again}))
                return total
        def main(loader, valid):
            trainer = Trainer(loader, valid)
            for epoch in range(10):
                trainer.run(){marked}
"""


@pytest.mark.parametrize("again", ["False", "train=False"])
def test_a_method_that_evaluates_by_itself(again: str) -> None:
    assert_marked(METHODS.format(again=again, mode="self.model.train(train)", marked=""))


def test_a_recursion_between_two_constants_ends() -> None:
    assert_marked("""
        def turn(model, x, player):
            if player == "white":
                return turn(model, model(x), "black")
            return turn(model, model(x), "white")
        def main(loader):
            model = nn.Linear(8, 8)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x in loader:
                optimizer.zero_grad()
                turn(model, x, "white").mean().backward()
                optimizer.step()
    """)
