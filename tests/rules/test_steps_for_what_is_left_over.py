"""Losses that a loop over the data keeps while it steps are a record, also where a step behind it makes up for the batches that are left over."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a step behind the loop": """
        model = nn.Linear(4, 1)
        opt = optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(3):
            losses = []
            for step, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(model(x), y)
                losses.append(loss)  # expect: LL401
                (loss / 4).backward()
                if step % 4 == 3:
                    opt.step()
                    opt.zero_grad()
            opt.step()
            opt.zero_grad()
        """,
    "an epoch in a function of its own": """
        def epoch(model, opt, loader):
            history = {"loss": []}
            for step, (x, y) in enumerate(tqdm(loader)):
                loss = nn.functional.mse_loss(model(x), y)
                (loss / 4).backward()
                history["loss"].append(loss)  # expect: LL401
                if step % 4 == 3:
                    opt.step()
                    opt.zero_grad()
            print(len(history["loss"]))

        def train(loader):
            model = nn.Linear(4, 1)
            opt = optim.SGD(model.parameters(), lr=0.1)
            for _ in range(3):
                epoch(model, opt, loader)
                opt.step()
                opt.zero_grad()

        train(loader)
        """,
    "the losses of a critic, and one of its model": """
        model, critic = nn.Linear(4, 4), nn.Linear(4, 1)
        first = optim.Adam(model.parameters())
        second = optim.Adam(critic.parameters())
        while True:
            kept = []
            for x in loader:
                second.zero_grad()
                loss = critic(model(x).detach()).mean() - critic(x).mean()
                loss.backward()
                second.step()
                kept += [loss]  # expect: LL401
            first.zero_grad()
            (-critic(model(x)).mean()).backward()
            first.step()
            second.zero_grad()
            critic(x).pow(2).mean().backward()
            second.step()
            print(len(kept))
        """,
    "a few turns of a critic in each update": """
        model, critic = nn.Linear(4, 4), nn.Linear(4, 1)
        first = optim.Adam(model.parameters())
        second = optim.Adam(critic.parameters())
        for x in loader:
            kept = []
            for _ in range(5):
                second.zero_grad()
                loss = critic(model(x).detach()).mean() - critic(x).mean()
                loss.backward()
                second.step()
                kept.append(loss)
            first.zero_grad()
            second.zero_grad()
            (-critic(model(x)).mean()).backward()
            first.step()
            print(kept)
        """,
    "the batches of one update": """
        model = nn.Linear(4, 1)
        opt = optim.SGD(model.parameters(), lr=0.1)
        for _ in range(100):
            losses = []
            opt.zero_grad()
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                losses.append(loss)
            opt.step()
            print(len(losses))
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_losses_that_a_loop_keeps_while_it_steps_are_a_record(program: str) -> None:
    assert_marked(program)
