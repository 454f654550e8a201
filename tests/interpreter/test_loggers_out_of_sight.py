"""A logger, wherever it comes from, writes down what it is given: a model is as it was."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
        class Trainer:
            def __init__(self, model, config, loader, valid_loader):
                self.model = model
                self.logger = config.get_logger("trainer")
                self.log = config.log
                self.kept = config.kept
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                self.loader = loader
                self.valid_loader = valid_loader
            def epoch(self):
                self.model.train()
                {written}
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()
                with torch.no_grad():
                    for x, y in self.valid_loader:
                        print(nn.functional.cross_entropy(self.model(x), y)){marked}
"""


@pytest.mark.parametrize(
    "written",
    [
        "self.logger.debug(self.model)",
        "self.log.info(self.model.encoder)",
        "self.logger.warning('model', self.model)",
        "logger.info(self.model)",
    ],
)
def test_what_is_logged_keeps_its_mode(written: str) -> None:
    assert_marked(TRAINER.replace("{written}", written).replace("{marked}", "  # expect: LL302"))


@pytest.mark.parametrize("written", ["self.kept.debug(self.model)", "self.logger.watch(self.model)", "self.catalog.info(self.model)"])
def test_other_objects_may_do_anything(written: str) -> None:
    assert_marked(TRAINER.replace("{written}", written).replace("{marked}", ""))
