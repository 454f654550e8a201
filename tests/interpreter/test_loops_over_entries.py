"""A loop over the keys of a dictionary that comes from out of sight goes over the entries that the program uses under keys of its own."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Trainer:
            def __init__(self, steps, loader, model, optimizer):
                self.steps, self.loader, self.model, self.optimizer = steps, loader, model, optimizer
            def save(self):
                return {{key: self.model[key].state_dict() for key in ("generator", "discriminator")}}
            def judge(self, x):
                return self.model["discriminator"](x)
            def update(self, name, x, y):
                loss = nn.functional.mse_loss(self.model["generator"](x), y){trained}
                {clear}
                loss.backward(){mark}
                nn.utils.clip_grad_norm_(self.model["generator"].parameters(), 1.0)
                nn.utils.clip_grad_norm_(self.model["discriminator"].parameters(), 1.0)
                {step}
            def run(self):
                for x, y in self.loader["train"]:
                    self.steps += 1
                    self.update("both", x, y)
                    if self.steps % 100 == 0:
                        {validate}
                        with torch.no_grad():
                            for x, y in self.loader["dev"]:
                                print(nn.functional.mse_loss(self.model["generator"](x), y).item())
                        {resume}
"""
LOOPS = {
    "its keys": "for key in self.model.keys(): self.model[key].{mode}()",
    "the dictionary": "for key in self.model: self.model[key].{mode}()",
    "its values": "for model in self.model.values(): model.{mode}()",
    "its items": "for key, model in self.model.items(): model.{mode}()",
    "those under some keys": "for key in self.model:\n                            if key != 'other': self.model[key].{mode}()",
}
BOTH = 'self.optimizer["generator"].{method}(); self.optimizer["discriminator"].{method}()'
RIGHT = {"clear": BOTH.format(method="zero_grad"), "step": BOTH.format(method="step"), "mark": "", "trained": "", "resume": "pass"}


def program(**changed: str) -> str:
    return PROGRAM.format(**RIGHT | changed)


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_each_entry_is_switched(loop: str) -> None:
    one = {name: f'self.optimizer["generator"].{method}()' for name, method in (("clear", "zero_grad"), ("step", "step"))}
    assert_marked(program(**one, validate=loop.format(mode="eval"), trained="  # expect: LL304"))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("back", LOOPS.values(), ids=LOOPS)
def test_each_is_switched_back(loop: str, back: str) -> None:
    assert_marked(program(validate=loop.format(mode="eval"), resume=back.format(mode="train")))


OPTIMIZERS = {name: loop.replace("model", "optimizer") for name, loop in LOOPS.items() if name != "those under some keys"}


@pytest.mark.parametrize("loop", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_each_optimizer_is_cleared_and_steps(loop: str) -> None:
    assert_marked(program(validate="pass", clear=loop.format(mode="zero_grad")))
    assert_marked(program(validate="pass", step=loop.format(mode="step")))
    assert_marked(program(validate="pass", clear=loop.format(mode="zero_grad"), step=loop.format(mode="step")))
