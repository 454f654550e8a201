"""Several optimizers that are passed in, and step with what each backward through one model fills: they hold the parts of that model."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "nothing puts the model in train mode again": """
        class Trainer:
            def __init__(self, model, small_optimizer, big_optimizer):
                self.model, self.small_optimizer, self.big_optimizer = model, small_optimizer, big_optimizer
            def validate(self, loader):
                self.model.eval()
                with torch.no_grad():
                    return sum(F.mse_loss(self.model(x), y).item() for x, y in loader)
            def run(self, loader, valid):
                self.validate(valid)
                for epoch in range(10):
                    for x, y in loader:
                        self.small_optimizer.zero_grad()
                        self.big_optimizer.zero_grad()
                        F.mse_loss(self.model(x), y).backward()  # expect: LL301
                        self.small_optimizer.step()
                        self.big_optimizer.step()
                    self.validate(valid)
        """,
    "a validation in the middle of an epoch leaves it in eval mode": """
        def train(model, body_optimizer, head_optimizer, loader, valid):
            for step, (x, y) in enumerate(loader):
                loss = F.mse_loss(model(x), y)  # expect: LL304
                body_optimizer.zero_grad()
                head_optimizer.zero_grad()
                loss.backward()
                body_optimizer.step()
                head_optimizer.step()
                if step % 100 == 0:
                    model.eval()
                    with torch.no_grad():
                        print(sum(F.mse_loss(model(x), y).item() for x, y in valid))
        """,
    "a part of the model goes backward beside it": """
        def train(model, body_optimizer, head_optimizer, loader, valid):
            for epoch in range(10):
                for x, y in loader:
                    loss = F.mse_loss(model(x), y) + model.head(x).pow(2).mean()  # expect: LL301
                    body_optimizer.zero_grad()
                    head_optimizer.zero_grad()
                    loss.backward()
                    body_optimizer.step()
                    head_optimizer.step()
                model.eval()
                with torch.no_grad():
                    print(sum(F.mse_loss(model(x), y).item() for x, y in valid))
        """,
    "each optimizer has a backward of its own, and which holds the model is not known": """
        def train(generator, code_optimizer, noise_optimizer, codes, loader, valid):
            for epoch in range(10):
                for x, y in loader:
                    code_optimizer.zero_grad()
                    F.mse_loss(generator(x + codes), y).backward()
                    code_optimizer.step()
                    noise_optimizer.zero_grad()
                    F.mse_loss(generator(x), y).backward()
                    noise_optimizer.step()
                generator.eval()
                with torch.no_grad():
                    print(sum(F.mse_loss(generator(x), y).item() for x, y in valid))
        """,
    "another model measures what comes out": """
        def train(model, judge, body_optimizer, head_optimizer, loader, valid):
            for epoch in range(10):
                model.train()
                for x, y in loader:
                    body_optimizer.zero_grad()
                    head_optimizer.zero_grad()
                    F.mse_loss(judge(model(x)), judge(y)).backward()
                    body_optimizer.step()
                    head_optimizer.step()
                model.eval()
                judge.eval()
                with torch.no_grad():
                    print(sum(F.mse_loss(judge(model(x)), y).item() for x, y in valid))
        """,
    "the model trains in train mode": """
        def train(model, body_optimizer, head_optimizer, loader, valid):
            for epoch in range(10):
                model.train()
                for x, y in loader:
                    body_optimizer.zero_grad()
                    head_optimizer.zero_grad()
                    F.mse_loss(model(x), y).backward()
                    body_optimizer.step()
                    head_optimizer.step()
                model.eval()
                with torch.no_grad():
                    print(sum(F.mse_loss(model(x), y).item() for x, y in valid))
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_parts_of_one_model(program: str) -> None:
    """Which part is whose does not matter for the mode of the whole."""
    assert_marked(program)
