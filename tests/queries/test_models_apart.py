"""Which model an optimizer has that is handed in beside another one: the one that alone goes backward for its steps, and for no other's."""

from __future__ import annotations

import pytest

from programs import assert_marked

TWO = """
    class Solver:
        def __init__(self, model: nn.Module, judge: nn.Module, optimizer, judge_optimizer):
            self.model, self.judge, self.optimizer, self.judge_optimizer = model, judge, optimizer, judge_optimizer

        def train(self, loader, held_out, epochs):
            for epoch in range(epochs):
                {train}
                for x, y in loader:
                    {first}
                    self.optimizer.zero_grad()
                    loss = nn.functional.mse_loss(self.model(x), y)
                    {before}
                    loss.backward()
                    {after}
                    self.optimizer.step()
                    {last}
                    self.judge_optimizer.zero_grad()
                    nn.functional.mse_loss(self.judge(self.model(x).detach()), y).backward()
                    torch.nn.utils.clip_grad_norm_(self.judge.parameters(), 1.0)
                    self.judge_optimizer.step()
                self.model.eval()
                with torch.no_grad():
                    print(sum((self.model(x) - y).abs().sum().item() for x, y in held_out))
    """
CLIP = "torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)"
PLACES = ["first", "before", "after", "last"]


def program(**lines: str) -> str:
    return TWO.format(**{"train": "self.model.train()", **dict.fromkeys(PLACES, "pass"), **lines})


def test_clip_before_the_backward() -> None:
    assert_marked(program(before=f"{CLIP}  # expect: LL103"))


def test_clip_after_the_step() -> None:
    assert_marked(program(last=f"{CLIP}  # expect: LL104"))


def test_clip_in_its_place() -> None:
    assert_marked(program(after=CLIP))


def test_model_stays_in_eval_mode() -> None:
    text = program(train="pass").replace("mse_loss(self.model(x), y)", "mse_loss(self.model(x), y)  # expect: LL301", 1)
    # The judge learns of what the model gives in the same mode.
    assert_marked(text)


CORRECT = {
    "both are clipped for one step": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                critic_optimizer.zero_grad()
                (critic(generator(real).detach()).mean() - critic(real).mean()).backward()
                nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
                critic_optimizer.step()
                generator_optimizer.zero_grad()
                (-critic(generator(real)).mean()).backward()
                nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
                nn.utils.clip_grad_norm_(generator.parameters(), 1.0)
                generator_optimizer.step()
        """,
    "the losses first, the clips and the steps at the end": """
        def train(actor: nn.Module, critic: nn.Module, actor_optimizer, critic_optimizer, loader):
            for x, y in loader:
                actor_optimizer.zero_grad()
                critic_optimizer.zero_grad()
                nn.functional.mse_loss(actor(x), y).backward()
                nn.functional.mse_loss(critic(x), y).backward()
                nn.utils.clip_grad_norm_(actor.parameters(), 1.0)
                nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
                actor_optimizer.step()
                critic_optimizer.step()
        """,
    "one optimizer is for the model in one phase, another one in the next": """
        def train(model: nn.Module, warm, optimizer, loader):
            for x, y in loader:
                warm.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                warm.step()
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
        """,
    "a head on a model that stays as it is": """
        def train(model: nn.Module, head: nn.Module, model_optimizer, head_optimizer, loader):
            model.eval()
            for epoch in range(3):
                head.train()
                for x, y in loader:
                    head_optimizer.zero_grad()
                    nn.functional.mse_loss(head(model(x)), y).backward()
                    nn.utils.clip_grad_norm_(head.parameters(), 1.0)
                    head_optimizer.step()
            model.train()
            for x, y in loader:
                model_optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                model_optimizer.step()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in CORRECT.items()])
def test_correct_programs_are_quiet(text: str) -> None:
    assert_marked(text)
