"""A condition that two branches of a loop test is one condition in all turns, also where nothing stands between them and the head of the loop."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "mixed precision by a setting": """
        def train(config, model: nn.Module, optimizer, scaler: torch.cuda.amp.GradScaler, loader):
            for number, (x, y) in enumerate(loader):
                if number % config.every != 0:
                    loss = nn.functional.mse_loss(model(x), y) / config.every
                    if config.precision == "fp16":
                        scaler.scale(loss).backward()
                    else:
                        loss.backward()
                else:
                    loss = nn.functional.mse_loss(model(x), y) / config.every
                    if config.precision == "fp16":
                        scaler.scale(loss).backward()
                        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL601
                        scaler.step(optimizer)
                        scaler.update()
                    else:
                        loss.backward()
                        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                        optimizer.step()
                    optimizer.zero_grad()
        """,
    "a flag that is handed in": """
        def train(scaled, model: nn.Module, optimizer, scaler: torch.cuda.amp.GradScaler, loader):
            for number, (x, y) in enumerate(loader):
                if number % 4 != 3:
                    if scaled:
                        scaler.scale(nn.functional.mse_loss(model(x), y) / 4).backward()
                    else:
                        (nn.functional.mse_loss(model(x), y) / 4).backward()
                else:
                    if scaled:
                        scaler.scale(nn.functional.mse_loss(model(x), y) / 4).backward()
                        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL601
                        scaler.step(optimizer)
                        scaler.update()
                    else:
                        (nn.functional.mse_loss(model(x), y) / 4).backward()
                        optimizer.step()
                    optimizer.zero_grad()
        """,
    "in a loop without an end": """
        def train(scaled, model: nn.Module, optimizer, scaler: torch.cuda.amp.GradScaler, batches):
            number = 0
            while True:
                x, y = next(batches)
                number += 1
                loss = nn.functional.mse_loss(model(x), y) / 4
                if number % 4:
                    if not scaled:
                        loss.backward()
                    else:
                        scaler.scale(loss).backward()
                    continue
                if not scaled:
                    loss.backward()
                    optimizer.step()
                else:
                    scaler.scale(loss).backward()
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL601
                    scaler.step(optimizer)
                    scaler.update()
                optimizer.zero_grad()
        """,
    "a flag that each turn sets": """
        def train(model: nn.Module, optimizer, scaler: torch.cuda.amp.GradScaler, loader):
            for number, (x, y) in enumerate(loader):
                scaled = number > 1000
                loss = nn.functional.mse_loss(model(x), y) / 4
                if number % 4 != 3:
                    if scaled:
                        scaler.scale(loss).backward()
                    else:
                        loss.backward()
                else:
                    if scaled:
                        scaler.scale(loss).backward()
                        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                        scaler.step(optimizer)
                        scaler.update()
                    else:
                        loss.backward()
                        optimizer.step()
                    optimizer.zero_grad()
        """,
    "all is unscaled": """
        def train(scaled, model: nn.Module, optimizer, scaler: torch.cuda.amp.GradScaler, loader):
            for number, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(model(x), y) / 4
                if number % 4 != 3:
                    if scaled:
                        scaler.scale(loss).backward()
                    else:
                        loss.backward()
                else:
                    if scaled:
                        scaler.scale(loss).backward()
                        scaler.unscale_(optimizer)
                        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                        scaler.step(optimizer)
                        scaler.update()
                    else:
                        loss.backward()
                        optimizer.step()
                    optimizer.zero_grad()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_branches_that_ask_the_same_take_the_same_way_in_each_turn(program: str) -> None:
    assert_marked(program)
