"""Functions out of sight that restore states by their names: optimizers and scalers do afterwards what they did before."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from engine import checkpointer, load_and_train, load_samples, maybe_load_checkpoint, restore_state
        def main(loader):
            net = nn.Sequential(nn.Linear(8, 2), nn.ReLU()).cuda()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
            scaler = torch.amp.GradScaler("cuda")
            {loaded}
            net.train()
            for epoch in range(10):
                for x, y in loader:
                    optimizer.zero_grad()
                    with torch.autocast("cuda", torch.float16):
                        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
                    scaler.scale(loss).backward()
                    scaler.step(optimizer){marked}
                    {updated}
                scheduler.step()
"""
UPDATED = "scaler.update()"

PROGRAMS = {
    "a checkpoint, where there is one": LOOP.format(
        loaded="start = maybe_load_checkpoint(net, optimizer, scheduler, scaler)", updated="pass", marked="  # expect: LL602"
    ),
    "a method of an object out of sight": LOOP.format(
        loaded="checkpointer.load(net, optimizer=optimizer, scaler=scaler)", updated="pass", marked="  # expect: LL602"
    ),
    "a dict of what is restored": LOOP.format(
        loaded="restore_state({'optimizer': optimizer, 'scaler': scaler})", updated="pass", marked="  # expect: LL602"
    ),
    "what is updated as it should be": LOOP.format(loaded="maybe_load_checkpoint(net, optimizer, scaler)", updated=UPDATED, marked=""),
    "what does more than load": LOOP.format(loaded="load_and_train(net, optimizer, scaler)", updated="pass", marked=""),
    "samples, for which a function may step": LOOP.format(loaded="load_samples(net, optimizer, scaler)", updated="pass", marked=""),
    "a checkpoint, and a loader on which a function may train": LOOP.format(
        loaded="maybe_load_checkpoint(net, optimizer, scaler, torch.utils.data.DataLoader(loader))", updated="pass", marked=""
    ),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
