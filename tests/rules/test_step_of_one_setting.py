"""A step that happens only with another setting is none: one of the two branches of `if args.amp:` has lost its own."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOPS = {
    "an option of the command line": """
        def train(net: nn.Module, loader, opt, scaler, ema, args):
            net.train()
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                if args.amp:
                    scaler.scale(loss).backward()
                    scaler.step(opt)
                    scaler.update()
                else:
                    loss.backward(){marked}
                    {step}
                ema.update(net)
        """,
    "a parameter, with the sides the other way round": """
        def main(data, half):
            net = nn.Linear(2, 2)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cuda")
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    loss = nn.functional.cross_entropy(net(x), y)
                    if not half:
                        loss.backward(){marked}
                        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                        {step}
                    else:
                        scaler.scale(loss).backward()
                        scaler.step(opt)
                        scaler.update()
        """,
    "an attribute that the constructor sets": """
        class Trainer:
            def __init__(self, net: nn.Module, half: bool):
                self.net = net
                self.half = half
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
                self.scaler = torch.amp.GradScaler("cuda")
            def fit(self, data):
                for x, y in data:
                    self.opt.zero_grad()
                    loss = nn.functional.cross_entropy(self.net(x), y)
                    if self.half:
                        self.scaler.scale(loss).backward()
                        self.scaler.step(self.opt)
                        self.scaler.update()
                    else:
                        loss.backward(){marked}
                        {self_step}
        """,
    "a part of a configuration, of which other parts are set, with a name that a method has": """
        class Trainer:
            def __init__(self, net: nn.Module, config):
                self.net = net
                self.config = config
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
                self.scaler = torch.amp.GradScaler("cuda")
            def train(self, data):
                if self.config.train.checkpoint is not None:
                    self.config.train.begin = self.config.train.checkpoint.epoch
                for x, y in data:
                    self.opt.zero_grad()
                    loss = nn.functional.cross_entropy(self.net(x), y)
                    if self.config.train.half:
                        self.scaler.scale(loss).backward()
                        self.scaler.step(self.opt)
                        self.scaler.update()
                    else:
                        loss.backward(){marked}
                        {self_step}
        """,
}
QUIET = {
    "a counter decides": """
        def main(data, net: nn.Module):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for number, (x, y) in enumerate(data):
                loss = nn.functional.cross_entropy(net(x), y) / 4
                if (number + 1) % 4 == 0:
                    loss.backward()
                    opt.step()
                    opt.zero_grad()
                else:
                    loss.backward()
        """,
    "a flag that the loop sets": """
        def main(data, net: nn.Module):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            last = False
            for number, (x, y) in enumerate(data):
                loss = nn.functional.cross_entropy(net(x), y) / 4
                last = number % 4 == 3
                if last:
                    loss.backward()
                    opt.step()
                    opt.zero_grad()
                else:
                    loss.backward()
        """,
    "an attribute that another method sets": """
        class Trainer:
            def __init__(self, net: nn.Module):
                self.net = net
                self.full = False
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
            def advance(self, number):
                self.full = number % 4 == 3
            def fit(self, data):
                for number, (x, y) in enumerate(data):
                    self.advance(number)
                    loss = nn.functional.cross_entropy(self.net(x), y) / 4
                    if self.full:
                        loss.backward()
                        self.opt.step()
                        self.opt.zero_grad()
                    else:
                        loss.backward()
        """,
    "a part of what the object holds, which another method sets": """
        class Trainer:
            def __init__(self, net: nn.Module, state):
                self.net = net
                self.state = state
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
            def advance(self, number):
                self.state.turn.full = number % 4 == 3
            def fit(self, data):
                for number, (x, y) in enumerate(data):
                    self.advance(number)
                    loss = nn.functional.cross_entropy(self.net(x), y) / 4
                    if self.state.turn.full:
                        loss.backward()
                        self.opt.step()
                        self.opt.zero_grad()
                    else:
                        loss.backward()
        """,
    "an entry of what the object holds, which another method sets": """
        class Trainer:
            def __init__(self, net: nn.Module, state):
                self.net = net
                self.state = state
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
            def advance(self, number):
                self.state.turn["full"] = number % 4 == 3
            def fit(self, data):
                for number, (x, y) in enumerate(data):
                    self.advance(number)
                    loss = nn.functional.cross_entropy(self.net(x), y) / 4
                    if self.state.turn["full"]:
                        loss.backward()
                        self.opt.step()
                        self.opt.zero_grad()
                    else:
                        loss.backward()
        """,
    "a property computes it": """
        class Trainer:
            def __init__(self, net: nn.Module):
                self.net = net
                self.number = 0
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
            @property
            def full(self):
                return self.number % 4 == 3
            def fit(self, data):
                for x, y in data:
                    loss = nn.functional.cross_entropy(self.net(x), y) / 4
                    if self.full:
                        loss.backward()
                        self.opt.step()
                        self.opt.zero_grad()
                    else:
                        loss.backward()
                    self.number += 1
        """,
    "the step stands behind both": """
        def train(net: nn.Module, loader, opt, args):
            net.train()
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                if args.twice:
                    loss.backward(retain_graph=True)
                    opt.step()
                    opt.zero_grad()
                loss.backward()
                opt.step()
        """,
}


@pytest.mark.parametrize("program", LOOPS.values(), ids=LOOPS)
def test_one_branch_has_lost_its_step(program: str) -> None:
    assert_marked(program.replace("{marked}", "  # expect: LL106").replace("{step}", "").replace("{self_step}", ""))
    assert_marked(program.replace("{marked}", "").replace("{step}", "opt.step()").replace("{self_step}", "self.opt.step()"))


@pytest.mark.parametrize("program", QUIET.values(), ids=QUIET)
def test_what_may_change_from_turn_to_turn_is_no_setting(program: str) -> None:
    assert_marked(program)
