"""LL901: the repair of a loader that one call builds for all parts of the data would mix the others too."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, RandomSampler, TensorDataset

    def load(path, size, mixed=False):
        data = TensorDataset(torch.load(path), torch.load(path + ".y"))
        sampler = RandomSampler(data) if mixed else None
        loader = DataLoader(data, batch_size=size, sampler=sampler)
        return loader

    def main():
        net = nn.Linear(4, 2)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        train = load("train.pt", 8)
        {others}
        for epoch in range(10):
            for x, y in train:
                opt.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                opt.step()

    main()
"""


@pytest.mark.parametrize(
    ("others", "safe"),
    [
        ("pass", True),
        ('valid = load("valid.pt", 8)', False),
        ('valid = load("valid.pt", 8, mixed=False)', False),
        ('parts = [load(name + ".pt", 1) for name in ("valid", "test")]', False),
        ('valid = DataLoader(torch.load("valid.pt"))', True),
    ],
)
def test_it_is_safe_where_it_changes_no_other_loader(others: str, safe: bool) -> None:
    (finding,) = looplint.lint(dedent(PROGRAM.format(others=others)), isolated=True, select=["LL901"])
    assert finding.fix is not None and finding.fix.applicability == ("safe" if safe else "unsafe")
