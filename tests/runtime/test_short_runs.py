"""A run without limits of its own: it sees the first batches of two epochs, and what comes after them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from looplint.runtime.recording.limits import LONG, SHORT
from looplint.runtime.streams.record import Options, Recording, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

BUILD = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    train, valid = DataLoader(torch.ones(400, 4), batch_size=1), DataLoader(torch.ones(60, 4), batch_size=1)
    def learn(x):
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()
"""
EPOCHS = (
    BUILD
    + """
    for epoch in range({epochs}):
        for {each}:
            learn(x)
        scheduler.step()
        seen = 0
        for x in valid:
            seen += len(net(x))
        assert seen == len(valid.dataset)
        torch.save(net.state_dict(), "model.pt")
    print("the end")
"""
)


def run(folder: Path, warm: Warm, source: str) -> Recording:
    script = folder / "train.py"
    script.write_text(textwrap.dedent(source))
    recording = record(script, Options(seconds=60, steps=20, short=True, cwd=folder), warm.launch)
    assert recording.ok, recording.stderr
    return recording


@pytest.mark.parametrize(
    "each", ["x in train", "i, x in enumerate(train)", "x in (y for y in train)", "x, _ in zip(train, range(999))"], ids=str
)
def test_it_sees_two_epochs_with_their_schedule_validation_and_checkpoint(each: str, tmp_path: Path, warm: Warm) -> None:
    recording = run(tmp_path, warm, EPOCHS.format(epochs=9, each=each))
    assert recording.message == "stopped after two epochs, of which it saw the first batches"
    stream = recording.stream
    assert (len(stream.of("step")), len(stream.of("schedule"))) == (2 * SHORT, 2)
    assert len([e for e in stream.of("save") if e.facts["function"] == "torch.save"]) == 2
    assert not stream.over


def test_a_script_that_ends_before_is_not_taken_for_one_that_was_seen_whole(tmp_path: Path, warm: Warm) -> None:
    recording = run(tmp_path, warm, EPOCHS.format(epochs=1, each="x in train"))
    assert (recording.message, recording.stdout.strip()) == ("ran to its end", "the end")
    assert len(recording.stream.of("step")) == SHORT
    assert not recording.stream.over


def test_short_epochs_are_seen_whole(tmp_path: Path, warm: Warm) -> None:
    source = EPOCHS.format(epochs=1, each="x in train").replace("torch.ones(400, 4)", f"torch.ones({SHORT}, 4)")
    stream = run(tmp_path, warm, source).stream
    assert (len(stream.of("step")), stream.over) == (SHORT, True)


# What asks for its batches one by one would fail where one is missing; what has no passes has no epochs to shorten.
ONE_BY_ONE = {
    "a loop over numbers": "batches = iter(train)\n    for i in range(len(train)):\n        learn(next(batches))",
    "a generator that begins anew": """
    def endless():
        batches = iter(train)
        while True:
            try:
                x = next(batches)
            except StopIteration:
                batches = iter(train)
                continue
            yield x
    for i, x in zip(range(300), endless()):
        learn(x)
    """,
    "no loader": "for i in range(300):\n        learn(torch.ones(2, 4))",
}


@pytest.mark.parametrize("case", ONE_BY_ONE)
def test_what_has_no_passes_that_can_end_is_stopped_after_its_steps(case: str, tmp_path: Path, warm: Warm) -> None:
    recording = run(tmp_path, warm, BUILD + "    " + ONE_BY_ONE[case].lstrip() + "\n    print('the end')\n")
    assert (recording.message, len(recording.stream.of("step"))) == ("stopped after 20 steps", 20)


def test_a_batch_that_is_looked_at_first_does_not_make_its_loader_one(tmp_path: Path, warm: Warm) -> None:
    source = EPOCHS.format(epochs=9, each="x in train").replace("    for epoch", "    first = next(iter(train))\n    for epoch")
    assert len(run(tmp_path, warm, source).stream.of("step")) == 2 * SHORT


def test_a_pass_is_not_ended_between_the_batches_of_a_step(tmp_path: Path, warm: Warm) -> None:
    source = (
        BUILD
        + """
    for epoch in range(9):
        for i, x in enumerate(train):
            (net(x).pow(2).mean() / 4).backward()
            if i % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()
    """
    )
    stream = run(tmp_path, warm, source).stream
    assert (len(stream.of("backward")), len(stream.of("step"))) == (24, 6)


def test_a_long_pass_without_training_ends_too_and_new_loaders_do_not_go_on_for_ever(tmp_path: Path, warm: Warm) -> None:
    source = (
        BUILD
        + """
    for x in DataLoader(torch.ones(2000, 4), batch_size=2):
        net(x)
    while True:
        for x in DataLoader(torch.ones(400, 4), batch_size=1):
            learn(x)
    """
    )
    recording = run(tmp_path, warm, source)
    forwards = recording.stream.of("forward")
    first = [e for e in forwards if e.stack == forwards[0].stack]
    assert (recording.message, recording.stream.steps, len(first)) == ("stopped after 100 steps", 100, LONG)
