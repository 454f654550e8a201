"""An eval mode for batches that lack something stays for these alone: LL304 says nothing of those that have it; one of some turns stays on."""

from __future__ import annotations

import pytest

from programs import assert_marked

ENCODER = """
        class Encoder:
            def __init__(self, frozen, optimizer):
                self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
                self.frozen = frozen
                self.opt = torch.optim.Adam(self.model.parameters())
            def encode(self, x, {flag}):
                if not grad:
                    self.model.eval()
                    with torch.no_grad():
                        z = self.model(x)
                        print(z.softmax(1).mean().item())
                        return z
                return self.model(x)
            def fit(self, loader):
                self.model.train()
                for x, y in loader:
                    z = self.encode(x, {given})
                    loss = nn.functional.mse_loss(z, y)
                    self.opt.zero_grad()
                    if loss.requires_grad:
                        loss.backward()
                        self.opt.step()
                    print(nn.functional.l1_loss(z.detach(), y).item())
"""
STEP = """
        def run(net, x, y{more}):
            if {test}:
                net.eval()
                with torch.no_grad():
                    print(net(x).softmax(1).mean().item())
                return None
            return nn.functional.cross_entropy(net(x), y){mark}
        def fit(draw, n: int):
            net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
            opt = torch.optim.Adam(net.parameters())
            net.train()
            for i in range(n):
                batch = draw(i)
                {first}
                loss = run(net, {given})
                if loss is not None:
                    opt.zero_grad()
                    loss.backward()
                    opt.step()
"""
PROGRAMS = {
    "an entry that is set to None": STEP.format(
        more="", test="y is None", mark="", first='if "y" not in batch: batch["y"] = None', given='batch["x"], batch["y"]'
    ),
    "an entry that batches may lack": STEP.format(
        more="", test="not y is not None", mark="", first='x, y = batch["x"], batch.get("y")', given="x, y"
    ),
    "an entry of a batch that may be shorter": STEP.format(
        more=", mask", test="mask is None", mark="", first="mask = batch[2] if len(batch) > 2 else None", given="batch[0], batch[1], mask"
    ),
    "each tenth batch": STEP.format(more=", i", test="i % 10 == 9", mark="  # expect: LL304", first="pass", given="batch[0], batch[1], i"),
    "a switch that is the opposite of a setting": ENCODER.format(flag="grad=True", given="grad=not self.frozen"),
    "one that is compared": ENCODER.format(flag="grad", given="self.frozen == 'none'"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_eval_mode_is_for(name: str) -> None:
    assert_marked(PROGRAMS[name])
