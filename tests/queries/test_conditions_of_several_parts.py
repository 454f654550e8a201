"""A validation runs in the last turn alone where a part of its condition says so that changes from turn to turn; `rank == 0` is the same in all."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINING = """
        def validate(net, loader):
            net.eval()
            with torch.no_grad():
                for x, y in loader:
                    print(nn.functional.cross_entropy(net(x), y))
        def train(loader, valid, epochs, every, rank):
            net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 2))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(epochs):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward(){marked}
                    optimizer.step()
                if {test}:
                    validate(net, valid)
"""


@pytest.mark.parametrize("test", ["epoch % every == 0 and rank == 0", "not (rank != 0 or epoch % every != 0)", "rank == 0 and epoch >= 1"])
def test_what_is_the_same_in_all_turns_is_no_last_one(test: str) -> None:
    assert_marked(TRAINING.replace("{test}", test).replace("{marked}", "  # expect: LL304"))


@pytest.mark.parametrize("test", ["epoch == epochs - 1 and rank == 0", "not (rank != 0 or epoch != epochs - 1)"])
def test_the_last_turn_is_told_by_one_part(test: str) -> None:
    assert_marked(TRAINING.replace("{test}", test).replace("{marked}", ""))


@pytest.mark.parametrize(
    "test",
    [
        "epoch + 1 >= args.eval_start",
        "epoch > warmup_epochs and rank == 0",
        "not epoch < self.begin_validating",
        "args.start_epoch <= epoch",
    ],
)
def test_what_is_done_from_some_turn_on_is_done_in_the_next_one_too(test: str) -> None:
    assert_marked(TRAINING.replace("{test}", test).replace("{marked}", "  # expect: LL304"))


@pytest.mark.parametrize("test", ["epoch + 1 >= args.epochs", "epoch >= end_of_warmup", "epoch > restarts", "epoch + 1 == args.eval_start"])
def test_what_is_done_from_the_last_turn_on_is_not(test: str) -> None:
    assert_marked(TRAINING.replace("{test}", test).replace("{marked}", ""))
