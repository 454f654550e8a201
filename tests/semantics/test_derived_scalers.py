"""A class of the program that derives from a scaler is one, and the gradient that a tensor is sent backward with may be what it scales."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from torch.cuda.amp import GradScaler

        class Limited(GradScaler):
            {body}

        def main(model: nn.Module, loader, args):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            scaler = Limited({given})
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                {turn}
        """
BODIES = {
    "a method": "def limit(self): self._scale.fill_(9.0)",
    "scale anew": "def scale(self, outputs): return outputs * self._scale if self._enabled else outputs",
    "a constructor": "def __init__(self, limit=1.0): GradScaler.__init__(self, init_scale=limit); self.limit = limit",
    "the constructor above": "def __init__(self, limit=1.0): super().__init__(init_scale=limit)",
    "steps by itself": "def step(self, optimizer): self.unscale_(optimizer); return optimizer.step() if self.fine else None",
}
SCALED = "scaler.scale(loss).backward(); {clip}; scaler.step(optimizer); scaler.update()"
CLIP = "nn.utils.clip_grad_norm_(model.parameters(), 1.0)"


def program(body: str, turn: str, given: str = "") -> str:
    return LOOP.replace("{body}", body).replace("{given}", given).replace("{turn}", turn)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_class_that_derives_from_a_scaler(body: str) -> None:
    assert_marked(program(body, SCALED.replace("{clip}", CLIP) + "  # expect: LL601"))
    assert_marked(program(body, SCALED.replace("{clip}", f"scaler.unscale_(optimizer); {CLIP}")))
    assert_marked(program(body, "scaler.scale(loss).backward(); optimizer.step(); scaler.update()  # expect: LL604"))


def test_one_that_makes_a_whole_update_when_it_is_called() -> None:
    body = "def __call__(self, loss, optimizer): self.scale(loss).backward(); self.unscale_(optimizer); self.step(optimizer); self.update()"
    assert_marked(program(body, "scaler(loss, optimizer)"))
    assert_marked(program(body.replace("self.step(optimizer)", "optimizer.step()") + "  # expect: LL604", "scaler(loss, optimizer)"))


@pytest.mark.parametrize(
    "body",
    ["def __init__(self): super().__init__(enabled=False)", "def __init__(self): GradScaler.__init__(self, enabled=False)", "limit = 1.0"],
    ids=["by the constructor above", "by the base's constructor", "by its own arguments"],
)
def test_one_that_is_off(body: str) -> None:
    given = "enabled=False" if "__init__" not in body else ""
    assert_marked(program(body, SCALED.replace("{clip}", CLIP), given))


def test_one_that_perhaps_is_off() -> None:
    body = "def __init__(self, **options): super().__init__(**options)"
    turn = """
                scaler.scale(loss).backward()
                if args.amp:
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    optimizer.step()"""
    assert_marked(program(body, turn.lstrip(), "enabled=args.amp"))


@pytest.mark.parametrize(
    "backward",
    [
        "out.backward(scaler.scale(grad))",
        "out.backward(gradient=scaler.scale(grad))",
        "torch.autograd.backward([out], [scaler.scale(grad)])",
    ],
)
def test_a_gradient_that_is_scaled(backward: str) -> None:
    turn = f"out = model(x); grad = torch.ones_like(out); {backward}; {{clip}}; scaler.step(optimizer); scaler.update()"
    assert_marked(program("pass", turn.replace("{clip}", CLIP) + "  # expect: LL601"))
    assert_marked(program("pass", turn.replace("{clip}", f"scaler.unscale_(optimizer); {CLIP}")))


def test_a_gradient_that_is_scaled_on_one_way_only() -> None:
    assert_marked(
        program("pass", f"out = model(x); grad = y if args.fp32 else scaler.scale(y); out.backward(grad); {CLIP}; optimizer.step()")
    )
