"""Where `mode in ("a", "b")` did not hold, `mode == "a"` does not: a model is put into eval mode for the modes that evaluate it so (LL303)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
def test(net, mc, loader, mode, scale):
    {switched}
        net.eval()
    scores = []
    for x, y in loader:
        {applied}
            scores.append(nn.functional.cross_entropy(net(x), y).item()){found}
        elif mode == "mc":
            with torch.no_grad():
                scores.append(nn.functional.cross_entropy(mc(x), y).item())
    return scores
"""
FOUND = "  # expect: LL303"


@pytest.mark.parametrize(
    ("switched", "applied"),
    [
        ('if mode in ["map", "bbb"]:', 'if mode == "map":'),
        ('if mode in ("map", "bbb"):', 'if mode == "bbb":'),
        ('if mode not in ["swag", "map"]:\n        scale = 1\n    else:', 'if mode == "swag":'),
        ('if scale > 1 or mode in ["map", "bbb"]:', 'if mode == "map":'),
    ],
    ids=["the first", "the last", "denied", "beside another condition"],
)
def test_the_modes_that_are_evaluated(switched: str, applied: str) -> None:
    assert_marked(PROGRAM.format(switched=switched, applied=applied, found=FOUND))


@pytest.mark.parametrize(
    ("switched", "applied"),
    [
        ('if mode in ["map", "bbb"]:', 'if mode == "swag":'),
        ('if mode in ["map", "bbb"] and scale > 1:', 'if mode == "map":'),
        ('if mode in ["map", scale]:', 'if mode == "bbb":'),
    ],
    ids=["another mode", "under another condition too", "not all are texts"],
)
def test_a_mode_that_is_not_among_them(switched: str, applied: str) -> None:
    assert_marked(PROGRAM.format(switched=switched, applied=applied, found=""))
