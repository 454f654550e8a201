"""A program that reads the gradients of a model and writes its parameters steps them by hand, wherever it computes the one from the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.files import lint_paths
from programs import assert_marked

PROGRAM = """
def flat_parameters(model):
    return torch.cat([p.data.view(-1) for p in model.parameters()])


def flat_gradients(model):
    gradients = []
    for p in model.parameters():
        if p.grad is not None:
            gradients.append(p.grad.view(-1))
    return torch.cat(gradients)


def write(model, values):
    start = 0
    for p in model.parameters():
        {written}
        start += p.numel()


policy = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 2))
critic = nn.Linear(4, 1)
optimizer = torch.optim.Adam(critic.parameters())
valid = [torch.randn(8, 4)] * 3
for epoch in range(10):
    {mode}
    x, action, advantage = torch.randn(8, 4), torch.randn(8, 2), torch.randn(8, 1)
    old = flat_parameters(policy)
    policy.zero_grad()
    loss = -((policy(x) - action) * advantage).mean(){trained}
    loss.backward()
    direction = -flat_gradients(policy)
    for search in range(3):
        {searched}
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.mse_loss(critic(x), advantage).backward()
        optimizer.step()
    policy.eval()
    with torch.no_grad():
        print(sum(nn.functional.mse_loss(policy(x), x[:, :2]).item() for x in valid))
"""
CALLED = "write(policy, old + direction * 0.5 ** search)"
WRITTEN = {
    "data": {"written": "p.data = values[start : start + p.numel()].view(p.size())"},
    "into data": {"written": "p.data.copy_(values[start : start + p.numel()].view_as(p))"},
    "without gradients": {"written": "with torch.no_grad(): p.copy_(values[start : start + p.numel()].view_as(p))"},
    "by torch": {"searched": "nn.utils.vector_to_parameters(old + direction * 0.5 ** search, policy.parameters())"},
}
NOT_WRITTEN = {
    "nothing": {},
    "converted": {"written": "p.data = p.data.half()"},
    "another's": {"written": "p.data.copy_(values[start : start + p.numel()].view_as(p))", "searched": "write(critic, direction)"},
}


def _program(changes: dict[str, str], mode: str = "pass", trained: str = "") -> str:
    return PROGRAM.format(**{"written": "pass", "searched": CALLED, "mode": mode, "trained": trained, **changes})


@pytest.mark.parametrize("changes", WRITTEN.values(), ids=WRITTEN)
def test_what_is_stepped_by_hand_is_trained(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, trained="  # expect: LL301"))


@pytest.mark.parametrize("changes", WRITTEN.values(), ids=WRITTEN)
def test_in_train_mode_all_is_well(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, mode="policy.train()"))


@pytest.mark.parametrize("changes", NOT_WRITTEN.values(), ids=NOT_WRITTEN)
def test_what_is_not_written_is_not(changes: dict[str, str]) -> None:
    assert_marked(_program(changes))


@pytest.mark.parametrize("changes", [*WRITTEN.values(), *NOT_WRITTEN.values()], ids=[*WRITTEN, *NOT_WRITTEN])
def test_its_loop_is_judged_where_it_steps(changes: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(f"import torch\nfrom torch import nn\n{_program(changes)}", encoding="utf-8")
    assert bool(lint_paths([str(path)]).coverage.lost) is (changes in NOT_WRITTEN.values())
