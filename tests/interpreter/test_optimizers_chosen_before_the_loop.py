"""Of several optimizers that a name may stand for, all turns of a loop that does not bind the name are about one."""

from __future__ import annotations

import pytest

from programs import assert_marked

WAYS = {
    "each with its model, in some epochs": """
        import torch.nn.functional as F
        from torch import optim

        def main(first, second, loader, epochs):
            first_opt = optim.SGD(first.parameters(), lr=0.1)
            second_opt = optim.SGD(second.parameters(), lr=0.1)
            for epoch in range(epochs):
                if epoch == 0:
                    net, opt = first, first_opt
                elif epoch == 3:
                    net, opt = second, second_opt
                net.train()
                for x, y in loader:
                    loss = F.mse_loss(net(x), y)
                    {turn}
        """,
    "of one model, by an option": """
        import torch.nn.functional as F
        from torch import optim

        def main(net, loader, plain):
            adam = optim.Adam(net.parameters(), lr=0.1)
            sgd = optim.SGD(net.parameters(), lr=0.1)
            opt = sgd if plain else adam
            for x, y in loader:
                loss = F.mse_loss(net(x), y)
                {turn}
        """,
    "the second for the last epochs": """
        import torch.nn.functional as F
        from torch import optim

        def main(loader, epochs):
            net = nn.Linear(4, 4)
            adam = optim.Adam(net.parameters(), lr=0.1)
            sgd = optim.SGD(net.parameters(), lr=0.1)
            opt = adam
            for epoch in range(epochs):
                if epoch > epochs // 2:
                    opt = sgd
                for x, y in loader:
                    loss = F.mse_loss(net(x), y)
                    {turn}
        """,
    "of built models": """
        import torch.nn.functional as F
        from torch import optim

        def main(loader, epochs):
            first, second = nn.Linear(4, 4), nn.Linear(4, 4)
            first_opt, second_opt = optim.SGD(first.parameters(), lr=0.1), optim.SGD(second.parameters(), lr=0.1)
            for epoch in range(epochs):
                if epoch % 2:
                    net = first
                    opt = first_opt
                else:
                    net = second
                    opt = second_opt
                for x, y in loader:
                    loss = F.mse_loss(net(x), y)
                    {turn}
        """,
}
TURNS = {
    "cleared after the backward": ["loss.backward()", "opt.zero_grad()  # expect: LL101", "opt.step()"],
    "stepped before the backward": ["opt.zero_grad()", "opt.step()  # expect: LL105", "loss.backward()"],
    "no backward": ["opt.zero_grad()", "print(loss)", "opt.step()  # expect: LL107"],
    "in order": ["opt.zero_grad()", "loss.backward()", "opt.step()"],
    "cleared behind the step": ["loss.backward()", "opt.step()", "opt.zero_grad()"],
    "cleared by the model": ["net.zero_grad()", "loss.backward()", "opt.step()"],
    "in two turns of one": ["loss.backward()", "if y.sum() > 0: opt.step(); opt.zero_grad()"],
}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("program", WAYS.values(), ids=WAYS)
def test_its_cycle_is_judged(program: str, turn: list[str]) -> None:
    (row,) = [line for line in program.splitlines() if "{turn}" in line]
    assert_marked(program.format(turn=("\n" + row[: row.index("{")]).join(turn)))


OTHERS = {
    "all are cleared by their own names": ["first_opt.zero_grad()", "second_opt.zero_grad()", "loss.backward()", "opt.step()"],
    "each is in a turn of its own": [
        "for opt in (first_opt, second_opt): opt.zero_grad()",
        "loss.backward()",
        "for opt in (first_opt, second_opt): opt.step()",
    ],
    "one is cleared after it as well": ["opt.zero_grad()", "loss.backward()", "opt.step()", "first_opt.zero_grad()"],
    "the loop chooses": [
        "opt = first_opt if y.sum() > 0 else second_opt",
        "loss.backward()",
        "opt.step()",
        "first_opt.zero_grad()",
        "second_opt.zero_grad()",
    ],
}


@pytest.mark.parametrize("turn", OTHERS.values(), ids=OTHERS)
def test_others_in_the_same_loop(turn: list[str]) -> None:
    program = WAYS["of built models"]
    (row,) = [line for line in program.splitlines() if "{turn}" in line]
    assert_marked(program.format(turn=("\n" + row[: row.index("{")]).join(turn)))
