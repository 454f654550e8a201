"""A scaler that is updated after a step belongs to it, wherever the backward is; one of which a function uses that half only is a scaler as well."""

from __future__ import annotations

import pytest

from programs import assert_marked

UPDATE = """
        def update(model, optimizer, scheduler, scaler, info):
            if info["batch"] % info["accumulate"] == 0:
                if scaler is not None:
                    scaler.unscale_(optimizer)
                    norm = nn.utils.clip_grad_norm_(model.parameters(), info["limit"])
                    {step}
                    scaler.update()
                else:
                    nn.utils.clip_grad_norm_(model.parameters(), info["limit"])
                    optimizer.step()
                optimizer.zero_grad()
                scheduler.step()
        """
TRAINER = """
        class Trainer:
            def __init__(self, model, config):
                self.model, self.config = model, config
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                self.scaler = torch.amp.GradScaler("cuda") if config.amp else None
            def train(self, loader):
                for batch in loader:
                    self.training_step(batch)
            def training_step(self, batch):
                loss = self.model(batch).mean()
                if self.scaler is None:
                    loss.backward()
                else:
                    self.scaler.scale(loss).backward()
                if self.config.amp:
                    {step}
                    self.scaler.update()
                else:
                    self.optimizer.step()
                self.model.zero_grad()
        """
NAMED = """
        def fit(model, optimizer, amp_scaler, loader):
            for x in loader:
                {clear}
                model(x).mean().backward(){said}
                amp_scaler.step(optimizer)
                amp_scaler.update()
        """
PASSED = """
        def finish(optimizer, amp_scaler, loss):
            amp_scaler.unscale_(optimizer)
            {step}
            amp_scaler.update()
        """


@pytest.mark.parametrize(
    ("program", "good", "bad"),
    [
        (UPDATE, "scaler.step(optimizer)", "optimizer.step()"),
        (UPDATE, "scaler.step(optimizer) if norm.isfinite() else None", "(optimizer.step() if norm.isfinite() else None)"),
        (TRAINER, "self.scaler.step(self.optimizer)", "self.optimizer.step()"),
        (PASSED, "amp_scaler.step(optimizer)", "optimizer.step()"),
    ],
    ids=["a function of its own", "under a condition", "one of two ways to go backward", "unscaled before"],
)
def test_a_step_before_an_update(program: str, good: str, bad: str) -> None:
    assert_marked(program.replace("{step}", bad + "  # expect: LL604"))
    assert_marked(program.replace("{step}", good))


def test_one_that_steps_and_is_updated_is_a_scaler_by_its_name() -> None:
    assert_marked(NAMED.replace("{clear}", "optimizer.zero_grad()").replace("{said}", ""))
    assert_marked(NAMED.replace("{clear}", "pass").replace("{said}", "  # expect: LL102"))


SILENT = {
    "another optimizer steps through the scaler": """
        def update(first, second, scaler):
            scaler.unscale_(first)
            scaler.step(first)
            second.step()
            scaler.update()
        """,
    "the scaler steps in what is called": """
        def advance(optimizer, scaler):
            scaler.step(optimizer)
        def update(first, second, scaler):
            scaler.unscale_(first)
            advance(first, scaler)
            second.step()
            scaler.update()
        """,
    "who steps is out of sight": """
        from elsewhere import advance
        def update(first, second, scaler):
            scaler.unscale_(first)
            advance(first, scaler)
            second.step()
            second.zero_grad()
            scaler.update()
        """,
    "an update in other turns": """
        def update(optimizer, scaler, full, turn):
            if full:
                optimizer.step()
            if turn % 10 == 0:
                scaler.unscale_(optimizer)
                scaler.update()
        """,
    "a scaler of data": """
        def fit(scaler, simulator, chunks):
            for chunk in chunks:
                simulator.optimizer.step()
                scaler.update(chunk)
                scaler.transform(chunk)
        """,
}


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_an_update_of_other_steps(program: str) -> None:
    assert_marked(program)
