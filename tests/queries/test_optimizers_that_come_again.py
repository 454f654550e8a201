"""Which of several optimizers a step is of may be open, and yet be sure that it steps again: nothing in sight clears any of them."""

import pytest

import looplint
from programs import assert_marked

LISTED = """
class Ensemble:
    def __init__(self, size):
        self.size = size
        self.nets = [nn.Linear(4, 1) for _ in range(size)]
        self.opts = [torch.optim.Adam(self.nets[i].parameters()) for i in range(size)]

    def update(self, loader):
        for number, (x, y) in enumerate(loader):
            {turn}
"""
STEP = """loss = nn.functional.mse_loss(self.nets[k](x), y)
{indent}loss.backward(){mark}
{indent}self.opts[k].step()"""


def turn(head: str, *, inner: int = 0, mark: str = "  # expect: LL102", cleared: bool = False) -> str:
    indent = " " * (12 + 4 * inner)
    clear = f"self.opts[k].zero_grad()\n{indent}" if cleared else ""
    return f"{head}\n{indent}{clear}" + STEP.format(indent=indent, mark=mark)


AGAIN = {
    "by the remainder of the number": turn("k = number % self.size"),
    "each of them for each batch": turn("for k in range(self.size):", inner=1),
    "the same in each turn": turn("k = 0"),
    "all as their names say": """for net, opt in zip(self.nets, self.opts):
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                opt.step()""",
}


@pytest.mark.parametrize("body", AGAIN.values(), ids=AGAIN)
def test_one_that_steps_again_and_is_never_cleared_adds_gradients_up(body: str) -> None:
    assert_marked(LISTED.format(turn=body))


SILENT = {
    "each is cleared": turn("k = number % self.size", mark="", cleared=True),
    "each batch has one of its own": turn("k = number", mark=""),
    "a counter leads from one to the next": turn("k = self.following()", mark=""),
    "all are cleared after the batch": turn("for k in range(self.size):", inner=1, mark="")
    + "\n            for opt in self.opts:\n                opt.zero_grad()",
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_one_that_is_cleared_or_steps_once_does_not(body: str) -> None:
    assert_marked(LISTED.format(turn=body))


AGENTS = """
class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 1)
        self.opt = torch.optim.Adam(self.net.parameters())

    def learn(self, x, y):
        {clear}
        loss = nn.functional.mse_loss(self.net(x), y)
        loss.backward(){mark}
        self.opt.step()

def train(loader, size):
    agents = [Agent() for _ in range(size)]
    for x, y in loader:
        for agent in agents:
            agent.learn(x, y)
"""


@pytest.mark.parametrize(("clear", "mark"), [("pass", "  # expect: LL102"), ("self.opt.zero_grad()", "")], ids=["never cleared", "cleared"])
def test_the_optimizers_of_a_team_come_again(clear: str, mark: str) -> None:
    assert_marked(AGENTS.format(clear=clear, mark=mark))


FEDERATED = """
def train(net, loader, opt):
    for x, y in loader:
        {clear}
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(){mark}
        opt.step()

def main(loaders):
    nets = [nn.Linear(4, 1) for _ in loaders]
    opts = [torch.optim.Adam(net.parameters()) for net in nets]
    for number, loader in enumerate(loaders):
        train(nets[number], loader, opts[number])
"""


@pytest.mark.parametrize(("clear", "mark"), [("pass", "  # expect: LL102"), ("opt.zero_grad()", "")], ids=["never cleared", "cleared"])
def test_a_function_steps_with_the_one_that_it_is_given_in_each_turn(clear: str, mark: str) -> None:
    assert_marked(FEDERATED.format(clear=clear, mark=mark))


ONCE = """
def train(x, y, size):
    nets, opts = [], []
    for number in range(size):
        nets.append(nn.Linear(4, 1))
        opts.append(torch.optim.Adam(nets[number].parameters()))
    for k in range(size):
        loss = nn.functional.mse_loss(nets[k](x), y)
        loss.backward()
        opts[k].step()
"""


def test_each_member_that_a_loop_has_built_steps_once() -> None:
    assert_marked(ONCE)


def test_the_clear_goes_below_what_says_which_one_steps() -> None:
    text = "import torch\nfrom torch import nn\n" + LISTED.format(turn=turn("k = number % self.size", mark=""))
    repaired = looplint.fix(text, isolated=True).text
    assert "            k = number % self.size\n            self.opts[k].zero_grad()\n" in repaired
