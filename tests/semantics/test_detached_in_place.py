"""A tensor that `detach_()` cuts off in place has no graph from there on, under its own name too."""

from __future__ import annotations

import pytest

from programs import assert_marked

KEPT = """
        def train(net: nn.Module, loader, opt):
            total, losses = 0, []
            for x, y in loader:
                opt.zero_grad()
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                opt.step()
                {cut}
                {kept}
            print(total, len(losses))
"""
BEFORE = """
        def fit(points, target, n: int):
            rate = nn.Parameter(torch.zeros(3))
            other = nn.Parameter(torch.zeros(3))
            optimizer = optim.Adam([rate, other], lr=0.01)
            scale = torch.exp(other)
            {cut}
            for i in range(n):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(points * scale * rate.exp(), target)
                loss.backward(retain_graph=True){mark}
                optimizer.step()
"""


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        pytest.param("loss.detach_()", "total += loss", id="added up"),
        pytest.param("loss.detach_()", "losses.append(loss)", id="put into a list"),
        pytest.param("pass", "total += loss  # expect: LL402", id="added up with its graph"),
        pytest.param("loss.detach()", "losses.append(loss)  # expect: LL401", id="of which a copy is cut off"),
    ],
)
def test_kept(cut: str, kept: str) -> None:
    assert_marked(KEPT.format(cut=cut, kept=kept))


@pytest.mark.parametrize(
    ("cut", "mark"),
    [
        pytest.param("scale.detach_()", "  # expect: LL110", id="in place"),
        pytest.param("scale = scale.detach_()", "  # expect: LL110", id="and assigned"),
        pytest.param("scale.detach()", "", id="a copy that nothing takes"),
        pytest.param("pass", "", id="with its graph"),
    ],
)
def test_computed_before_the_loop(cut: str, mark: str) -> None:
    assert_marked(BEFORE.format(cut=cut, mark=mark))
