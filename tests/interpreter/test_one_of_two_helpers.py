"""What an attribute holds that is built in one of several ways is one object: its method is called for certain, whichever it is."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
    class Fixed:
        def __init__(self, scale=1.0):
            self.scale = scale

        def backward(self, loss):
            (loss / self.scale).backward()


    class Growing:
        def __init__(self, scale=1.0, window=3):
            self.scale, self.window = scale, window

        def backward(self, loss):
            (loss / self.scale).backward(){marked}


    class Trainer:
        def __init__(self, net, args):
            self.net, self.optimizer = net, torch.optim.SGD(net.parameters(), lr=0.1)
            {choice}

        def train(self, loader):
            for x, y in loader:
                self.scaler.backward(nn.functional.mse_loss(self.net(x), y))
                self.optimizer.step()


    def main(loader, args):
        Trainer(nn.Linear(2, 1), args).train(loader)
    """
TWO_OF_ONE_CLASS = {
    "by a condition": """if args.scale:
                self.scaler = Growing(args.scale)
            else:
                self.scaler = Growing()""",
    "by an expression": "self.scaler = Growing(args.scale) if args.scale else Growing()",
    "with other arguments": """self.scaler = Growing()
            if args.more is not None:
                self.scaler = Growing(**args.more)""",
}
OF_TWO_CLASSES = """if args.growing:
                if args.scale:
                    self.scaler = Growing(args.scale)
                else:
                    self.scaler = Growing()
            else:
                self.scaler = Fixed(2.0)"""
CLEAR = "self.optimizer.zero_grad()"


@pytest.mark.parametrize("choice", [pytest.param(text, id=name) for name, text in TWO_OF_ONE_CLASS.items()])
def test_two_of_one_class(choice: str) -> None:
    stepless = TRAINER.replace("self.optimizer.step()", "pass")
    assert_marked(stepless.format(choice=choice, marked="  # expect: LL106"))
    cleared = TRAINER.replace("self.scaler.backward", f"{CLEAR}\n                self.scaler.backward")
    assert_marked(cleared.format(choice=choice, marked=""))


def test_several_of_two_classes() -> None:
    late = TRAINER.replace("self.optimizer.step()", f"{CLEAR}  # expect: LL101\n                self.optimizer.step()")
    assert_marked(late.format(choice=OF_TWO_CLASSES, marked=""))
    cleared = TRAINER.replace("self.scaler.backward", f"{CLEAR}\n                self.scaler.backward")
    assert_marked(cleared.format(choice=OF_TWO_CLASSES, marked=""))


PLAYER = """
    class Player:
        def __init__(self, net, lr=0.1):
            self.net, self.optimizer = net, torch.optim.SGD(net.parameters(), lr=lr)

        def clear(self):
            self.optimizer.zero_grad()

        def learn(self, x, y):
            nn.functional.mse_loss(self.net(x), y).backward()

        def step(self):
            self.optimizer.step()

    """
CORRECT = {
    "each of a list in its turn": """
    class Game:
        def __init__(self):
            self.players = [Player(nn.Linear(2, 1)), Player(nn.Linear(2, 1), lr=0.2)]

        def play(self, loader):
            for x, y in loader:
                for player in self.players:
                    player.clear()
                for player in self.players:
                    player.learn(x, y)
                for player in self.players:
                    player.step()
    """,
    "now the one, now the other": """
    class Game:
        def __init__(self):
            self.first, self.second = Player(nn.Linear(2, 1)), Player(nn.Linear(2, 1), lr=0.2)
            self.current = self.first

        def take_turns(self):
            self.current = self.second if self.current is self.first else self.first

        def play(self, loader):
            for x, y in loader:
                self.take_turns()
                self.current.clear()
                self.current.learn(x, y)
                self.current.step()
    """,
    "one learns and the other one steps after both": """
    class Game:
        def __init__(self):
            self.first, self.second = Player(nn.Linear(2, 1)), Player(nn.Linear(2, 1), lr=0.2)

        def play(self, loader):
            for turn, (x, y) in enumerate(loader):
                self.first.clear()
                self.second.clear()
                self.current = self.first if turn % 2 else self.second
                self.current.learn(x, y)
                self.first.step()
                self.second.step()
    """,
    "what is cleared where another is chosen": """
    class Game:
        def __init__(self):
            self.first, self.second = Player(nn.Linear(2, 1)), Player(nn.Linear(2, 1), lr=0.2)

        def choose(self, turn):
            self.current = self.first if turn % 2 else self.second
            self.current.clear()

        def play(self, loader):
            for turn, (x, y) in enumerate(loader):
                self.choose(turn)
                self.current.learn(x, y)
                self.finish()

        def finish(self):
            self.current.step()
    """,
    "the last one of a list": """
    class Game:
        def __init__(self):
            self.players = {"a": Player(nn.Linear(2, 1)), "b": Player(nn.Linear(2, 1), lr=0.2)}

        def play(self, loader):
            for x, y, name in loader:
                self.current = self.players[name]
                for player in self.players.values():
                    player.clear()
                self.current.learn(x, y)
                self.current.step()
    """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in CORRECT.items()])
def test_correct_programs_are_quiet(text: str) -> None:
    assert_marked(PLAYER + text + "\n    def main(loader):\n        Game().play(loader)\n")
