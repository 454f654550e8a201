"""A scaler that is called with the loss and the optimizer makes a whole update: `NativeScaler` of timm, and what is written after it."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from timm.utils import NativeScaler

        def train_one_epoch(model: nn.Module, criterion, data_loader, optimizer, loss_scaler, args):
            for step, (samples, targets) in enumerate(data_loader):
                loss = criterion(model(samples), targets)
                {body}

        def main(args, loader):
            model = nn.Linear(2, 2)
            optimizer = torch.optim.AdamW(model.parameters())
            loss_scaler = NativeScaler()
            for epoch in range(9):
                train_one_epoch(model, nn.CrossEntropyLoss(), loader, optimizer, loss_scaler, args)
        """
UPDATE = "loss_scaler(loss, optimizer, clip_grad=args.clip, parameters=model.parameters())"
BODIES = {
    "cleared before": f"optimizer.zero_grad(); {UPDATE}",
    "cleared after": f"{UPDATE}; optimizer.zero_grad()",
    "never cleared": f"{UPDATE}  # expect: LL102",
    "every few batches": "loss_scaler(loss / args.k, optimizer, parameters=model.parameters(), update_grad=(step + 1) % args.k == 0)\n"
    + 16 * " "
    + "if (step + 1) % args.k == 0:\n"
    + 20 * " "
    + "optimizer.zero_grad()",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("whole", [True, False], ids=["with its caller", "alone"])
def test_an_update_in_one_call(body: str, *, whole: bool) -> None:
    program = LOOP.replace("{body}", body)
    assert_marked(program if whole else program.partition("        def main")[0])


@pytest.mark.parametrize("call", ["self.scaler(x, mask)", "self.loss_scaler(x, mask)"])
def test_what_scales_data_makes_no_update(call: str) -> None:
    assert_marked(f"""
        class Forecaster(nn.Module):
            def __init__(self, scaler, loss_scaler):
                super().__init__()
                self.scaler, self.loss_scaler = scaler, loss_scaler
                self.net = nn.Linear(2, 1)
            def forward(self, x, mask):
                x, loc, scale = {call}
                return self.net(x) * scale + loc
        def main(scaler, loader):
            model = Forecaster(scaler, scaler)
            optimizer = torch.optim.AdamW(model.parameters())
            for x, mask, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x, mask), y).backward()
                optimizer.step()
        """)
