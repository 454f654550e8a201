"""A validation whose loss is added up as a tensor and becomes text or a number at the end is measured: LL302 asks for its mode."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
@torch.no_grad()
def validate(model, loader):
    {mode}
    total = 0
    for x, y in loader:
        total += nn.functional.mse_loss(model(x), y){expected}
    total = total / len(loader)
    {shown}


model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1), nn.Linear(3, 1))
optimizer = torch.optim.AdamW(model.parameters())
loader = [(torch.randn(4, 3), torch.randn(4, 1))] * 3
for epoch in range(3):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    validate(model, loader)
"""
SHOWN = pytest.mark.parametrize(
    "shown",
    ["print(total)", "print(f'{total:.3f}')", "print('%.3f' % total)", "print('{}'.format(total))", "return float(total)"],
    ids=["printed", "in a string", "by percent", "by format", "as a number"],
)


@SHOWN
def test_it_is_measured(shown: str) -> None:
    assert_marked(PROGRAM.format(mode="pass", shown=shown, expected="  # expect: LL302"))


@SHOWN
def test_in_eval_mode_all_is_well(shown: str) -> None:
    assert_marked(PROGRAM.format(mode="model.eval()", shown=shown, expected=""))
