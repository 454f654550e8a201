"""A deep copy of what holds a model holds a model of its own: its mode is not that of the first one, and what trains it trains nothing else."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import copy
import learners

class Learner:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())

class Trainer:
    def __init__(self, given, name, loader):
        self.server = {server}
        self.loader = loader

    def train(self):
        optimizer = torch.optim.Adam({model}.parameters(), lr=0.1)
        {model}.train()
        for epoch in range(10):
            for x, y in self.loader:
                optimizer.zero_grad()
                nn.functional.mse_loss({model}(x), y).backward(){mark}
                optimizer.step()
            {switch}

    def run(self):
        self.old = {kept}
        self.train()

def main(given, name, loader):
    Trainer(given, name, loader).run()
"""
HOLDERS = {
    "from outside": ("given", "self.server.model", "self.old.model"),
    "of a table of classes": ("learners.__dict__[name]()", "self.server.model", "self.old.model"),
    "of a class of the program": ("Learner()", "self.server.model", "self.old.model"),
    "a dict": ('{"net": Learner().model}', 'self.server["net"]', 'self.old["net"]'),
    "a list": ("[Learner().model]", "self.server[0]", "self.old[0]"),
    "a list of those that hold one": ("[Learner(), Learner()]", "self.server[0].model", "self.old[0].model"),
}


def _program(holder: tuple[str, str, str], kept: str, switch: str, mark: str) -> str:
    server, model, old = holder
    program = PROGRAM.replace("{server}", server).replace("{model}", model).replace("{kept}", kept)
    return program.replace("{switch}", switch.replace("OLD", old)).replace("{mark}", mark)


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_its_mode_is_its_own(holder: tuple[str, str, str]) -> None:
    assert_marked(_program(holder, "copy.deepcopy(self.server)", "OLD.eval()", ""))


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_so_is_that_of_each_of_several_copies(holder: tuple[str, str, str]) -> None:
    copies = "[copy.deepcopy(self.server) for _ in range(3)]"
    assert_marked(_program(holder, copies, "OLD.eval()".replace("OLD", holder[2].replace("self.old", "self.old[0]")), ""))


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_another_name_is_no_copy(holder: tuple[str, str, str]) -> None:
    assert_marked(_program(holder, "self.server", "OLD.eval()", "  # expect: LL301"))


TRAINED = """
import copy

class Client:
    def __init__(self):
        self.model = nn.Linear(3, 3)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self, loader):
        for x, y in loader:
            {clear}
            nn.functional.mse_loss(self.model(x), y).backward(){mark}
            self.optimizer.step()

def main(loaders):
    server = Client()
    for turn in range(10):
        clients = [copy.deepcopy(server) for loader in loaders]
        for client, loader in zip(clients, loaders):
            client.train(loader)
"""


def test_the_optimizer_in_a_copy_trains_the_model_in_it() -> None:
    assert_marked(TRAINED.replace("{clear}", "").replace("{mark}", "  # expect: LL102"))
    assert_marked(TRAINED.replace("{clear}", "self.optimizer.zero_grad()").replace("{mark}", ""))


def test_copies_to_and_fro_end() -> None:
    assert_marked("""
        import copy

        class Holder:
            def __init__(self, model):
                self.model, self.me = model, self

        def main(model, loader):
            one = Holder(model)
            best = copy.deepcopy(one)
            for epoch in range(10):
                one = copy.deepcopy(best)
                one = copy.deepcopy(one)
                optimizer = torch.optim.SGD(one.model.parameters(), lr=0.1)
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(one.model(x), y).backward()
                    optimizer.step()
                best = copy.deepcopy(one)
        """)
