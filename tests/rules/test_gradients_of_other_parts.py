"""A step may use gradients of one model of its optimizer twice; those that a second loss gives another model do not add up (LL102)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def train(loader, shared: float):
            shape = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
            own = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
            optimizer = torch.optim.SGD({held}, lr=0.1)
            for x, y in loader:
                out = shape(x)
                {clear}
                nn.functional.cross_entropy(out, y).backward(){first}
                optimizer.step()
                {second}.backward(){mark}
                optimizer.step()
"""
BOTH = "list(shape.parameters()) + list(own.parameters())"
GROUPS = '[{"params": shape.parameters()}, {"params": own.parameters(), "lr": 1.0}]'
MIXED = "nn.functional.cross_entropy(shared * own(x) + (1 - shared) * shape(x){}, y)"
MARK = "  # expect: LL102"


def program(second: str, held: str = BOTH, clear: str = "optimizer.zero_grad()", mark: str = "", first: str = "") -> str:
    return PROGRAM.format(second=second, held=held, clear=clear, mark=mark, first=first)


PROGRAMS = {
    "the other one is detached": program(MIXED.format(".detach()")),
    "the other one takes no part": program("nn.functional.cross_entropy(own(x), y)"),
    "it is taught by the other one": program("nn.functional.mse_loss(own(x), out.detach())", held=GROUPS),
    "both are cleared": program(MIXED.format(".detach()"), clear="shape.zero_grad(); own.zero_grad()"),
    "both get gradients": program(MIXED.format(""), mark=MARK),
    "its own second loss": program("nn.functional.cross_entropy(shape(x) * 2, y)", mark=MARK),
    "nothing is cleared": program(MIXED.format(".detach()"), clear="pass", first=MARK),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_adds_up(name: str) -> None:
    assert_marked(PROGRAMS[name])
