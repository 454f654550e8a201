"""A validation that runs a model twice is run under no_grad as one, also with what is computed in between; what needs gradients before it stays outside."""

from pathlib import Path

import pytest

from tests.repaired_text import assert_repaired

LOOP = """\
criterion = nn.CrossEntropyLoss()


def attack(model, x, y):
    delta = torch.zeros_like(x).requires_grad_()
    nn.functional.cross_entropy(model(x + delta), y).backward()
    return delta.grad.sign()


for epoch in range(9):
    model.train()
    for x, y in loader:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()
    model.eval()
    total = 0.0
    for x, y in valid:
        delta = attack(model, x, y)
{body}
        total += loss.item() + robust_loss.item()
    print(epoch, total)
"""
IN_TURN = """\
        robust = model(x + delta)
        robust_loss = criterion(robust, y)

        out = model(x)
        loss = criterion(out, y)"""
REPAIRED = """\
        with torch.no_grad():
            robust = model(x + delta)
            robust_loss = criterion(robust, y)

            out = model(x)
        loss = criterion(out, y)"""
LOSSES_LAST = """\
        robust = model(x + delta)
        out = model(x)
        robust_loss, loss = criterion(robust, y), criterion(out, y)"""
BOTH = """\
        with torch.no_grad():
            robust = model(x + delta)
            out = model(x)
        robust_loss, loss = criterion(robust, y), criterion(out, y)"""


@pytest.mark.parametrize(("body", "repaired"), [(IN_TURN, REPAIRED), (LOSSES_LAST, BOTH)], ids=["a loss in between", "side by side"])
def test_both_are_run_without_gradients(tmp_path: Path, body: str, repaired: str) -> None:
    assert_repaired(tmp_path / "train.py", LOOP.replace("{body}", body), LOOP.replace("{body}", repaired))
