"""A function that switches eval mode on, computes a loss in it, and puts back the mode that it found, trains in eval mode on purpose (LL301)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    def loss_of(model, batch):
        was_training = model.training
        model.eval()
        terms = []
        for _ in range(4):
            with torch.no_grad():
                drawn = [model(batch).argmax().item()]
            terms.append(torch.log_softmax(model(torch.tensor(drawn)), -1).sum()){mark}
        {behind}
        return -torch.stack(terms).mean()

    def train(model: nn.Module, loader):
        optimizer = torch.optim.AdamW(model.parameters())
        for batch in loader:
            loss = loss_of(model, batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
"""


@pytest.mark.parametrize("behind", ["if was_training:\n            model.train()", "model.train(was_training)", "model.train()"])
def test_the_mode_is_put_back_behind_the_loss(behind: str) -> None:
    assert_marked(PROGRAM.format(behind=behind, mark=""))


def test_nothing_puts_it_back() -> None:
    assert_marked(PROGRAM.format(behind="pass", mark="  # expect: LL301"))
