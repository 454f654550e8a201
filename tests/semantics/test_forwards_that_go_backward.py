"""A model whose own forward goes backward leaves gradients: a step after it needs no other backward."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        {helper}
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.cell = nn.Linear(width, width)
            def forward(self, x, y, replayed=False):
                total = 0.0
                for part, wanted in zip(x, y):
                    loss = nn.functional.mse_loss(self.cell(part), wanted)
                    {inside}
                    total += loss.detach()
                return total if replayed else loss
        def train(loader, width):
            net = Net(width)
            optimizer = torch.optim.Adam(net.parameters())
            for epoch in range(9):
                for x, y in loader:
                    net.train()
                    loss = net(x, y, replayed=True)
                    {after}
                    optimizer.step(){mark}
                    optimizer.zero_grad()
                    print(loss.item())
        """
FUNCTION = "def replay(loss): loss.backward()"
CASES = {
    "in the forward": ("", "loss.backward()", "pass", ""),
    "under a condition": ("", "if replayed: (loss / 4).backward()", "pass", ""),
    "in a function beside it": (FUNCTION, "replay(loss)", "pass", ""),
    "nowhere": ("", "pass", "pass", "  # expect: LL107"),
    "after it": ("", "pass", "loss.backward()", ""),
    "both": ("", "loss.backward()", "loss.backward()", ""),
}


@pytest.mark.parametrize(("helper", "inside", "after", "mark"), CASES.values(), ids=CASES)
def test_where_the_gradients_come_from(helper: str, inside: str, after: str, mark: str) -> None:
    assert_marked(PROGRAM.format(helper=helper, inside=inside, after=after, mark=mark))


def test_in_a_method() -> None:
    method = "def spread(self, loss):\n                loss.backward()\n            def forward("
    program = PROGRAM.replace("def forward(", method).format(helper="", inside="self.spread(loss)", after="pass", mark="")
    assert_marked(program)


OF_A_LIBRARY = """
        import torch
        from replaying import Wrapper
        class Trainer:
            def __init__(self, size):
                self.model = Wrapper(size).cuda()
                self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
            def train(self, batches, replays):
                self.model.train()
                for epoch in range(10):
                    for batch in batches:
                        loss = self.model{call}
                        self.optimizer.step(){mark}
                        self.optimizer.zero_grad()
                        print(loss.item())
        """
TOLD = (
    "(batch, memory_replay_backprop=True)",
    "(batch, backward=replays)",
    ".replay(batch, do_backward=1)",
    "(batch, backprop_through='time')",
)
NOT_TOLD = ("(batch)", "(batch, memory_replay_backprop=False)", "(batch, no_backward=True)", "(batch, replay=True)")


@pytest.mark.parametrize("call", TOLD)
def test_a_forward_out_of_sight_that_is_told_to_go_backward(call: str) -> None:
    assert_marked(OF_A_LIBRARY.format(call=call, mark=""))


@pytest.mark.parametrize("call", NOT_TOLD)
def test_a_forward_out_of_sight_that_is_told_nothing_of_it(call: str) -> None:
    assert_marked(OF_A_LIBRARY.format(call=call, mark="  # expect: LL107"))


ONE_OF_TWO = """
        class Plain(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.cell = nn.GRU(width, width)
            def forward(self, x, run_backwards=True):
                return self.cell(x.flip(0) if run_backwards else x)[0]
        class Deep(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.cell = nn.GRU(width, width, 3)
            def forward(self, x, run_backwards=True):
                out = self.cell(x.flip(0) if run_backwards else x)[0]
                {inside}
                return out
        def train(loader, width, deep):
            if deep:
                net = Deep(width)
            else:
                net = Plain(width)
            optimizer = torch.optim.Adam(net.parameters())
            for epoch in range(9):
                for x, y in loader:
                    net.train()
                    out = net(x, run_backwards=True)
                    loss = nn.functional.mse_loss(out, y)
                    optimizer.step(){mark}
                    optimizer.zero_grad()
                    print(loss.item())
        """


def test_one_of_two_modules_in_sight_is_told_by_what_its_forward_does() -> None:
    assert_marked(ONE_OF_TWO.format(inside="pass", mark="  # expect: LL107"))


def test_one_of_two_modules_in_sight_goes_backward() -> None:
    assert_marked(ONE_OF_TWO.format(inside="out.mean().backward()", mark=""))
