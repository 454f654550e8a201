"""Lightning validates after each epoch of training, without gradients and in eval mode: these hooks belong to the loop that is followed."""

from __future__ import annotations

import pytest

from programs import assert_marked

WRAPPER = """
        import copy
        import pytorch_lightning as pl
        class Wrapper(pl.LightningModule):
            def __init__(self, ema):
                super().__init__()
                self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
                self.ema = ema
                self.kept = None
                self.seen = []
            def training_step(self, batch, batch_idx):
                x, y = batch
                return nn.functional.mse_loss(self.model(x), y)
            {before}
            def validation_step(self, batch, batch_idx):
                {first}
                x, y = batch
                loss = nn.functional.mse_loss(self.model(x), y)
                self.seen.append(loss)
                print(loss.item())
            {after}
            def configure_optimizers(self):
                return torch.optim.Adam(self.model.parameters(), lr=1e-3)
"""
SWAP = """self.kept = self.model.state_dict(){mark}
                self.model.load_state_dict({other})"""
BACK = """def {name}(self{given}):
                self.model.load_state_dict(self.kept)
                self.kept = None"""
FOUND = "  # expect: LL801"


def _swap(other: str, mark: str = FOUND) -> str:
    return SWAP.format(mark=mark, other=other)


PROGRAMS = {
    "weights are swapped at the first batch": WRAPPER.format(
        before="",
        first=f"""if self.kept is None:
                    self.kept = self.model.state_dict(){FOUND}
                    self.model.load_state_dict(self.ema.state_dict()["params"])""",
        after=BACK.format(name="validation_epoch_end", given=", outputs"),
    ),
    "in the hooks around a validation": WRAPPER.format(
        before="def on_validation_epoch_start(self):\n                " + _swap("self.ema.state_dict()"),
        first="pass",
        after=BACK.format(name="on_validation_epoch_end", given=""),
    ),
    "in the outer hooks": WRAPPER.format(
        before="def on_validation_start(self):\n                " + _swap("torch.load('ema.pt', map_location='cpu')"),
        first="pass",
        after=BACK.format(name="on_validation_end", given=""),
    ),
    "a copy is kept": WRAPPER.format(
        before="def on_validation_epoch_start(self):\n                "
        + _swap("self.ema.state_dict()", "").replace("self.model.state_dict()", "copy.deepcopy(self.model.state_dict())"),
        first="pass",
        after=BACK.format(name="on_validation_epoch_end", given=""),
    ),
    "nothing is swapped": WRAPPER.format(
        before="", first="pass", after="def on_validation_epoch_end(self):\n                print(sum(self.seen))"
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_hooks_of_a_validation(program: str) -> None:
    assert_marked(program)
