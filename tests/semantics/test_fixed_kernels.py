"""A layer whose only parameter is replaced by one that takes no gradients is frozen: a filter with fixed kernels (LL505)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Edges(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 1)
                self.filters = []{marked}
                for kernel in KERNELS:
                    conv = nn.Conv2d(3, 3, 2, {built})
                    conv.weight = {weight}
                    self.filters.append(conv)
            def forward(self, x):
                return self.head(torch.cat([conv(x) for conv in self.filters], 1))
        def train(loader):
            net = Edges()
            optimizer = torch.optim.Adam(net.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.step()
"""
FIXED = "nn.Parameter(torch.tensor(kernel), requires_grad=False)"


def test_fixed_kernels_need_no_training() -> None:
    assert_marked(PROGRAM.format(built="bias=False", weight=FIXED, marked=""))


@pytest.mark.parametrize(
    ("built", "weight"),
    [
        ("bias=True", FIXED),
        ("groups=3", FIXED),
        ("bias=False", "nn.Parameter(torch.tensor(kernel))"),
        ("bias=False", "nn.Parameter(torch.tensor(kernel), requires_grad=True)"),
    ],
)
def test_what_else_is_trained_has_to_be_registered(built: str, weight: str) -> None:
    assert_marked(PROGRAM.format(built=built, weight=weight, marked="  # expect: LL505"))
