"""An attribute that goes where sizes and counts go is a number: it is no part of its module, which may have no parameters at all (LL502)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    class Score(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.n = n

        def forward(self, x, y):
            BODY

    class Game(nn.Module):
        def __init__(self, loss):
            super().__init__()
            self.body = nn.Linear(4, 4)
            self.loss = loss

        def forward(self, x, y):
            return self.loss(self.body(x), y)

    def main(args, loader):
        game = Game(Score(args.n))
        opt = torch.optim.SGD(game.parameters(), lr=0.1)
        for epoch in range(3):
            old = game.loss
            game.loss = Score(args.n)MARK
            with torch.no_grad():
                print(game(*next(iter(loader))).item())
            game.loss = old
            for x, y in loader:
                opt.zero_grad()
                game(x, y).backward()
                opt.step()
"""
NUMBERS = [
    "return (x.view(len(x), self.n) - y).sum() / self.n",
    "return sum((x[i] - y[i]).mean() for i in range(self.n))",
    "return (x * torch.ones(self.n) - y).mean()",
    "return (x.reshape(-1, self.n - 1) - y.repeat(self.n, 1)).mean()",
]
PARTS = [
    "return (x * self.n - y).mean()",
    "return self.n(x.view(len(x), 4), y)",
    "return nn.functional.linear(x, self.n).view(len(x), 4).mean()",
    "return (x.view(len(x), self.n) * self.n.weight - y).mean()",
]


@pytest.mark.parametrize("body", NUMBERS)
def test_a_module_that_keeps_numbers_has_no_parameters(body: str) -> None:
    assert_marked(PROGRAM.replace("BODY", body).replace("MARK", ""))


@pytest.mark.parametrize("body", PARTS)
def test_what_may_be_a_part_may_have_parameters(body: str) -> None:
    assert_marked(PROGRAM.replace("BODY", body).replace("MARK", "  # expect: LL502"))


def test_a_parameter_beside_a_number_is_one() -> None:
    program = PROGRAM.replace("self.n = n", "self.n = n; self.w = nn.Parameter(torch.ones(4))").replace("BODY", NUMBERS[0])
    assert_marked(program.replace("MARK", "  # expect: LL502"))
