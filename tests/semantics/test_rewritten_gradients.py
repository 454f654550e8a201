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
    "g = p.grad @ p.data.t(); p.grad = (g - g.t()) @ p.data",
    "flat = p.grad.flatten(); kept = torch.zeros_like(flat); kept[:2] = flat[:2]; kept = kept + flat; p.grad = kept.view_as(p)",
    "g = p.grad.detach().clone(); g.mul_(limit); g = nn.functional.normalize(g, dim=0); p.grad = g",
    "u, s, v = torch.svd(p.grad); p.grad = u @ v.t()",
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


@pytest.mark.parametrize(
    "other", ["torch.zeros_like(p)", "torch.zeros_like(p.grad)", "p.grad.new_zeros(p.grad.shape)", "estimate(p)", "other / p.grad.norm()"]
)
def test_another_gradient_takes_the_place_of_the_old(other: str) -> None:
    text = TRAINED.replace("{clear}", "").replace("{marked}", "").replace("{step}", "optimizer.step()")
    assert_marked(text.replace("{rewritten}", f"p.grad = {other}"))


@pytest.mark.parametrize(
    "replaced",
    [
        "g = torch.zeros_like(p.grad); p.grad = g",
        "g = p.grad * 2; g = estimate(p); p.grad = g",
        "g = p.grad.clone(); p.grad.zero_(); p.grad = g",
        "g = p.grad.clone(); p.grad = None; p.grad = g",
        "g = p.grad.clone(); forget(net); p.grad = g",
        "g = p.grad.clone(); g.copy_(estimate(p)); p.grad = g",
        "g = p.grad.norm(); p.grad = estimate(p) * g",
    ],
)
def test_what_a_name_held_may_be_cleared_since(replaced: str) -> None:
    text = TRAINED.replace("{clear}", "").replace("{marked}", "").replace("{step}", "optimizer.step()")
    assert_marked(text.replace("{rewritten}", replaced))


def test_what_is_kept_over_a_clear_is_what_a_step_finds() -> None:
    assert_marked("""
        def train(loader, weight):
            optimizer = torch.optim.SGD([weight], lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(x @ weight, y).backward()
                first = weight.grad.clone()
                optimizer.zero_grad()
                weight.grad = first
                optimizer.step()
        """)


BY_NAMES = [
    "g = p.grad.data / world; dist.all_reduce(g); p.grad.data = g",
    "g = p.grad.data; scale = g.abs().mean(); g = g.sign() * scale; p.grad.data = g",
    "g = p.grad.detach() * 2; g[g > limit] = 0; g.clamp_(-limit, limit); p.grad.copy_(g)",
    "g = world * p.grad; g += 1; p.grad.data.add_(g)",
]


@pytest.mark.parametrize("rewritten", BY_NAMES)
def test_what_becomes_a_gradient_again_is_not_applied(rewritten: str) -> None:
    cleared = TRAINED.replace("{clear}", "optimizer.zero_grad()\n                ").replace("{rewritten}", rewritten)
    assert_marked(cleared.replace("{marked}", "  # expect: LL106").replace("{step}", ""))
    assert_marked(cleared.replace("{marked}", "").replace("{step}", "optimizer.step()"))


@pytest.mark.parametrize(
    "applied",
    [
        "g = p.grad.data / world; p.grad.data = g; p.data.add_(g, alpha=-0.1)",
        "g = p.grad.data; g = g.sign(); p.data -= g; p.grad.data = g",
        "g = p.grad.data; apply(p, g); p.grad.data = g",
        "g = p.grad.data; w = p.data; w.sub_(g); p.grad.data = g",
    ],
)
def test_what_is_applied_beside_that_is_applied(applied: str) -> None:
    cleared = TRAINED.replace("{clear}", "optimizer.zero_grad()\n                ").replace("{rewritten}", applied)
    assert_marked(cleared.replace("{marked}", "").replace("{step}", ""))
