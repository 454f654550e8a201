"""One of several functions is called under one name, as the program was set up: each that is a training step as it stands is one."""

from __future__ import annotations

import pytest

from programs import assert_marked

SOLVER = """
    class Solver:
        def __init__(self, args, model, optimizer):
            self.args, self.model, self.optimizer = args, model, optimizer
            {choice}

        def train(self, loader):
            for epoch in range(self.args.epochs):
                self.model.train()
                {call}

        def _plain(self, loader):
            for x, y in loader:
                {clear}
                nn.functional.mse_loss(self.model(x), y).backward(){cleared}
                self.optimizer.step()

        def _masked(self, loader):
            for x, y, mask in loader:
                self.optimizer.zero_grad()
                (nn.functional.mse_loss(self.model(x), y, reduction="none") * mask).mean().backward()
                self.optimizer.step()
    """
CHOICES = {
    "by a condition": (
        """if args.masked:
                self._run = self._masked
            else:
                self._run = self._plain""",
        "self._run(loader)",
    ),
    "by an expression": ("self._run = self._masked if args.masked else self._plain", "self._run(loader=loader)"),
    "where it is called": (
        "pass",
        """run = self._plain
                if self.args.masked:
                    run = self._masked
                run(loader)""",
    ),
    "out of a table": (
        "self._run = {'masked': self._masked, 'plain': self._plain}[args.kind]",
        "print(self._run(loader))",
    ),
}


@pytest.mark.parametrize(("choice", "call"), [pytest.param(*both, id=name) for name, both in CHOICES.items()])
def test_each_is_judged(choice: str, call: str) -> None:
    assert_marked(SOLVER.format(choice=choice, call=call, clear="pass", cleared="  # expect: LL102"))
    assert_marked(SOLVER.format(choice=choice, call=call, clear="self.optimizer.zero_grad()", cleared=""))


OTHERS = {
    "the caller does what one of them leaves to it": """
        class Solver:
            def __init__(self, args, model, optimizer):
                self.args, self.model, self.optimizer = args, model, optimizer
                self._run = self._whole if args.whole else self._part

            def train(self, loader):
                for x, y in loader:
                    self._run(x, y)
                    if not self.args.whole:
                        self.optimizer.step()
                        self.optimizer.zero_grad()

            def _whole(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()

            def _part(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
        """,
    "one of them only goes backward": """
        class Solver:
            def __init__(self, args, model, optimizer):
                self.args, self.model, self.optimizer = args, model, optimizer
                self._run = self._whole if args.whole else self._part

            def train(self, loader):
                for x, y in loader:
                    self._run(x, y)
                    self.finish()

            def finish(self):
                if not self.args.whole:
                    self.optimizer.step()
                    self.optimizer.zero_grad()

            def _whole(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()

            def _part(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
        """,
    "the scaler is updated for the one that scales": """
        class Solver:
            def __init__(self, args, model, optimizer):
                self.args, self.model, self.optimizer = args, model, optimizer
                self.scaler = torch.amp.GradScaler("cuda")
                self._run = self._scaled if args.amp else self._plain

            def train(self, loader):
                for x, y in loader:
                    self.optimizer.zero_grad()
                    self._run(x, y)
                    if self.args.amp:
                        self.scaler.update()

            def _scaled(self, x, y):
                with torch.autocast("cuda"):
                    loss = nn.functional.mse_loss(self.model(x), y)
                self.scaler.scale(loss).backward()
                self.scaler.step(self.optimizer)

            def _plain(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()
        """,
    "each clears at its end what the other finds": """
        class Solver:
            def __init__(self, args, model, optimizer):
                self.model, self.optimizer = model, optimizer
                self._run = self._first if args.first else self._last

            def train(self, loader):
                for x, y in loader:
                    self._run(x, y)

            def _first(self, x, y):
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()

            def _last(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in OTHERS.items()])
def test_correct_programs_are_quiet(program: str) -> None:
    assert_marked(program)
