"""A finding is about a way through the program: a run that came to its line by other calls, or before its turn, does not refute it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from looplint.runtime.harness.running import inspect
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

BUILD = """
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.data import DataLoader, TensorDataset
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(64, 4), torch.randint(0, 3, (64,)))
    train, valid = DataLoader(data, batch_size=8, shuffle=True), DataLoader(data, batch_size=8)
    def learn(x, y):
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    @torch.no_grad()
    def validate():
        net.eval()
        for x, y in valid:
            net(x)
"""
# Each has a bug that shows later than in the first five steps, at a line that they run too.
LATER = {
    "one function for training and validation": (
        """
    def losses(x, y):
        return F.cross_entropy(net(x), y)
    for epoch in range(3):
        net.train()
        for x, y in train:
            optimizer.zero_grad()
            losses(x, y).backward()
            optimizer.step()
        for x, y in valid:
            losses(x, y)
        """,
        {"LL302", "LL303"},
    ),
    "one loop for training and validation": (
        """
    for epoch in range(3):
        for phase, loader in (("train", train), ("val", valid)):
            net.train()
            for x, y in loader:
                loss = F.cross_entropy(net(x), y)
                if phase == "train":
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        """,
        {"LL302", "LL303"},
    ),
    "a first validation, after which it trains as it should": (
        """
    validate()
    net.train()
    for epoch in range(3):
        for x, y in train:
            learn(x, y)
        validate()
        """,
        {"LL301"},
    ),
    "a first validation before a loop that validates now and then": (
        """
    validate()
    net.train()
    for i in range(300):
        learn(torch.randn(8, 4), torch.randint(0, 3, (8,)))
        if i % 10 == 9:
            validate()
        """,
        {"LL304"},
    ),
    "another model in eval mode": (
        """
    teacher = nn.Linear(4, 3)
    teacher.eval()
    for epoch in range(3):
        for x, y in train:
            with torch.no_grad():
                wanted = teacher(x)
            optimizer.zero_grad()
            (net(x) - wanted).pow(2).mean().backward()
            optimizer.step()
        validate()
        """,
        {"LL301"},
    ),
    "a phase that clears, before one that does not": (
        """
    def fill(x, y):
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    for x, y in train:
        optimizer.zero_grad()
        fill(x, y)
    for epoch in range(3):
        for x, y in train:
            fill(x, y)
        """,
        {"LL102"},
    ),
    "a phase that clips in time, before one that does not": (
        """
    def clip():
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    for x, y in train:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        clip()
        optimizer.step()
    for epoch in range(3):
        for x, y in train:
            learn(x, y)
            clip()
        """,
        {"LL104"},
    ),
    "a list that has kept a number": (
        """
    history = []
    def keep(value):
        history.append(value)
    keep(1.0)
    for epoch in range(3):
        for x, y in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
        keep(loss)
        """,
        {"LL401"},
    ),
}


def verdicts(folder: Path, warm: Warm, source: str, options: Options) -> dict[str, str]:
    script = folder / "train.py"
    script.write_text(textwrap.dedent(BUILD + source))
    inspection = inspect(str(script), options, launch=warm.launch)
    assert inspection.recording.ok, inspection.recording.stderr
    return {j.code: j.verdict for j in inspection.joined}


@pytest.mark.parametrize("case", LATER)
def test_what_shows_later_is_not_refuted_by_the_first_steps(case: str, tmp_path: Path, warm: Warm) -> None:
    source, codes = LATER[case]
    early = verdicts(tmp_path, warm, source, Options(seconds=60, steps=5))
    assert early == dict.fromkeys(codes, "not reached")
    whole = verdicts(tmp_path, warm, source, Options(seconds=60, steps=30))
    assert set(whole.values()) <= {"happens", "does harm"} and set(whole) == codes


def test_the_call_by_which_the_run_did_not_come_is_named(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(BUILD + LATER["a phase that clears, before one that does not"][0]))
    row = [n for n, line in enumerate(script.read_text().splitlines(), 1) if line.strip() == "fill(x, y)"][1]
    (joined,) = inspect(str(script), Options(seconds=60, steps=5), launch=warm.launch).joined
    assert joined.text == f"the run came here, but not by the call in {joined.finding.filename}:{row}, of which this is reported"


# The linter does not see that a hook clears; the run does.
CLEARED_BY_A_HOOK = """
    import functools, threading
    import torch.multiprocessing
    def fill(x, y):
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    def work(rank=0):
        vars(net)["_forward_pre_" + "hooks"][0] = lambda module, args: optimizer.zero_grad()
        for epoch in range(3):
            for x, y in train:
                fill(x, y)
    def batches():
        for x, y in train:
            fill(x, y)
            yield x
    def consume():
        vars(net)["_forward_pre_" + "hooks"][0] = lambda module, args: optimizer.zero_grad()
        made = batches()
        for x in made:
            pass
"""
STARTS = {
    "a call": "work()",
    "a partial function": "functools.partial(work, 0)()",
    "a thread": "thread = threading.Thread(target=work); thread.start(); thread.join()",
    "a process": "torch.multiprocessing.start_processes(work, nprocs=1, start_method='fork')",
    "a generator": "consume()",
}


@pytest.mark.parametrize("start", STARTS)
def test_a_way_that_was_taken_still_refutes(start: str, tmp_path: Path, warm: Warm) -> None:
    source = CLEARED_BY_A_HOOK + f"    if __name__ == '__main__':\n        {STARTS[start]}\n"
    assert verdicts(tmp_path, warm, source, Options(seconds=60)) == {"LL102": "refuted"}


def test_what_stands_in_no_function_is_refuted_too(tmp_path: Path, warm: Warm) -> None:
    source = """
    vars(net)["_forward_pre_" + "hooks"][0] = lambda module, args: optimizer.zero_grad()
    for epoch in range(3):
        for x, y in train:
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
    """
    assert verdicts(tmp_path, warm, source, Options(seconds=60)) == {"LL102": "refuted"}
