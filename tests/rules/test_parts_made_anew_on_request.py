"""LL502 and a part that the model makes anew where what it computes asks for it, and a loss without parameters that a setting chooses."""

from __future__ import annotations

import pytest

from programs import assert_marked

RESIZED = """
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.body = nn.Linear(3, 3)
        self.head = nn.Linear(3, n)

    def forward(self, x):
        return self.head(self.body(x))

    def fit_to(self, answers, anew=False):
        {body}


def main(loader, answers):
    net = Net(4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        net.fit_to(answers)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
"""


@pytest.mark.parametrize(
    "body",
    [
        "if len(answers) != self.n: self.n = len(answers); self.head = nn.Linear(3, self.n)",
        "if self.head.out_features < len(answers): self.head = nn.Linear(3, len(answers))",
        "self.n = max(answers)\n        if self.n > 10:\n            self.head = nn.Linear(3, self.n)",
    ],
)
def test_where_what_is_computed_asks_for_it(body: str) -> None:
    assert_marked(RESIZED.format(body=body))


def test_in_each_call() -> None:
    assert_marked(RESIZED.format(body="self.head = nn.Linear(3, len(answers))  # expect: LL502"))


CHOSEN = """
class RankingLoss(nn.Module):
    def forward(self, a, b):
        return (a - b).sigmoid().log().mean()


class CenterLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.zeros(3))

    def forward(self, a, b):
        return (a - self.centers).pow(2).mean()


class Recommender(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.body = nn.Linear(3, 3)

    def criterion_of(self):
        if self.kind == "mse":
            return nn.MSELoss()
        elif self.kind == "rank":
            return RankingLoss()
        return {last}

    def fit(self, loader):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        self.criterion = self.criterion_of(){expected}
        for x, y in loader:
            optimizer.zero_grad()
            self.criterion(self.body(x), y).backward()
            optimizer.step()
"""


def test_a_loss_without_parameters() -> None:
    assert_marked(CHOSEN.format(last="nn.BCEWithLogitsLoss()", expected=""))


def test_a_loss_that_may_have_parameters() -> None:
    assert_marked(CHOSEN.format(last="CenterLoss()", expected="  # expect: LL502"))
