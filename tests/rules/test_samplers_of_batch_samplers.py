"""LL903 knows the sampler from which a batch sampler takes its items, and the loaders and the samplers of which a run builds one."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from tests.repaired_text import fixed

PROGRAM = """\
import library
import torch
from torch import nn, optim
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, RandomSampler


def main(args, data):
    {built}
    net = nn.Linear(8, 2)
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        {told}
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            {backward}
            opt.step()


main(library.args, library.data)
"""
BATCHES = """if args.distributed:
        sampler = DistributedSampler(data)
    else:
        sampler = RandomSampler(data)
    loader = DataLoader(data, batch_sampler=BatchSampler(sampler, 16, drop_last=True))"""
INSIDE = "loader = DataLoader(data, batch_sampler=BatchSampler(DistributedSampler(data), 16, drop_last=True))"
ONE_OF_TWO = """if args.distributed:
        sampler = DistributedSampler(data)
        loader = DataLoader(data, batch_size=8, sampler=sampler)
    else:
        loader = DataLoader(data, batch_size=8, shuffle=True)"""
ONE_OF_THREE = """if args.distributed:
        sampler = DistributedSampler(data)
        batches = BatchSampler(sampler, 16, drop_last=True)
        loader = DataLoader(data, batch_sampler=batches)
    elif args.weighted:
        loader = DataLoader(data, sampler=library.weighted(data))
    else:
        loader = DataLoader(data, batch_size=8, shuffle=True)"""
# Both are there, and the loop takes one in its turn.
BOTH = """train_loader = DataLoader(data, batch_size=8, shuffle=True)
    valid_loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data))
    loader = train_loader if args.trains else valid_loader"""
MEASURED = """if args.trains:
        loader = DataLoader(data, batch_size=8, shuffle=True)
    else:
        loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data))"""

SEVERAL = """sampler = None
    if args.horovod:
        sampler = DistributedSampler(data, num_replicas=library.size(), rank=library.rank())
    elif args.ddp:
        sampler = DistributedSampler(data{shuffle})
    loader = DataLoader(data, batch_size=8, sampler=sampler)"""
RETURNED = """def sampled(data):
        if args.gathered:
            return DistributedSampler(data, num_replicas=1, rank=0)
        return DistributedSampler(data, drop_last=True{shuffle})
    loader = DataLoader(data, batch_size=8, sampler=sampled(data))"""
IN_LINE = """some = DistributedSampler(data, seed=1)
    all_of_them = DistributedSampler(data{shuffle})
    loader = DataLoader(data, batch_size=8, sampler=some if args.few else all_of_them)"""


def _text(built: str, told: str = "pass", backward: str = "loss.backward()") -> str:
    return PROGRAM.format(built=built, told=told, backward=backward)


def _codes(text: str, code: str = "LL903") -> list[str]:
    return [f.code for f in looplint.lint(text, select=[code], isolated=True)]


@pytest.mark.parametrize("built", [BATCHES, INSIDE, ONE_OF_TWO, ONE_OF_THREE], ids=["batches", "inside", "one of two", "one of three"])
def test_nothing_tells_the_epoch(built: str) -> None:
    assert _codes(_text(built)) == ["LL903"]


@pytest.mark.parametrize(
    ("built", "told"),
    [
        (BATCHES, "sampler.set_epoch(epoch)"),
        (BATCHES, "loader.batch_sampler.sampler.set_epoch(epoch)"),
        (INSIDE, "loader.batch_sampler.sampler.set_epoch(epoch)"),
        (INSIDE, "library.begin(loader)"),
        (INSIDE, "library.begin(loader.batch_sampler)"),
        (ONE_OF_TWO, "loader.sampler.set_epoch(epoch)"),
        (ONE_OF_TWO, "args.distributed and sampler.set_epoch(epoch)"),
        (BOTH, "pass"),
    ],
)
def test_the_epoch_is_told_or_need_not_be(built: str, told: str) -> None:
    assert _codes(_text(built, told)) == []


def test_a_loader_that_is_not_there_where_the_loop_trains() -> None:
    assert _codes(_text(MEASURED, backward="if args.trains:\n                loss.backward()")) == []
    assert _codes(_text(MEASURED)) == ["LL903"]


@pytest.mark.parametrize(
    ("built", "told"),
    [
        (BATCHES, "if isinstance(sampler, DistributedSampler):\n            sampler.set_epoch(epoch)"),
        (INSIDE, "loader.batch_sampler.sampler.set_epoch(epoch)"),
        (ONE_OF_TWO, "if isinstance(loader.sampler, DistributedSampler):\n            loader.sampler.set_epoch(epoch)"),
    ],
)
def test_the_repair_finds_the_sampler_where_it_is(tmp_path: Path, built: str, told: str) -> None:
    assert fixed(tmp_path / "train.py", _text(built).encode()).decode() == _text(built, f"{told}\n        pass")


def test_no_repair_where_a_loader_in_its_place_has_no_such_sampler(tmp_path: Path) -> None:
    text = _text(ONE_OF_THREE)
    assert fixed(tmp_path / "train.py", text.encode()).decode() == text


@pytest.mark.parametrize(
    ("other", "codes"),
    [
        ("DataLoader(data, batch_size=8, sampler=DistributedSampler(data))", ["LL901"]),
        ("DataLoader(data, batch_size=8, shuffle=True)", []),
        ("DataLoader(data, batch_size=8, sampler=DistributedSampler(data, shuffle=False))", []),
    ],
)
def test_an_order_as_stored_beside_another_loader(other: str, codes: list[str]) -> None:
    built = f"""data = torch.utils.data.TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    if args.distributed:
        loader = {other}
    else:
        loader = DataLoader(data, batch_size=8)"""
    assert _codes(_text(built), "LL901") == codes


@pytest.mark.parametrize("built", [SEVERAL, RETURNED, IN_LINE], ids=["branches", "function", "expression"])
def test_one_of_several_samplers(tmp_path: Path, built: str) -> None:
    """The first is reported, beside each of the others; which name the call would need depends on the branch."""
    text = _text(built.format(shuffle=""))
    (finding,) = looplint.lint(text, select=["LL903"], isolated=True)
    assert len(finding.related) == 2
    assert fixed(tmp_path / "train.py", text.encode()).decode() == text
    assert _codes(_text(built.format(shuffle=", shuffle=False"))) == []
    assert _codes(_text(built.format(shuffle=""), "if loader.sampler is not None:\n            loader.sampler.set_epoch(epoch)")) == []


def test_one_of_several_samplers_that_is_told_the_epoch() -> None:
    assert _codes(_text(IN_LINE.format(shuffle=""), "all_of_them.set_epoch(epoch)")) == []
