"""Gradients that are cleared before a loop and again in it: LL107 sees that its step finds none, whatever goes backward out of the loop."""

from __future__ import annotations

import pytest

from programs import assert_marked

PLAIN = """
        from engine import refine
        def train(net, loader):
            opt = optim.SGD(net.parameters(), lr=0.1)
            {before}
            for epoch in range(9):
                for x, y in loader:
                    loss = nn.functional.mse_loss(net(x), y)
                    {cleared}
                    {backward}
                    opt.step(){marked}
                    {after}
                    print(loss.item())
                refine(net)
"""
HANDED_ON = """
        from engine import refine
        def epoch(net, opt, loader):
            for x, y in loader:
                {cleared}
                loss = nn.functional.mse_loss(net(x), y)
                {backward}
                opt.step(){marked}
                {after}
        def main(loader):
            net = nn.Linear(8, 2)
            opt = optim.AdamW(net.parameters())
            {before}
            for _ in range(9):
                epoch(net, opt, loader)
                refine(net)
"""
SEARCHED = """
        def sharpen(energy, points, steps):
            search = optim.LBFGS([points])
            for _ in range(steps):
                def closure():
                    search.zero_grad()
                    loss = energy(points)
                    loss.backward()
                    return loss
                search.step(closure)
        def main(loader, energies):
            net = nn.Linear(8, 2)
            opt = optim.Adam(net.parameters())
            {before}
            for _ in range(9):
                for x, y in loader:
                    {cleared}
                    loss = nn.functional.mse_loss(net(x), y)
                    {backward}
                    opt.step(){marked}
                    {after}
                for energy in energies:
                    sharpen(energy, torch.zeros(3, requires_grad=True), 5)
"""
BEFORE = ["opt.zero_grad()", "net.zero_grad()", "opt.zero_grad(set_to_none=True)"]


@pytest.mark.parametrize("text", [PLAIN, HANDED_ON, SEARCHED])
@pytest.mark.parametrize("before", [*BEFORE, "pass"])
def test_a_clear_in_each_turn_leaves_nothing_to_step_with_whatever_was_cleared_before(text: str, before: str) -> None:
    assert_marked(text.format(before=before, cleared="opt.zero_grad()", backward="pass", marked="  # expect: LL107", after="pass"))


@pytest.mark.parametrize(
    ("cleared", "backward", "after"),
    [
        pytest.param("opt.zero_grad()", "loss.backward()", "pass", id="the loss goes backward"),
        pytest.param("pass", "refine(net)", "pass", id="only the first turn finds nothing"),
        pytest.param("if len(x) > 8: opt.zero_grad()", "refine(net)", "pass", id="some turns find what code out of sight leaves"),
        pytest.param("opt.zero_grad()", "refine(net)", "pass", id="code out of sight may go backward after the clear"),
        pytest.param("pass", "refine(net)", "opt.zero_grad()", id="and before the step, where the clear is behind it"),
    ],
)
@pytest.mark.parametrize("text", [PLAIN, HANDED_ON])
def test_what_may_go_backward_behind_the_last_clear_is_left_alone(text: str, cleared: str, backward: str, after: str) -> None:
    for before in BEFORE:
        assert_marked(text.format(before=before, cleared=cleared, backward=backward, after=after, marked=""))
