"""A condition that a caller tests, and a function that it hands the same value to, is one condition."""

from __future__ import annotations

import pytest

from programs import assert_marked

VALIDATES = """
        def validate(rank, model, loader):
            if rank == 0:
                model.eval()
                with torch.no_grad():
                    for x, y in loader:
                        print(nn.functional.mse_loss(model(x), y).item())
        """
TRAINS = """
        def train(model, optimizer, loader):
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward(){mark}
                optimizer.step()
        """
PROGRAMS = {
    "a switch that the caller sets and does not test": """
        def backward(loss, scaler):
            if scaler is None:
                loss.backward()
            else:
                scaler.scale(loss).backward()
        def step(optimizer, scaler):
            if scaler is None:
                optimizer.step()
            else:
                optimizer.step()  # expect: LL604
                scaler.update()
        def train(model: nn.Module, loader, args):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            if args.amp:
                scaler = torch.cuda.amp.GradScaler()
            else:
                scaler = None
            for x, y in loader:
                optimizer.zero_grad()
                for part, goal in zip(x.chunk(4), y.chunk(4)):
                    backward(nn.functional.mse_loss(model(part), goal) / 4, scaler)
                step(optimizer, scaler)
        """,
    "a step that may come without a backward": """
        def train(model: nn.Module, loader, optimizer, scaler, parts: int):
            for x, y in loader:
                optimizer.zero_grad()
                for part, goal in zip(x.chunk(parts), y.chunk(parts)):
                    if part.shape[0] == 0:
                        break
                    loss = nn.functional.mse_loss(model(part), goal) / parts
                    if scaler is not None:
                        scaler.scale(loss).backward()
                    else:
                        loss.backward()
                if scaler is not None:
                    scaler.unscale_(optimizer)
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()  # expect: LL604
                    scaler.update()
                else:
                    optimizer.step()
        """,
    "what is taken out of keyword arguments": """
        def train(model: nn.Module, loader, optimizer, **kwargs):
            scaler = kwargs.get("scaler", None)
            for x, y in loader:
                if scaler is not None:
                    loss = nn.functional.mse_loss(model(x), y)
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
                else:
                    loss = nn.functional.mse_loss(model(x), y)
                    optimizer.zero_grad()
                    loss.backward()  # expect: LL106
        class Solver:
            def __init__(self, cfg):
                self.cfg, self.model, self.optimizer = cfg, cfg.model, cfg.optimizer
                self.loader, self.scaler = cfg.loader, cfg.scaler
            def fit(self):
                for epoch in range(self.cfg.epochs):
                    train(self.model, self.loader, self.optimizer, scaler=self.scaler)
        """,
    "the first process validates": VALIDATES
    + TRAINS.format(mark="  # expect: LL301")
    + """
        def main(rank, loader, valid):
            model = nn.Sequential(nn.Linear(8, 1), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                if rank == 0:
                    train(model, optimizer, loader)
                    validate(rank, model, valid)
                else:
                    train(model, optimizer, loader)
        """,
    "by an attribute, two calls deep": VALIDATES
    + TRAINS.format(mark="  # expect: LL301")
    + """
        def epoch(args, model, optimizer, loader, valid):
            train(model, optimizer, loader)
            validate(args.rank, model, valid)
        def main(args, loader, valid):
            model = nn.Sequential(nn.Linear(8, 1), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(10):
                if args.rank == 0:
                    epoch(args, model, optimizer, loader, valid)
        """,
    "a validation in every epoch, in the words of the function": VALIDATES
    + TRAINS.format(mark="  # expect: LL304")
    + """
        def main(rank, loader, valid):
            model = nn.Sequential(nn.Linear(8, 1), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                train(model, optimizer, loader)
                validate(rank, model, valid)
        """,
    "restored under the same condition": VALIDATES
    + TRAINS.format(mark="")
    + """
        def main(rank, loader, valid):
            model = nn.Sequential(nn.Linear(8, 1), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                train(model, optimizer, loader)
                validate(rank, model, valid)
                if rank == 0:
                    model.train()
        """,
    "another number by the time that it is tested": """
        def validate(last, model, loader):
            if last:
                model.eval()
                print(model(next(iter(loader))[0]).sum().item())  # expect: LL303
        """
    + TRAINS.format(mark="")
    + """
        def main(last, loader, valid):
            model = nn.Sequential(nn.Linear(8, 1), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                last = epoch == 9
                if last:
                    print("the last epoch")
                train(model, optimizer, loader)
                validate(last, model, valid)
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_condition_is_the_same_in_caller_and_callee(name: str) -> None:
    assert_marked(PROGRAMS[name])


RUNS = """
        class Trainer:
            def train(self, encoder, loader, optimizer, epochs, nodes=False):
                {choose}
                for made in run(encoder, loader, optimizer, epochs):
                    yield made
            def run_graphs(self, encoder, loader, optimizer, epochs):
                encoder.train()
                for epoch in range(epochs):
                    for x, y in loader:
                        loss = nn.functional.mse_loss(encoder(x), y)
                        loss.backward()
                        optimizer.zero_grad(){marked}
                        optimizer.step()
                    yield encoder
            def run_nodes(self, encoder, loader, optimizer, epochs):
                encoder.train()
                for epoch in range(epochs):
                    for x, y in loader:
                        optimizer.zero_grad()
                        nn.functional.mse_loss(encoder(x), y).backward()
                        optimizer.step()
                    yield encoder
        """


@pytest.mark.parametrize(
    "choose",
    [
        "run = self.run_nodes if nodes else self.run_graphs",
        "if nodes:\n                    run = self.run_nodes\n                else:\n                    run = self.run_graphs",
        "run = self.run_graphs",
    ],
)
def test_a_method_under_another_name_tells_what_it_is_given(choose: str) -> None:
    assert_marked(RUNS.replace("{choose}", choose).replace("{marked}", "  # expect: LL101"))
