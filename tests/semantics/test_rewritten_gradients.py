"""A gradient that becomes another form of itself is neither cleared nor filled, and nothing applies it."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINED = """
        import torch.distributed as dist
        from accelerate import Accelerator
        accelerator = Accelerator()
        def train(loader, world: int, limit: float):
            net = nn.Linear(2, 2)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                {clear}loss = nn.functional.mse_loss(net(x), y)
                loss.backward(){marked}
                for p in net.parameters():
                    if p.grad is not None:
                        {rewritten}
                {step}
        """
REWRITTEN = [
    "p.grad = accelerator.reduce(p.grad, reduction='mean')",
    "p.grad = p.grad / world",
    "p.grad.data = torch.clamp(p.grad.data, -limit, limit)",
    "p.grad = torch.nan_to_num(p.grad.detach()) if limit else torch.nan_to_num(p.grad)",
]


@pytest.mark.parametrize("rewritten", REWRITTEN)
def test_what_is_never_cleared_adds_up(rewritten: str) -> None:
    text = TRAINED.replace("{clear}", "").replace("{marked}", "  # expect: LL102").replace("{step}", "optimizer.step()")
    assert_marked(text.replace("{rewritten}", rewritten))


@pytest.mark.parametrize("rewritten", REWRITTEN)
def test_what_no_step_uses_is_lost(rewritten: str) -> None:
    text = (
        TRAINED.replace("{clear}", "optimizer.zero_grad()\n                ").replace("{marked}", "  # expect: LL106").replace("{step}", "")
    )
    assert_marked(text.replace("{rewritten}", rewritten))


@pytest.mark.parametrize("rewritten", REWRITTEN)
def test_a_right_loop_is_right(rewritten: str) -> None:
    text = (
        TRAINED.replace("{clear}", "optimizer.zero_grad()\n                ").replace("{marked}", "").replace("{step}", "optimizer.step()")
    )
    assert_marked(text.replace("{rewritten}", rewritten))


@pytest.mark.parametrize("other", ["torch.zeros_like(p)", "torch.zeros_like(p.grad)", "p.grad.new_zeros(p.grad.shape)", "estimate(p)"])
def test_another_gradient_takes_the_place_of_the_old(other: str) -> None:
    text = TRAINED.replace("{clear}", "").replace("{marked}", "").replace("{step}", "optimizer.step()")
    assert_marked(text.replace("{rewritten}", f"p.grad = {other}"))
