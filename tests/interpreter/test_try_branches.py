"""What a `try` builds, and its handler builds anew, is one object to the program after them."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
            scaler = torch.amp.GradScaler("cuda")
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    loss = nn.functional.cross_entropy(net(x), y)
                    scaler.scale(loss).backward()
                    scaler.step(opt){update}
"""
PLAIN = """
            for epoch in range(9):
                for x, y in data:
                    nn.functional.cross_entropy(net(x), y).backward(){first}
                    opt.step()
"""
RESUMED = """
        def main(data, path):
            try:
                net = nn.Linear(2, 2)
                opt = torch.optim.SGD(net.parameters(), lr=0.1)
                opt.load_state_dict(torch.load(path, map_location="cpu"))
            except FileNotFoundError:
                net = nn.Linear(2, 2)
                opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""
FUSED = """
        def main(data, net: nn.Linear):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            try:
                opt = torch.optim.Adam(net.parameters(), fused=True)
            except RuntimeError:
                print("not fused")
"""
THREE = """
        def main(data, net: nn.Linear):
            try:
                opt = torch.optim.Adam(net.parameters(), fused=True)
            except TypeError as error:
                raise SystemExit(str(error))
            except RuntimeError:
                opt = torch.optim.Adam(net.parameters())
            finally:
                print("built")
"""
BUILT = {"resumed or new": RESUMED, "replaced where that works": FUSED, "one of the handlers ends": THREE}


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_a_scaler_that_steps_one_of_both_is_updated(built: str) -> None:
    assert_marked(built + LOOP.replace("{update}", "  # expect: LL602"))
    assert_marked(built + LOOP.replace("{update}", "\n                    scaler.update()"))


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_gradients_of_either_are_cleared(built: str) -> None:
    assert_marked(built + PLAIN.replace("{first}", "  # expect: LL102"))
    assert_marked(built + PLAIN.replace("{first}", "").replace("opt.step()", "opt.step()\n                    opt.zero_grad()"))
