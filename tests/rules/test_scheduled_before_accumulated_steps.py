"""A scheduler that steps at the start of an epoch comes before a step that is made once in k batches of it, too (LL203)."""

from __future__ import annotations

import pytest

from programs import assert_marked

EPOCHS = """
    from torch import optim
    def fit(net: nn.Module, loader, epochs, k):
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        for epoch in range(epochs):
            {before}
            count = 0
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(net(x), y) / k
                loss.backward()
                count += 1
                if {condition}:
                    optimizer.step()
                    optimizer.zero_grad()
                    count = 0
"""
BEFORE = "scheduler.step()"
ONCE_IN_K = ["i % k == 0", "(i + 1) % k == 0", "(i + 1) % k == 0 or i + 1 == len(loader)", "not (i + 1) % k", "count == k"]
NOT_IN_EACH = ["epoch > 3", "epoch > 3 and (i + 1) % k == 0", "epoch % k == 0", "loss < 1", "loss < 1 and (i + 1) % k == 0"]


@pytest.mark.parametrize("condition", ONCE_IN_K)
def test_before_a_step_that_each_epoch_makes(condition: str) -> None:
    assert_marked(EPOCHS.format(before=f"{BEFORE}  # expect: LL203", condition=condition))


@pytest.mark.parametrize("condition", NOT_IN_EACH)
def test_before_a_step_that_not_each_epoch_makes(condition: str) -> None:
    assert_marked(EPOCHS.format(before=BEFORE, condition=condition))


def test_behind_the_steps_of_an_epoch() -> None:
    assert_marked(EPOCHS.format(before="pass", condition=ONCE_IN_K[1]) + "            scheduler.step()\n")


def test_on_each_batch_before_a_step_on_some() -> None:
    program = """
    from torch import optim
    def fit(net: nn.Module, loader, k):
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        for i, (x, y) in enumerate(loader):
            scheduler.step()
            loss = nn.functional.mse_loss(net(x), y) / k
            loss.backward()
            if (i + 1) % k == 0:
                optimizer.step()
                optimizer.zero_grad()
    """
    assert_marked(program)
