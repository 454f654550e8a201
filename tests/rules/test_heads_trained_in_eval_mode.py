"""LL301: a head that is trained on features of its own model, which is in eval mode for both, is trained so on purpose."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
        self.head = nn.Linear(3, 3)

    def forward(self, x, part="all"):
        if part == "body":
            return self.body(x)
        if part == "head":
            return self.head(x)
        return self.head(self.body(x))


def train(net, opt, loader, head_only):
    if head_only:
        net.eval()
    else:
        net.train()
    for x, y in loader:
        if head_only:
            with torch.no_grad():
                {before}
            out = net({given}, part="head"){mark}
        else:
            out = net(x)
        loss = nn.functional.mse_loss(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()


def main(args, loader):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        train(net, opt, loader, args.head_only)


main(ARGS, LOADER)
"""
EXPECTED = "  # expect: LL301"


@pytest.mark.parametrize(
    ("before", "given", "mark"),
    [
        ('features = net(x, part="body")', "features", ""),
        ('features = net(x, part="body").flatten(1)', "features", ""),
        ('features, others = net(x, part="body"), net(y, part="body")', "torch.cat([features, others])", ""),
        ('features = net(x, part="body")\n                others = net(y, part="body")', 'features, part="head") * net(others', ""),
        ("print(nn.functional.mse_loss(net(x), y).item())", "x", EXPECTED),
    ],
)
def test_a_head_on_features_of_its_own_model(before: str, given: str, mark: str) -> None:
    assert_marked(PROGRAM.format(before=before, given=given, mark=mark))
