"""What a model that is passed in keeps beside its parts is reached through a wrapper as well: `model.module.optimizer.step()`."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a model that is passed in keeps an optimizer": """
        def train(model, loader):
            for x in loader:
                loss = model(x).mean()
                loss.backward()  # expect: LL102
                model.module.encoder_opt.step()
        """,
    "a trainer keeps the model": """
        class Trainer:
            def __init__(self, model, loader):
                self.model, self.loader = model, loader
            def run(self):
                self.model.train()
                for x in self.loader:
                    loss = self.model(x).mean()
                    loss.backward()
                    self.model.module.optimizer.zero_grad()  # expect: LL101
                    self.model.module.optimizer.step()
        """,
    "code out of sight makes the model": """
        import hydra
        def main(cfg, loader):
            model = hydra.utils.instantiate(cfg)
            model = nn.DataParallel(model)
            for x in loader:
                model.module.optimizer.zero_grad()
                loss = model(x).mean()
                model.module.optimizer.step()  # expect: LL107
        """,
    "it is cleared by one name and stepped by the other": """
        def train(model, loader):
            for x in loader:
                loss = model(x).mean()
                model.optimizer.zero_grad()
                loss.backward()
                model.module.optimizer.step()
        """,
    "each batch clears what the last one left": """
        def train(model, loader):
            for x in loader:
                loss = model(x).mean()
                model.module.encoder_opt.zero_grad()
                loss.backward()
                model.module.encoder_opt.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_through_a_wrapper(program: str) -> None:
    """The wrapper has the model in `module`, and nothing else that a loop uses."""
    assert_marked(program)
