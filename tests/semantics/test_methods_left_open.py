"""A method that the class in an annotation leaves to its subclasses, or that evaluates by its name, may set modes and switch gradients off itself."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import abc
        class Model(nn.Module, abc.ABC):
            @abc.abstractmethod
            def score(self, x, y):
                ...
            @abc.abstractmethod
            def loss(self, x, y):
                ...
            def update(self, x, y, opt):
                self.train()
                opt.zero_grad()
                loss, meta = self.loss(x, y)
                loss.backward()
                opt.step()
                return loss.item()
        class Trainer:
            def __init__(self, model{annotation}):
                self.model = model
                self.opt = torch.optim.Adam(self.model.parameters())
            def evaluate(self, loader):
                scores = []
                for x, y in loader:
                    score = {call}{mark}
                    scores.append(score){kept}
                return torch.cat(scores).mean()
            def train(self, loader, valid):
                for epoch in range(9):
                    for x, y in loader:
                        {update}
                    print(self.evaluate(valid))
        """
OWN = "self.model.update(x, y, self.opt)"
PLAIN = "\n                        ".join(
    [
        "self.model.train()",
        "self.opt.zero_grad()",
        "loss = nn.functional.mse_loss(self.model(x), y)",
        "loss.backward()",
        "self.opt.step()",
    ]
)
CASES = {
    "an abstract method": (": Model", "self.model.score(x, y)", OWN, "", ""),
    "by its name": (": Model", "self.model.eval_score(x, y)", OWN, "", ""),
    "of any model": ("", "self.model.validation_step(x, y)", PLAIN, "", ""),
    "a module that is applied": (
        "",
        "nn.functional.mse_loss(self.model(x), y, reduction='none')",
        PLAIN,
        "  # expect: LL302, # expect: LL303",
        "  # expect: LL401",
    ),
}


@pytest.mark.parametrize(("annotation", "call", "update", "mark", "kept"), CASES.values(), ids=CASES)
def test_what_a_method_out_of_sight_may_do(annotation: str, call: str, update: str, mark: str, kept: str) -> None:
    assert_marked(PROGRAM.format(annotation=annotation, call=call, update=update, mark=mark, kept=kept))
