"""`getattr(self, name)` for each name of a list is an attribute of one of these names, and of no other."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Trainer:
            def __init__(self, model, loader):
                self.model = model
                self.loader = loader
                self.step, self.epoch, self.best = 0, 0, 0.0

            def save(self, path):
                SAVE
                torch.save({**kept, "model": self.model.state_dict()}, path)

            def train(self, epochs):
                self.optimizer = torch.optim.Adam(self.model.parameters())
                self.scaler = torch.amp.GradScaler("cuda")
                for self.epoch in range(epochs):
                    for x, y in self.loader:
                        self.optimizer.zero_grad()
                        with torch.autocast("cuda"):
                            loss = F.cross_entropy(self.model(x), y)
                        self.scaler.scale(loss).backward()
                        self.scaler.step(self.optimizer)UPDATE
                    self.save("last.pt")
        """
SAVES = {
    "a dict of them": 'kept = {name: getattr(self, name) for name in ["step", "epoch", "best"]}',
    "a dict of some": 'kept = {name: getattr(self, name) for name in ["step", "epoch", "best"] if name != "best"}',
    "a loop with a condition": """kept = {}
                for name in ("step", "epoch", "best", "step", "epoch", "best", "step", "epoch", "best", "step"):
                    if name not in kept:
                        kept[name] = getattr(self, name)""",
    "with a default": 'kept = {name: getattr(self, name, 0) for name in ["step", "epoch", "best"]}',
    "one of two": 'kept = {"at": getattr(self, "step" if self.best else "epoch")}',
}


@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
def test_what_has_another_name_is_not_read(save: str) -> None:
    program = PROGRAM.replace("SAVE", save)
    assert_marked(program.replace("UPDATE", "  # expect: LL602"))
    assert_marked(program.replace("UPDATE", "\n                        self.scaler.update()"))


@pytest.mark.parametrize("names", ['["step", "scaler"]', "names", "vars(self)"])
def test_what_may_be_read_may_be_updated_elsewhere(names: str) -> None:
    save = f"""kept = {{name: getattr(self, name) for name in {names}}}
                finish(kept)"""
    assert_marked(PROGRAM.replace("SAVE", save).replace("UPDATE", ""))
