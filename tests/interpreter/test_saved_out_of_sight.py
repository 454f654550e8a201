"""Functions out of sight that save a state by their names: models, their modes and their gradients are afterwards what they were."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from engine import checkpointer, save_best_model, save_checkpoint, save_samples, saveModel, save_and_continue
        def main(loader, valid):
            net = nn.Sequential(nn.Linear(8, 2), nn.Dropout(0.1))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
            for epoch in range(10):
                net.train()
                for x, y in loader:
                    {clear}
                    loss = nn.functional.cross_entropy(net(x), y)
                    loss.backward(){marked}
                    {step}
                    {saved}
                scheduler.step()
"""
VALIDATED = """
        from engine import save_best_model, save_samples
        def main(loader, valid):
            net = nn.Sequential(nn.Linear(8, 2), nn.Dropout(0.1))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(10):
                for x, y in loader:
                    optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(net(x), y){marked}
                    loss.backward()
                    optimizer.step()
                net.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print((net(x).argmax(1) == y).float().mean().item())
                {saved}
"""
CLEAR, STEP = "optimizer.zero_grad()", "optimizer.step()"

PROGRAMS = {
    "a checkpoint with the optimizer, which never steps": LOOP.format(
        clear=CLEAR, step="pass", saved="save_checkpoint(epoch, net, optimizer)", marked="  # expect: LL106"
    ),
    "a checkpoint with the optimizer, whose gradients are never cleared": LOOP.format(
        clear="pass", step=STEP, saved="checkpointer.save(net, optimizer=optimizer)", marked="  # expect: LL102"
    ),
    "a name in the other style": LOOP.format(clear="pass", step=STEP, saved="saveModel(net, optimizer)", marked="  # expect: LL102"),
    "a checkpoint of what is trained as it should be": LOOP.format(
        clear=CLEAR, step=STEP, saved="save_checkpoint(epoch, net, optimizer)", marked=""
    ),
    "what does more than save": LOOP.format(clear="pass", step=STEP, saved="save_and_continue(net, optimizer)", marked=""),
    "samples, for which a function may step": LOOP.format(clear=CLEAR, step="pass", saved="save_samples(net, optimizer)", marked=""),
    "a model that is saved after its validation": VALIDATED.format(saved="save_best_model(net, epoch)", marked="  # expect: LL301"),
    "samples, for which a function sets the mode": VALIDATED.format(saved="save_samples(net, epoch)", marked=""),
    "a model that is saved with data, on which a function may train": LOOP.format(
        clear="pass", step=STEP, saved="save_best_model(net, optimizer, torch.utils.data.DataLoader(valid))", marked=""
    ),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
