"""Objects out of sight that save and restore what they are made with: models, gradients and steps are as they were."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from fvcore.common.checkpoint import Checkpointer, PeriodicCheckpointer
        from engine import CheckpointManager, Keeper, build_checkpointer
        def main(loader, folder):
            net = nn.Sequential(nn.Linear(8, 2), nn.Dropout(0.1))
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10){marked}
            {made}
            for epoch in range(10):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    optimizer.step()
                {scheduled}
                {used}
"""
SAVE, PASS, MARKED = "checkpointer.save('last', epoch=epoch)", "pass", "  # expect: LL205"
MADE = "Checkpointer(net, folder, optimizer=optimizer, scheduler=scheduler)"

PROGRAMS = {
    "of a scheduler that never steps": LOOP.format(made=f"checkpointer = {MADE}", scheduled=PASS, used=SAVE, marked=MARKED),
    "one in another": LOOP.format(
        made=f"periodic = PeriodicCheckpointer({MADE}, 10)", scheduled=PASS, used="periodic.step(epoch)", marked=MARKED
    ),
    "by another name": LOOP.format(
        made="manager = CheckpointManager(folder, model=net, scheduler=scheduler)", scheduled=PASS, used="manager.step()", marked=MARKED
    ),
    "that a function makes": LOOP.format(
        made="checkpointer = build_checkpointer(net, optimizer, scheduler)", scheduled=PASS, used=SAVE, marked=MARKED
    ),
    "of what is trained as it should be": LOOP.format(made=f"checkpointer = {MADE}", scheduled="scheduler.step()", used=SAVE, marked=""),
    "what may keep it for more": LOOP.format(
        made="keeper = Keeper(net, scheduler=scheduler)", scheduled=PASS, used="keeper.run()", marked=""
    ),
    "an optimizer without gradients": """
        from engine import Checkpointer
        def main(loader, folder):
            net = nn.Linear(8, 2)
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            checkpointer = Checkpointer(net, optimizer, folder)
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.step()  # expect: LL107
                checkpointer.save()
        """,
    "the state of an optimizer comes back with it": """
        from engine import Checkpointer
        def main(loader, path):
            net = nn.Linear(8, 2)
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            checkpointer = Checkpointer(optimizer=optimizer)
            state = torch.load(path, map_location="cpu")
            net.load_state_dict(state["model"])
            start = state["epoch"]
            for epoch in range(start, 10):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    optimizer.step()
                torch.save({"model": net.state_dict(), "epoch": epoch}, path)
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_checkpointers_out_of_sight(program: str) -> None:
    assert_marked(program)
