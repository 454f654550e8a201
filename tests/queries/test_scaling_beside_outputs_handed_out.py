"""Code out of sight that gets an output may send that backward, or only look: what a scaler has scaled since is scaled (LL601, LL604)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import memory

class Trainer:
    def __init__(self, gen, dis, args):
        self.gen, self.dis, self.args = gen, dis, args
        self.optimizer = torch.optim.SGD(gen.parameters(), lr=0.1, weight_decay=0.1)
        if self.args.amp:
            self.scaler = torch.cuda.amp.GradScaler()

    def fit(self, loader):
        for z in loader:
            self.optimizer.zero_grad()
            loss = -self.dis(self.gen(z)).mean()
            {before}
            if self.args.amp:
                self.scaler.scale(loss).backward()
            else:
                loss.backward()
            {after}
            if self.args.amp:
                {amp}
                self.scaler.update()
            else:
                self.optimizer.step()
"""
HANDED = "memory.learn(self.gen(z))"
STEP = "self.scaler.step(self.optimizer)"
CLIP = "nn.utils.clip_grad_norm_(self.gen.parameters(), 1.0)"
PROGRAMS = {
    "a clip": PROGRAM.format(before=HANDED, after="pass", amp=f"{CLIP}  # expect: LL601\n                {STEP}"),
    "a step past the scaler": PROGRAM.format(before=HANDED, after="pass", amp="self.optimizer.step()  # expect: LL604"),
    "a step past the scaler, and what comes after the backward": PROGRAM.format(
        before="pass", after=HANDED, amp="self.optimizer.step()  # expect: LL604"
    ),
    "a clip that comes after unscale_()": PROGRAM.format(
        before=HANDED, after="pass", amp=f"self.scaler.unscale_(self.optimizer); {CLIP}; {STEP}"
    ),
    "a step through the scaler": PROGRAM.format(before=HANDED, after=HANDED, amp=STEP),
    "a clip of what no scaler has scaled": PROGRAM.format(before=HANDED, after=f"{HANDED}; {CLIP}", amp=STEP)
    .replace("self.scaler.scale(loss)", "loss")
    .replace("self.scaler.step(self.optimizer)", "self.optimizer.step()"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_scaled(name: str) -> None:
    assert_marked(PROGRAMS[name])
