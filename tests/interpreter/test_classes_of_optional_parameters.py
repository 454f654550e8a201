"""A parameter that may be None and is annotated with a class of the project has that class's methods where it is there."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import typing
        from typing import Optional


        class Stopper:
            def __init__(self, patience):
                self.patience = patience
                self.best = None

            def update(self, score, model):
                if self.best is None or score < self.best:
                    self.best = score
                    self.saved = {k: v.clone() for k, v in model.state_dict().items()}
                BEFORE
                return False


        def evaluate(model, held_out):
            model.eval()
            with torch.no_grad():
                return sum(nn.functional.mse_loss(model(x), y).item() for x, y in held_out)


        def fit(model: nn.Module, data, held_out, epochs: int, stopper: TYPE = None):
            opt = torch.optim.Adam(model.parameters())
            for epoch in range(epochs):
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()MARK
                    opt.step()
                score = evaluate(model, held_out)
                if stopper is not None and stopper.update(score, model):
                    break
        """
TYPES = ["Stopper | None", "None | Stopper", "Optional[Stopper]", "typing.Optional[Stopper]"]


@pytest.mark.parametrize("annotation", TYPES)
def test_what_its_method_does_is_seen(annotation: str) -> None:
    assert_marked(PROGRAM.replace("TYPE", annotation).replace("BEFORE", "print(score)").replace("MARK", "  # expect: LL301"))


@pytest.mark.parametrize("annotation", TYPES)
def test_its_method_may_put_the_model_back(annotation: str) -> None:
    assert_marked(PROGRAM.replace("TYPE", annotation).replace("BEFORE", "model.train()").replace("MARK", ""))


def test_it_may_be_none() -> None:
    assert_marked("""
        class Weights:
            def __init__(self, scale):
                self.scale = scale


        def fit(model, data, weights: Weights | None = None):
            opt = torch.optim.Adam(model.parameters())
            for x, y in data:
                loss = nn.functional.mse_loss(model(x), y)
                if weights is None:
                    opt.zero_grad()
                else:
                    opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()
        """)


def test_an_abstract_method_is_not_known() -> None:
    assert_marked("""
        from abc import ABC, abstractmethod
        from typing import Optional


        class Stopper(ABC):
            @abstractmethod
            def update(self, score, model): ...


        def fit(model: nn.Module, data, held_out, stopper: Optional[Stopper] = None):
            opt = torch.optim.Adam(model.parameters())
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    opt.step()
                model.eval()
                with torch.no_grad():
                    score = sum(nn.functional.mse_loss(model(x), y).item() for x, y in held_out)
                if stopper is not None:
                    stopper.update(score, model)
                else:
                    model.train()
        """)
