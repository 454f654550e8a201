"""`with torch.set_grad_enabled(condition):` and a branch on the condition inside of it: there it is known whether gradients are on."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import argparse
from torch import optim

parser = argparse.ArgumentParser()
parser.add_argument("--train-vae", action="store_true")
parser.add_argument("--phase", default="dae")
args = parser.parse_args()
train_vae = args.train_vae
vae, dae = nn.Linear(3, 3), nn.Linear(3, 3)
vae_optimizer = optim.Adam(vae.parameters())
dae_optimizer = optim.Adam(dae.parameters())
loader = [torch.randn(4, 3)] * 3
for epoch in range(3):
    for x in loader:
        vae_optimizer.zero_grad()
        dae_optimizer.zero_grad()
        with torch.set_grad_enabled({enabling}):
            if {branch}:
                z = vae(x)
            else:
                raise NotImplementedError
        loss = dae(z).pow(2).mean()
        loss.backward(){expected}
        dae_optimizer.step()
"""


@pytest.mark.parametrize(
    ("enabling", "branch"),
    [
        ("args.train_vae", "not args.train_vae"),
        ("not args.train_vae", "args.train_vae"),
        ("args.phase == 'vae'", "args.phase != 'vae'"),
        ("train_vae", "not train_vae and args.phase == 'dae'"),
    ],
)
def test_gradients_are_off_where_the_condition_fails(enabling: str, branch: str) -> None:
    assert_marked(PROGRAM.format(enabling=enabling, branch=branch, expected=""))


@pytest.mark.parametrize(("enabling", "branch"), [("args.train_vae", "args.train_vae"), ("args.phase == 'vae'", "args.phase == 'vae'")])
def test_gradients_are_on_where_it_holds(enabling: str, branch: str) -> None:
    assert_marked(PROGRAM.format(enabling=enabling, branch=branch, expected="  # expect: LL106"))
