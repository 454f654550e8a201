"""The entry of a container under a key that a loop binds is one object throughout a turn, by whatever name the turn calls it."""

from __future__ import annotations

import pytest

from programs import assert_marked

HANDED_IN = """
        def main(loader, names, nets, optims):
            for x, y in loader:
                for k in names:
                    {bound}
                    loss = nn.functional.cross_entropy(net(x), y)
                    loss.backward()
                    optimizer.zero_grad(){marked}
                    optimizer.step()
"""
BUILT = """
        def main(loader):
            nets = {{name: nn.Linear(8, 2) for name in ("first", "second")}}
            optims = {{name: torch.optim.SGD(net.parameters(), lr=0.1) for name, net in nets.items()}}
            for x, y in loader:
                for k in nets:
                    optimizer = optims[k]
                    nn.functional.cross_entropy(nets[k](x), y).backward()
                    optimizer.zero_grad(){marked}
                    optimizer.step()
"""
SCALED = """
        class Trainer:
            def __init__(self, critics: nn.ModuleDict, optims: dict[str, torch.optim.Optimizer], axes):
                self.critics, self.optims, self.axes = critics, optims, axes
                self.scaler = torch.amp.GradScaler("cuda")
            def update(self, x):
                for axis in self.axes:
                    critic, optimizer = self.critics[str(axis)], self.optims[str(axis)]
                    optimizer.zero_grad()
                    with torch.autocast("cuda", torch.float16):
                        loss = critic(x).mean()
                    self.scaler.scale(loss).backward()
                    {step}
                self.scaler.update()
"""
MARKED = "  # expect: LL101"

PROGRAMS = {
    "entries that are handed in": HANDED_IN.format(bound="net = nets[k]; optimizer = optims[k]", marked=MARKED),
    "a key of another kind": HANDED_IN.format(bound="net, optimizer = nets[str(k)], optims[str(k)]", marked=MARKED),
    "an attribute of what the loop binds": HANDED_IN.format(bound="net = nets[k.name]; optimizer = optims[k.name]", marked=MARKED),
    "entries that are built": BUILT.format(marked=MARKED),
    "a loop that never steps through its scaler": SCALED.format(step="optimizer.step()  # expect: LL604"),
    "a loop that steps through its scaler": SCALED.format(step="self.scaler.step(optimizer)"),
    "an entry that another one takes the place of": HANDED_IN.format(
        bound="net = nets[k]; optimizer = optims[k]\n                    if len(x) > 1: optimizer = optims['last']", marked=""
    ),
    "an entry that has nothing to do with the turn": HANDED_IN.format(bound="net = nets[k]; optimizer = optims[choose()]", marked=""),
    "a name that stays what it was before the loop": HANDED_IN.replace(
        "for x, y in loader:", "optimizer = optims[first]; net = nets[second]\n            for x, y in loader:"
    ).format(bound="pass", marked=""),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
