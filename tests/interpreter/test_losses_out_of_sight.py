"""A loss that code out of sight computes of a model leaves the model's gradients and modes as they were."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINED = """
        from elsewhere import build, losses
        def train(args, loader):
            model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
            optimizer = torch.optim.AdamW(model.parameters())
            diffusion = build(args)
            for x, y in loader:
                {loss}
                loss.backward()  # expect: LL102
                optimizer.step()
        """
LOSSES = {
    "a method": "loss = diffusion.training_losses(model, x, y)['loss'].mean()",
    "a function": "loss = losses.compute_loss(model, x, y)",
    "a criterion that runs the model": "loss = diffusion.criterion(model, x, y)",
    "one of several criteria": "loss = diffusion.criterionFeat(model, x, y) + diffusion.criterion_l1(model, x)",
    "a part of a result": "loss, parts = diffusion.p_losses(model, x)",
    "a method of one of several": "loss = diffusion.terms[0].loss(model, x, y)",
    "a method of each of several": "loss = sum([terms.loss(model) for terms in diffusion.terms])",
    "a method of what a call gives": "loss = diffusion.term('prior').compute_loss(model)",
}
OTHERS = {
    "it goes backward itself": "loss = diffusion.backward_loss(model, x)",
    "it may step": "loss = diffusion.optimize_loss(model, x)",
    "it has the optimizer": "loss = diffusion.training_losses(model, x, optimizer)",
    "its result is thrown away": "diffusion.training_losses(model, x); loss = model(x).mean()",
    "its name says that it steps": "loss = diffusion.step_criterion(model, x)",
    "its name says so at its end": "loss = diffusion.criterion_and_step(model, x)",
    "it is no loss": "loss = diffusion.run(model, x)",
    "a method of one of several is no loss": "loss = diffusion.terms[0].run(model, x)",
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_a_loop_whose_loss_is_out_of_sight_is_judged(loss: str) -> None:
    assert_marked(TRAINED.replace("{loss}", loss))


@pytest.mark.parametrize("loss", OTHERS.values(), ids=OTHERS.keys())
def test_what_does_more_than_a_loss_is_not_known(loss: str) -> None:
    assert_marked(TRAINED.replace("{loss}", loss).replace("  # expect: LL102", ""))


KEPT = """
class Finder:
    def __init__(self, trainer):
        self.trainer = trainer

    def find(self, loader, valid):
        for x, y in loader:
            self.trainer.model.train()
            self.trainer.optimizer.zero_grad()
            loss = self.trainer.{name}(self.trainer.model(x), y)
            loss.backward()
            self.trainer.optimizer.step()
            print(self.validate(valid))

    def validate(self, valid):
        total = 0.0
        self.trainer.model.eval()
        for x, y in valid:
            output = self.trainer.model(x){mark}
            total += self.trainer.{name}(output, y).item()
        return total
"""


@pytest.mark.parametrize("name", ["criterion", "criterionGAN", "loss_fn", "loss"])
def test_what_an_object_keeps_is_not_touched_by_its_loss(name: str) -> None:
    assert_marked(KEPT.format(name=name, mark="  # expect: LL303"))


@pytest.mark.parametrize("name", ["run", "update_loss", "step_criterion"])
def test_what_does_more_may_touch_all_that_its_object_keeps(name: str) -> None:
    assert_marked(KEPT.format(name=name, mark=""))
