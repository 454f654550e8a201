"""What is called, and goes by the name `module`, is a model: a Python module cannot be called."""

from __future__ import annotations

import pytest

from programs import assert_marked

LIGHTNING = """
        import lightning

        class Lit(lightning.LightningModule):
            def __init__(self, {name}):
                super().__init__()
                self.{name} = {name}
                self.criterion = nn.CrossEntropyLoss()
                self.losses = []
            def training_step(self, batch, batch_idx):
                x, y = batch
                loss = self.criterion(self.{name}(x), y)
                self.losses.append(loss){marked}
                return loss
            def configure_optimizers(self):
                return torch.optim.AdamW(self.parameters())
"""
LOOP = """
        class Trainer:
            def __init__(self, {name}, optimizer: torch.optim.Optimizer):
                self.{name}, self.optimizer = {name}, optimizer
            def fit(self, loader):
                total = 0
                for x, y in loader:
                    self.optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(self.{name}(x), y)
                    loss.backward()
                    self.optimizer.step()
                    total += loss{marked}
                return total / len(loader)
"""
MARKED = "  # expect: LL401"


@pytest.mark.parametrize("name", ["module", "_module", "net"])
def test_it_trains(name: str) -> None:
    assert_marked(LIGHTNING.format(name=name, marked=MARKED))
    assert_marked(LOOP.format(name=name, marked="  # expect: LL402"))


@pytest.mark.parametrize("name", ["import_module", "get_module", "datamodule"])
def test_what_another_word_stands_before_may_be_anything(name: str) -> None:
    assert_marked(LIGHTNING.format(name=name, marked=""))
