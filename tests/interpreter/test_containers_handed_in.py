"""Optimizers in a container, or kept by an object in one, which comes from out of sight: what the program does with an entry tells what it is."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "under a key": """
        def update(model, state, batch):
            x, y = batch
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            state["optimizer"].zero_grad()  # expect: LL101
            state["optimizer"].step()
            state["scheduler"].step()
        """,
    "by get": """
        def update(model, training, batch):
            x, y = batch
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            training.get("optimizer").zero_grad()  # expect: LL101
            training.get("optimizer").step()
        """,
    "in a dict that an object keeps": """
        class Trainer(Base):
            def fit(self, loader):
                for x, y in loader:
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward()
                    self.optimizers["net"].zero_grad()  # expect: LL101
                    self.optimizers["net"].step()
        """,
    "handed on, by another name": """
        def apply(optimizers, loss):
            loss.backward()
            optimizers["net"].zero_grad()  # expect: LL101
            optimizers["net"].step()
        def update(model, state, loader):
            for x, y in loader:
                apply(state, nn.functional.mse_loss(model(x), y))
        """,
    "by its number": """
        def update(model, optimizers, loader):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizers[0].zero_grad()  # expect: LL101
                optimizers[0].step()
        """,
    "of an agent among several": """
        def update(agents, loader):
            for x, y in loader:
                loss = nn.functional.mse_loss(agents[0].net(x), y)
                loss.backward()
                agents[0].optim.zero_grad()  # expect: LL101
                agents[0].optim.step()
        """,
    "of what an agent keeps": """
        def update(model, agent, loader):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                agent.policy.optimizer.zero_grad()  # expect: LL101
                agent.policy.optimizer.step()
        """,
    "cleared under a name, and stepped in its place": """
        def update(model, state, loader):
            optimizer = state["optimizer"]
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                state["optimizer"].step()
        """,
    "each under a key, then all": """
        def update(model, optimizers, loader):
            for x, y in loader:
                for optimizer in optimizers.values():
                    optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizers["net"].step()
        """,
    "cleared here, stepped there": """
        def apply(optimizers):
            for optimizer in optimizers:
                optimizer.step()
        def update(model, optimizers, loader):
            for x, y in loader:
                for optimizer in optimizers:
                    optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                apply(optimizers)
        """,
    "one name in loops over several": """
        def update(model, optimizers, schedulers, loader):
            for x, y in loader:
                for each in optimizers:
                    each.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                for each in optimizers:
                    each.step()
            for each in schedulers:
                each.step()
        """,
    "environments and options": """
        def play(model, envs, options, loader):
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                for env in envs:
                    env.step(x)
                for option in options:
                    option.step()
                options["first"].step()
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_container_out_of_sight_holds(name: str) -> None:
    assert_marked(PROGRAMS[name])
