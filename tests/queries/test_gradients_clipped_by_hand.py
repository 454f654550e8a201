"""Gradients that are multiplied only by factors below 1 are clipped: those of a scaled loss stay scaled."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        def clip(net, limit, inverse):
            {clip}
        def fit(net: nn.Module, loader):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cuda")
            for x, y in loader:
                opt.zero_grad()
                with torch.autocast("cuda", dtype=torch.float16):
                    loss = nn.functional.mse_loss(net(x), y)
                scaler.scale(loss).backward()
                clip(net, 1.0, 1 / scaler.get_scale())
                opt.step(){expected}
                scaler.update()
"""
REPORTED = "  # expect: LL604"
CLIPPED = {
    "each by its own norm": """for p in net.parameters():
                if p.grad is not None:
                    factor = limit / (p.grad.data.norm(2) + 1e-6)
                    if factor < 1:
                        p.grad.data.mul_(factor)""",
    "all by the norm of all": """total = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
            factor = limit / (total + 1e-6)
            if factor < 1.0:
                for p in net.parameters():
                    p.grad.mul_(factor)""",
    "by a number": """total = sum(p.grad.norm(2).item() ** 2 for p in net.parameters()) ** 0.5
            factor = limit / (total + 1e-6)
            for _, p in net.named_parameters():
                if factor <= 1:
                    p.grad.mul_(factor)""",
}
UNSCALED = {
    "by the scale": """for p in net.parameters():
                p.grad.data.mul_(inverse)""",
    "by the scale, where there is one": """if inverse != 1:
                for p in net.parameters():
                    p.grad.mul_(inverse)""",
    "by the scale, where the norm is small": """for p in net.parameters():
                norm = p.grad.norm()
                if norm < 1:
                    p.grad.mul_(inverse)""",
}


@pytest.mark.parametrize("clip", CLIPPED.values(), ids=CLIPPED)
def test_clipped_gradients_stay_scaled(clip: str) -> None:
    assert_marked(LOOP.format(clip=clip, expected=REPORTED))


@pytest.mark.parametrize("clip", UNSCALED.values(), ids=UNSCALED)
def test_gradients_that_are_multiplied_otherwise_may_be_unscaled(clip: str) -> None:
    assert_marked(LOOP.format(clip=clip, expected=""))
