"""A trainer of a framework takes no batch twice in one epoch, and in several processes draws them by a sampler of its own: there is no order that comes again."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import pytorch_lightning as pl
        from torch.utils.data import DataLoader, TensorDataset
        loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.arange(64) // 32), batch_size=8){mark}
        def fit(model, epochs):
            trainer = pl.Trainer({options})
            trainer.fit(model, loader)
"""


@pytest.mark.parametrize(
    "options",
    ["max_epochs=1", "max_epochs=1, max_steps=8, precision=16", "max_epochs=0 + 1", "fast_dev_run=True", "max_epochs=50, fast_dev_run=2"],
)
def test_one_epoch_at_most(options: str) -> None:
    assert_marked(PROGRAM.format(options=options, mark=""))


@pytest.mark.parametrize(
    "options", ["", "max_epochs=2", "max_epochs=epochs", "max_epochs=-1", "max_steps=8", "max_epochs=50, fast_dev_run=False"]
)
def test_more_epochs_or_as_many_as_a_caller_says(options: str) -> None:
    assert_marked(PROGRAM.format(options=options, mark="  # expect: LL901"))


def test_one_of_two_trainers() -> None:
    both = (
        PROGRAM.format(options="max_epochs=1", mark="  # expect: LL901") + "            pl.Trainer(max_epochs=epochs).fit(model, loader)\n"
    )
    assert_marked(both)


@pytest.mark.parametrize(
    "options",
    [
        "strategy='ddp_find_unused_parameters_true'",
        "max_epochs=9, strategy='fsdp', devices=1",
        "devices=-1",
        "devices='4'",
        "gpus=[0, 1]",
        "num_nodes=2, use_distributed_sampler=True",
    ],
)
def test_several_processes_draw_by_a_sampler_that_lightning_gives(options: str) -> None:
    assert_marked(PROGRAM.format(options=options, mark=""))


@pytest.mark.parametrize(
    "options",
    [
        "devices=1",
        "devices='auto'",
        "devices=epochs",
        "gpus=[0]",
        "num_nodes=1, strategy='auto'",
        "strategy='ddp', use_distributed_sampler=False",
    ],
)
def test_one_process_goes_over_the_loader_as_it_is(options: str) -> None:
    assert_marked(PROGRAM.format(options=options, mark="  # expect: LL901"))
