"""What stands around the loop may be made in one of two ways: the loop goes backward through either of them."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from accelerate import Accelerator
        from lightning.fabric import Fabric
        import deepspeed

        def made(tracking):
            if tracking:
                return Accelerator(log_with="wandb")
            return Accelerator()

        def main(args, loader):
            model = nn.Linear(2, 1)
            {made}
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
            {prepared}
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                accelerator.backward(loss)
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """
PREPARED = "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)"
WAYS = {
    "in an expression": ("accelerator = Accelerator(log_with='wandb') if args.tracking else Accelerator()", PREPARED),
    "in branches": (
        "if args.tracking:\n        accelerator = Accelerator(log_with='wandb')\n    else:\n        accelerator = Accelerator()",
        PREPARED,
    ),
    "in a function": ("accelerator = made(args.tracking)", PREPARED),
    "in a handler": (
        "try:\n        accelerator = Accelerator(log_with='wandb')\n    except ImportError:\n        accelerator = Accelerator()",
        PREPARED,
    ),
    "of Fabric": (
        "accelerator = Fabric(devices=2) if args.tracking else Fabric()",
        "model, optimizer = accelerator.setup(model, optimizer); loader = accelerator.setup_dataloaders(loader)",
    ),
}


@pytest.mark.parametrize(("made", "prepared"), WAYS.values(), ids=WAYS)
def test_a_loop_around_which_one_of_two_stands(made: str, prepared: str) -> None:
    assert_marked(LOOP.replace("{made}", made.replace("\n", "\n        ")).replace("{prepared}", prepared))
