"""A subclass gives an attribute another dict of optimizers than its base did: those under the same keys go on in the place of the base's."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Base:
            def __init__(self, width):
                self.net, self.head = nn.Linear(width, 1), nn.Linear(width, 1)
                self.optimizers = {{"net": torch.optim.SGD(self.net.parameters(), lr=0.1)}}
        class Agent(Base):
            def __init__(self, width):
                super().__init__(width)
                self.optimizers = {given}
            def learn(self, loader):
                for x, y in loader:
                    loss = nn.functional.mse_loss(self.net(x), y)
                    self.optimizers["net"].zero_grad()
                    {turn}
"""
ADAM = "torch.optim.Adam(self.net.parameters(), lr=0.1)"
GIVEN = {
    "one more": f'{{"net": {ADAM}, "head": torch.optim.Adam(self.head.parameters(), lr=0.1)}}',
    "the same keys": f'{{"net": {ADAM}}}',
    "by calls": f"dict(net={ADAM})",
}
EARLY = 'self.optimizers["net"].step(); loss.backward()'


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN.keys())
def test_what_a_key_leads_to_is_one_optimizer(given: str) -> None:
    assert_marked(PROGRAM.format(given=given, turn=f"{EARLY}  # expect: LL105"))
    assert_marked(PROGRAM.format(given=given, turn='loss.backward(); self.optimizers["net"].step()'))
    assert_marked(PROGRAM.format(given=given, turn="loss.backward()  # expect: LL106"))


def test_an_optimizer_of_another_model_is_another() -> None:
    assert_marked(PROGRAM.format(given='{"net": torch.optim.Adam(self.head.parameters(), lr=0.1)}', turn=EARLY))
