"""A function out of sight that comes from a container of metrics measures what it is given."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
        class Trainer:
            def __init__(self, model, criterion, metric_ftns, losses, optimizer, loader, valid_loader):
                self.model = model
                self.criterion = criterion
                self.metric_ftns = metric_ftns
                self.metrics = dict(metric_ftns)
                self.losses = losses
                self.optimizer = optimizer
                self.loader = loader
                self.valid_loader = valid_loader
            def train(self):
                self.model.train()
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    loss = self.criterion(self.model(x), y)
                    loss.backward()
                    self.optimizer.step()
            def validate(self, tracker):
                self.model.eval()
                {switch}
                    for x, y in self.valid_loader:
                        out = self.model(x){marked}
                        {measured}
"""
MEASURED = {
    "a loop": "for met in self.metric_ftns: tracker.add(met.__name__, met(out, y))",
    "a counted loop": "for n, met in enumerate(self.metric_ftns): tracker.add(n, met(out, y))",
    "a dict": "for name, met in self.metrics.items(): tracker.add(name, met(out, y))",
    "an entry": "tracker.add('a', self.metrics['a'](out, y))",
}
SILENT = {
    "losses, which may go backward": "for part in self.losses: tracker.add(part.__name__, part(out, y))",
    "nothing that is measured": "for part in self.losses: tracker.put(part(out))",
}


def _program(measured: str, switch: str, marked: str) -> str:
    return TRAINER.replace("{measured}", measured).replace("{switch}", switch).replace("{marked}", marked)


@pytest.mark.parametrize("way", MEASURED)
def test_metrics_out_of_containers_measure(way: str) -> None:
    assert_marked(_program(MEASURED[way], "if tracker is not None:", "  # expect: LL303"))
    assert_marked(_program(MEASURED[way], "with torch.no_grad():", ""))


@pytest.mark.parametrize("way", SILENT)
def test_other_functions_out_of_containers_may_do_anything(way: str) -> None:
    assert_marked(_program(SILENT[way], "if tracker is not None:", ""))


def test_a_metric_that_is_computed_of_a_training_hides_no_backward() -> None:
    marked = TRAINER.replace("loss.backward()", "loss.backward()\n                    for met in self.metric_ftns: print(met(loss, y))")
    assert_marked(marked.replace("{measured}", "print(out)").replace("{switch}", "with torch.no_grad():").replace("{marked}", ""))
