"""A mode that an option chooses at the top of each epoch is meant for what trains under the same option (LL301)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Trainer:
            def __init__(self, probe):
                self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))
                self.head = nn.Linear(8, 2)
                self.probe = probe
                self.optimizer = torch.optim.Adam([*self.model.parameters(), *self.head.parameters()])
            def fit(self, loader, valid, probe=False):
                for epoch in range(3):
                    {mode}
                    for x, y in loader:
                        self.optimizer.zero_grad()
                        if {option}:
                            out = self.head(self.model(x)){marked}
                        else:
                            out = self.head(self.model(x).relu())
                        nn.functional.cross_entropy(out, y).backward()
                        self.optimizer.step()
                    self.model.eval()
                    with torch.no_grad():
                        for x, y in valid:
                            print((self.head(self.model(x)).argmax(1) == y).sum().item())
        def main(loader, valid, probe):
            Trainer(probe).fit(loader, valid, probe)
"""
CHOSEN = "if {0}: self.model.eval()\n                    else: self.model.train()"

PROGRAMS = {
    "a parameter": PROGRAM.format(mode=CHOSEN.format("probe"), option="probe", marked=""),
    "an attribute": PROGRAM.format(mode=CHOSEN.format("self.probe"), option="self.probe", marked=""),
    "the other way round": PROGRAM.format(
        mode="if not probe: self.model.train()\n                    else: self.model.eval()", option="probe", marked=""
    ),
    "no mode": PROGRAM.format(mode="pass", option="probe", marked="  # expect: LL301"),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
