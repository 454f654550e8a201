"""A local name that branches have given one function or another: whichever it is, the call goes to it for certain."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

HELPERS = """
def plain(model, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss.detach()

def scaled(model, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    (loss * 2).backward()
    return loss.detach()

def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(model(x), y).item())

def train(model, optimizer, loader):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
"""
PROGRAMS = {
    "one of two in an expression": """
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            go_backward = plain if args.plain else scaled
            for x, y in loader:
                loss = go_backward(model, x, y)
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
    "one of three, chosen in each turn": """
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                def halved(model, x, y):
                    loss = nn.functional.mse_loss(model(x), y)
                    (loss / 2).backward()
                    return loss.detach()
                if args.plain:
                    go_backward = plain
                elif args.halved:
                    go_backward = halved
                else:
                    go_backward = scaled
                loss = go_backward(model, x, y)
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
    "one of a table": """
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            go_backward = {"plain": plain, "scaled": scaled}[args.kind]
            for x, y in loader:
                loss = go_backward(model, x, y)
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
    "one of two, handed on": """
        def run(model, optimizer, loader, go_backward):
            for x, y in loader:
                loss = go_backward(model, x, y)
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            if args.plain:
                go_backward = plain
            else:
                go_backward = scaled
            run(model, optimizer, loader, go_backward)
        """,
    "one of two clears": """
        def keep(optimizer):
            pass
        def clear(optimizer):
            optimizer.zero_grad()
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            before = keep if args.keep else clear
            for x, y in loader:
                before(optimizer)
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "the one that clears in the last turns only": """
        def keep(optimizer):
            pass
        def update(optimizer):
            optimizer.step()
            optimizer.zero_grad()
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for number, (x, y) in enumerate(loader):
                after = update if number % 4 == 3 else keep
                (nn.functional.mse_loss(model(x), y) / 4).backward()
                after(optimizer)
        """,
    "a schedule that only one of them steps": """
        def with_schedule(optimizer, scheduler):
            optimizer.step()
            scheduler.step()
        def without(optimizer, scheduler):
            optimizer.step()
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
            for epoch in range(args.epochs):
                for number, (x, y) in enumerate(loader):
                    update = with_schedule if number == len(loader) - 1 else without
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    update(optimizer, scheduler)
        """,
    "training and validation take turns": """
        def fit(model, optimizer, loader):
            model.train()
            train(model, optimizer, loader)
        def validate(model, optimizer, loader):
            evaluate(model, loader)
        def main(loaders, args):
            model = nn.Sequential(nn.Linear(2, 1), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(args.epochs):
                for phase in ("train", "val"):
                    run = fit if phase == "train" else validate
                    run(model, optimizer, loaders[phase])
        """,
    "the same choice twice": """
        def begin_one(optimizer):
            optimizer.zero_grad()
        def begin_other(optimizer):
            pass
        def end_one(optimizer):
            optimizer.step()
        def end_other(optimizer):
            optimizer.step()
            optimizer.zero_grad()
        def main(loader, args):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            if args.early:
                begin, end = begin_one, end_one
            else:
                begin, end = begin_other, end_other
            for x, y in loader:
                begin(optimizer)
                nn.functional.mse_loss(model(x), y).backward()
                end(optimizer)
        """,
    "a scaler in one of them": """
        def mixed(model, optimizer, scaler, x, y):
            with torch.autocast("cuda"):
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
        def full(model, optimizer, scaler, x, y):
            nn.functional.mse_loss(model(x), y).backward()
        def step_mixed(optimizer, scaler):
            scaler.step(optimizer)
            scaler.update()
        def step_full(optimizer, scaler):
            optimizer.step()
        def main(loader, args):
            model = nn.Linear(2, 1).cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cuda")
            go, step = (mixed, step_mixed) if args.mixed else (full, step_full)
            for x, y in loader:
                optimizer.zero_grad()
                go(model, optimizer, scaler, x, y)
                step(optimizer, scaler)
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_whichever_it_is_it_is_called(text: str) -> None:
    assert_marked(HELPERS + dedent(text))
