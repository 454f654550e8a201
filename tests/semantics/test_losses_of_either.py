"""A loss that a function in sight or a method out of sight gives: what that one gives may be divided already."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        def train(model, loader, criterion, own, k, loss_func=None):
            model.train()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            {before}
            for i, (x, y) in enumerate(loader):
                {loss}
                loss.backward(){mark}
                if (i + 1) % k == 0:
                    optimizer.step()
                    optimizer.zero_grad()
        """
MARK = "  # expect: LL108"
CASES = {
    "a method in place of a loss": ("loss_func = loss_func if loss_func is not None else model.calculate_loss", "loss = loss_func(x, y)", ""),
    "by a branch": ("", "loss = criterion(model(x), y)\n                if own:\n                    loss = model.get_loss(x, y)", ""),
    "by an expression": ("", "loss = model.training_loss(x, y) if own else nn.functional.mse_loss(model(x), y)", ""),
    "a mean or the model's own": ("", "loss = model(x, y) if own else (model(x) - y).abs().mean()", ""),
    "one of two losses": ("", "loss = criterion(model(x), y) if own else nn.functional.mse_loss(model(x), y)", MARK),
    "a loss or a mean": ("", "loss = nn.functional.mse_loss(model(x), y) if own else (model(x) - y).abs().mean()", MARK),
    "a loss of either": ("", "out = model.embed(x) if own else model(x).mean(1)\n                loss = nn.functional.mse_loss(out, y)", MARK),
}  # fmt: skip


@pytest.mark.parametrize(("before", "loss", "mark"), CASES.values(), ids=CASES)
def test_a_loss_of_which_one_path_is_known(before: str, loss: str, mark: str) -> None:
    assert_marked(LOOP.format(before=before, loss=loss, mark=mark))


ITEMS = """
def train(model, loader, compute_loss):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        mean = torch.zeros(3)
        for i, (x, y) in enumerate(loader):
            opt.zero_grad()
            {first}, {second} = compute_loss(model(x), y)
            loss.backward()
            opt.step()
            mean = (mean * i + {added}) / (i + 1){mark}
        print(mean)
"""


@pytest.mark.parametrize(
    ("first", "second", "added", "mark"),
    [("loss", "items", "items", ""), ("loss", "items", "loss", "  # expect: LL402"), ("parts", "loss", "loss", "  # expect: LL402")],
)
def test_what_comes_beside_a_loss_may_be_detached(first: str, second: str, added: str, mark: str) -> None:
    assert_marked(ITEMS.format(first=first, second=second, added=added, mark=mark))
