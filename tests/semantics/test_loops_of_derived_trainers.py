"""A subclass of transformers' Trainer that writes the loop anew: the base's `training_step` goes backward, by the scaler that the Trainer keeps."""

from __future__ import annotations

import pytest

from programs import assert_marked

PLAIN = """
from transformers import Trainer

class Own(Trainer):
    def train(self):
        self.create_optimizer_and_scheduler(100)
        model = self._wrap_model(self.model)
        model.zero_grad()
        total = 0.0
        for epoch in range(3):
            for step, inputs in enumerate(self.get_train_dataloader()):
                total += self.training_step(model, inputs)
                self.current_flos += float(self.floating_point_ops(inputs))
                if (step + 1) % self.args.gradient_accumulation_steps == 0:
                    {unscale}
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0){clips}
                    {step}
                    {update}
                    self.lr_scheduler.step()
                    model.zero_grad()
                    self._maybe_log_save_evaluate(total, model, None, epoch, [])
"""
SWITCHED = """
from transformers import Trainer

class Own(Trainer):
    def _inner_training_loop(self, args=None):
        loader = self.get_train_dataloader()
        for epoch in range(3):
            for inputs in loader:
                self.training_step(self.model, inputs)
                if args.max_grad_norm is not None and args.max_grad_norm > 0:
                    if self.do_grad_scaling:
                        {unscale}
                        pass
                    nn.utils.clip_grad_norm_(self.model.parameters(), args.max_grad_norm){clips}
                if self.do_grad_scaling:
                    before = self.scaler.get_scale()
                    {step}
                    {update}
                    moved = before <= self.scaler.get_scale()
                else:
                    self.optimizer.step()
                self.model.zero_grad()
"""
OVERRIDING = """
import transformers

class Base(transformers.Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        return nn.functional.cross_entropy(model(inputs["x"]), inputs["y"])

class Own(Base):
    def training_step(self, model, inputs):
        self.seen = self.seen + 1
        return super().training_step(model, inputs)

    def train(self):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        model = nn.DataParallel(self.model)
        for epoch in range(3):
            for inputs in self.get_train_dataloader():
                loss = self.training_step(model, inputs)
                {unscale}
                nn.utils.clip_grad_norm_(model.parameters(), 1.0){clips}
                {step}
                {update}
                optimizer.zero_grad()
            print(loss.item(), self.prediction_loop(self.get_eval_dataloader(), "evaluation"))
"""
OF_SEQUENCES = PLAIN.replace("import Trainer", "import Seq2SeqTrainer").replace("(Trainer)", "(Seq2SeqTrainer)")
LOOPS = {
    "a plain one": PLAIN,
    "a scaler that is switched": SWITCHED,
    "hooks of its own": OVERRIDING,
    "a trainer for sequences": OF_SEQUENCES,
}


def _program(loop: str, left_out: str = "", marks: str = "") -> str:
    """A loop with one call of the scaler left out, and the codes that are expected of the clip or the step."""
    opt = "optimizer" if loop == OVERRIDING else "self.optimizer"
    through = {"unscale": f"self.scaler.unscale_({opt})", "step": f"self.scaler.step({opt})", "update": "self.scaler.update()", "clips": ""}
    if left_out == "step":
        through["step"] = f"{opt}.step()"
    elif left_out:
        through[left_out] = ""
    if marks:
        through["clips" if left_out == "unscale" else "step"] += f"  # expect: {marks}"
    return loop.format(**through)


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_correct_loop_is_silent(loop: str) -> None:
    assert_marked(_program(loop))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_clip_before_the_scaler(loop: str) -> None:
    assert_marked(_program(loop, "unscale", "LL601"))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_scaler_that_nothing_updates(loop: str) -> None:
    assert_marked(_program(loop, "update", "LL602"))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_step_past_the_scaler(loop: str) -> None:
    assert_marked(_program(loop, "step", "LL604"))


WITHOUT_SCALER = """
from transformers import Trainer

class Own(Trainer):
    def train(self):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        total = 0.0
        for epoch in range(3):
            for step, inputs in enumerate(self.get_train_dataloader()):
                total += self.training_step(self.model, inputs){mark}
                if (step + 1) % 4 == 0:
                    nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                    optimizer.step()
                    {clear}
            self.evaluate()
"""


def test_without_a_scaler_nothing_is_scaled() -> None:
    assert_marked(WITHOUT_SCALER.format(clear="optimizer.zero_grad()", mark=""))


def test_its_backward_adds_to_the_gradients() -> None:
    assert_marked(WITHOUT_SCALER.format(clear="", mark="  # expect: LL102"))


def test_a_scaler_of_its_own_may_be_another() -> None:
    loop = PLAIN.replace("        total = 0.0\n", "        total = 0.0\n        self.scaler = torch.amp.GradScaler()\n")
    assert_marked(_program(loop, "unscale"))
    assert_marked(_program(loop, "update", "LL602"))


def test_a_base_out_of_sight_may_do_anything() -> None:
    loop = PLAIN.replace("from transformers import", "from elsewhere import")
    for left_out in ("unscale", "update"):
        assert_marked(_program(loop, left_out))
