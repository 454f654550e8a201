"""A state that a dictionary keeps under one key is replaced by the next one before the dictionary is saved: none of an earlier time is written."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def train(net: nn.Module, loader, optimizer):
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.step()
        def main(net: nn.Module, loader):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            kept = {{"epoch": 0}}
            def save(name):
                {keeps}
                torch.save(kept, name)
            for epoch in range(10):
                train(net, loader, optimizer)
                {saves}
        """
TWICE = 'save(f"{epoch}.pt")\n                save("latest.pt")'
ANEW = {
    "twice": ('kept["net"] = net.state_dict()', TWICE),
    "once": ('kept["net"] = net.state_dict()', 'save("latest.pt")'),
    "under a number": ("kept[0] = net.state_dict()", TWICE),
}
KEPT = {
    "where it is the best": ('if loader.best:\n                    kept["net"] = net.state_dict()  # expect: LL801', TWICE),
    "under a key of each turn": ("kept[name] = net.state_dict()  # expect: LL801", TWICE),
}


@pytest.mark.parametrize(("keeps", "saves"), (ANEW | KEPT).values(), ids=ANEW | KEPT)
def test_a_state_is_as_old_as_what_replaces_it(keeps: str, saves: str) -> None:
    assert_marked(PROGRAM.format(keeps=keeps, saves=saves))
