"""An optimizer of the program whose step reads no gradient: a clear before it loses nothing, and no backward has to stand before it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Shrinking(torch.optim.Optimizer):
    def __init__(self, params, prox, lr=0.1):
        super().__init__(params, dict(lr=lr))
        self.prox = prox
        for group in self.param_groups:
            group.setdefault("proxs", [prox])

{methods}

def soft(data, by):
    return data.sign() * (data.abs() - by).clamp(min=0)

def train(loader):
    net = nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    own = Shrinking(net.parameters(), soft)
    for epoch in range(9):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            own.zero_grad(){marked}
            own.step()
"""
BY_GROUPS = """
    def step(self, delta=0, closure=None):
        \"\"\"The gradients were applied before.\"\"\"
        for group in self.param_groups:
            for param in group["params"]:
                for prox in group["proxs"]:
                    param.data = prox(param.data, by=group["lr"])
"""
BY_ATTRIBUTE = """
    @torch.no_grad()
    def step(self):
        with torch.no_grad():
            for group in self.param_groups:
                rate = group["lr"]
                for p in group["params"]:
                    if p.requires_grad:
                        p.copy_(self.prox(p.detach(), rate))
"""
BY_METHOD = """
    def step(self):
        for group in self.param_groups:
            for p in [p for p in group["params"] if p.requires_grad]:
                self._shrink(p, group["lr"])

    def _shrink(self, p, rate):
        p.data = soft(p.data, rate)
"""
BY_RANGE = """
    def step(self):
        for group in self.param_groups:
            for i, p in enumerate(group["params"]):
                p.data.mul_(1 - group["lr"]).clamp_(-1, 1)
"""
READS = """
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = soft(p.data - group["lr"] * p.grad, group["lr"])
"""
HANDS_ON = """
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                descend(p, group["lr"])
                p.data = soft(p.data, group["lr"])
"""
READS_IN_METHOD = """
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                self._descend(p, group["lr"])

    def _descend(self, p, rate):
        p.data.add_(p.grad, alpha=-rate)
"""
OF_A_BASE = """
    def step(self):
        super().step()
        for group in self.param_groups:
            for p in group["params"]:
                p.data = soft(p.data, group["lr"])
"""
LOST = "  # expect: LL101"
PROGRAMS = {
    "it applies an operator of its groups": PROGRAM.format(methods=BY_GROUPS, marked=""),
    "it applies an operator that it keeps": PROGRAM.format(methods=BY_ATTRIBUTE, marked=""),
    "a method of its own changes the parameters": PROGRAM.format(methods=BY_METHOD, marked=""),
    "it decays and clips weights": PROGRAM.format(methods=BY_RANGE, marked=""),
    "it reads gradients": PROGRAM.format(methods=READS, marked=LOST),
    "it hands parameters on": PROGRAM.format(methods=HANDS_ON, marked=LOST),
    "a method of its own reads gradients": PROGRAM.format(methods=READS_IN_METHOD, marked=LOST),
    "its base steps": PROGRAM.format(methods=OF_A_BASE, marked=LOST).replace("torch.optim.Optimizer", "torch.optim.SGD"),
    "it writes no step": PROGRAM.format(methods="", marked=LOST).replace("torch.optim.Optimizer", "torch.optim.SGD"),
}
ALONE = """
class Clipping(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {{}})

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                {done}

def train(loader):
    net = nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    own = Clipping(net.parameters())
    for epoch in range(9):
        for x, y in loader:
            net.zero_grad()
            own.step(){unfilled}
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
"""
SELDOM = """
class Own(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {{}})

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                {changed}

def train(loader):
    net = nn.Linear(8, 1)
    own = Own(net.parameters())
    for epoch in range(9):
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward(){marked}
            if (i + 1) % 4 == 0:
                own.step()
                own.zero_grad()
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_step_uses(program: str) -> None:
    assert_marked(program)


@pytest.mark.parametrize(("done", "unfilled"), [("p.data.clamp_(-1, 1)", ""), ("p.data.sub_(p.grad)", "  # expect: LL105")])
def test_a_step_before_the_backward(done: str, unfilled: str) -> None:
    assert_marked(ALONE.format(done=done, unfilled=unfilled))


def test_the_other_optimizer_is_judged() -> None:
    program = (
        PROGRAM.format(methods=BY_GROUPS, marked="")
        .replace("            opt.zero_grad()\n", "")
        .replace("            own.zero_grad()\n", "")
    )
    assert_marked(program.replace("loss.backward()", "loss.backward()  # expect: LL102"))


@pytest.mark.parametrize(("changed", "marked"), [("p.data.clamp_(-1, 1)", ""), ("p.data.sub_(p.grad)", "  # expect: LL108")])
def test_a_step_once_in_several_batches(changed: str, marked: str) -> None:
    assert_marked(SELDOM.format(changed=changed, marked=marked))
