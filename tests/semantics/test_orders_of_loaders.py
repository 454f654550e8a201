"""In which order a loader goes over its data, where its sampler is one of two things or its dataset mixes its items by itself."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
        import random
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, Dataset
        from torch.utils.data.distributed import DistributedSampler
        class Items(Dataset):
            def __init__(self, items):
                self.items = items
                {built}
            def __len__(self):
                return len(self.items)
            def __getitem__(self, number):
                {asked}
                return self.items[number]
            def reorder(self):
                {again}
        def train(net, items, args, epochs: int):
            data = Items(items)
            {sampler}
            loader = DataLoader(data, batch_size=8{options})
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(epochs):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
"""
BRANCHES = """if args.spread:
                sampler = DistributedSampler(data)
            else:
                sampler = None"""
LATER = """sampler = None
            if args.world > 1:
                sampler = DistributedSampler(data, shuffle=True)"""
MIX = "random.shuffle(self.items)"


def _found(
    *, built: str = "pass", asked: str = "pass", again: str = "pass", sampler: str = "pass", options: str = ""
) -> list[tuple[str, str]]:
    code = dedent(PROGRAM.format(built=built, asked=asked, again=again, sampler=sampler, options=options))
    return [(f.severity, f.message) for f in looplint.lint(code, select=["LL901"])]


@pytest.mark.parametrize("sampler", ["sampler = DistributedSampler(data) if args.spread else None", BRANCHES, LATER])
@pytest.mark.parametrize("options", [", sampler=sampler", ", sampler=sampler, shuffle=False"])
def test_a_sampler_that_is_none_in_one_process(sampler: str, options: str) -> None:
    ((severity, message),) = _found(sampler=sampler, options=options)
    assert severity == "error"
    assert "without shuffle where sampler is None" in message
    assert "pass shuffle=sampler is None" in message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("sampler=sampler", "pass shuffle=sampler is None"),
        ("sampler=options.sampler", "pass shuffle=options.sampler is None"),
        ("sampler=None", "pass shuffle=True"),
        ("", "pass shuffle=True"),
    ],
)
def test_a_sampler_that_other_callers_may_give(given: str, message: str) -> None:
    code = f"""
        import torch
        from torch import nn
        class Options:
            def __init__(self, sampler=None):
                self.sampler = sampler
        def made(data, options, sampler=None):
            return torch.utils.data.DataLoader(data, batch_size=8, {given})
        def train(net, x, y):
            loader = made(torch.utils.data.TensorDataset(x, y), Options())
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(9):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
    """
    (finding,) = looplint.lint(dedent(code), select=["LL901"])
    assert message in finding.message


@pytest.mark.parametrize(
    ("sampler", "options"),
    [
        (BRANCHES, ", sampler=sampler, shuffle=sampler is None"),
        (BRANCHES, ", sampler=sampler, shuffle=not args.spread"),
        (BRANCHES.replace("(data)", "(data, shuffle=False)"), ", sampler=sampler"),
        (BRANCHES.replace("DistributedSampler", "torch.utils.data.SequentialSampler"), ", sampler=sampler"),
        ("sampler = DistributedSampler(data)", ", sampler=sampler"),
        ("sampler = args.sampler or None", ", sampler=sampler"),
    ],
)
def test_one_that_says_what_order_is_meant(sampler: str, options: str) -> None:
    assert _found(sampler=sampler, options=options) == []


def test_a_dataset_that_mixes_its_items_once_gives_them_in_one_order() -> None:
    assert [severity for severity, _ in _found(built=MIX)] == ["warning"]
    assert [severity for severity, _ in _found()] == ["error"]


@pytest.mark.parametrize("again", ["asked", "again"])
def test_one_that_may_mix_them_again(again: str) -> None:
    assert _found(built=MIX, **{again: MIX}) == []


@pytest.mark.parametrize("asked", ["return next(self.stream)", "return self.stream.read(), 0", "self.at += 1; return self.items[self.at]"])
def test_items_that_do_not_depend_on_the_index_have_an_order_of_their_own(asked: str) -> None:
    text = dedent(PROGRAM.format(built="self.stream, self.at = iter(items), 0", asked=asked, again="pass", sampler="pass", options=""))
    assert [f.code for f in looplint.lint(text.replace("        return self.items[number]\n", ""), select=["LL901"])] == []
    assert [f.code for f in looplint.lint(text.replace(asked, "pass"), select=["LL901"])] == ["LL901"]


@pytest.mark.parametrize(
    ("given", "found"),
    [("items, batch_size", []), ("items, shapes, bs=8", []), ("items, size", ["error"]), ("items, transform=None", ["error"])],
)
def test_a_dataset_that_puts_batches_together(given: str, found: list[str]) -> None:
    code = dedent(PROGRAM.format(built="pass", asked="pass", again="pass", sampler="pass", options="")).replace(
        "def __init__(self, items):", f"def __init__(self, {given}):"
    )
    code = code.replace("Items(items)", "Items(items, args.given)")
    assert [f.severity for f in looplint.lint(code, select=["LL901"])] == found


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("data, held_out = torch.utils.data.random_split(data, [80, 20])", "warning"),
        ("data = torch.utils.data.random_split(data, [80, 20])[0]", "warning"),
        ("data = torch.utils.data.Subset(data, range(80))", "error"),
    ],
)
def test_a_part_that_is_drawn_once_comes_in_one_order(split: str, expected: str) -> None:
    assert [severity for severity, _ in _found(sampler=split)] == [expected]
