"""A loader that is handed in is one where its batches are counted, or a progress bar goes over them, as where a loop goes over it by itself."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
def show(model, train_loader, device):
    model.eval()
    found = []
    with torch.no_grad():
        for TURN:
            users = batch["user"]
            users.to(device)MARK
            found.append(model(users).mean().item())
    return found
"""
FOUND = "  # expect: LL503"


@pytest.mark.parametrize(
    "turn",
    [
        "batch in train_loader",
        "i, batch in enumerate(train_loader)",
        "i, batch in enumerate(train_loader, start=1)",
        "batch in tqdm(train_loader, desc='test')",
        "other, batch in zip(range(9), train_loader)",
        "batch in iter(train_loader)",
        "i, batch in tqdm(enumerate(train_loader), total=len(train_loader))",
    ],
)
def test_however_a_loop_goes_over_it(turn: str) -> None:
    assert_marked("from tqdm import tqdm\n" + PROGRAM.replace("TURN", turn).replace("MARK", FOUND))


@pytest.mark.parametrize(
    "turn", ["i, batch in enumerate(users_of(train_loader))", "batch in train_loader.read()", "i, batch in enumerate(model.parts)"]
)
def test_what_is_not_gone_over_is_not_told_by_its_name(turn: str) -> None:
    assert_marked(PROGRAM.replace("TURN", turn).replace("MARK", ""))


def test_numbers_that_are_counted_are_no_batches() -> None:
    assert_marked(PROGRAM.replace("TURN", "i, batch in enumerate(rates)").replace("train_loader", "rates").replace("MARK", ""))
