"""States of models that are spread over processes are where the options say of them: copies on the CPU load on every machine."""

from __future__ import annotations

import pytest

import looplint

RESUMED = """\
import torch
from torch import nn, optim
from torch.distributed.checkpoint.state_dict import StateDictOptions
from torch.distributed.fsdp import FullStateDictConfig, ShardedStateDictConfig
from torch.distributed.fsdp.api import LocalStateDictConfig
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
options = {options}
def save(path):
    torch.save(model.state_dict(), path)
def load(path):
    model.load_state_dict(torch.load(path))
opt = optim.SGD(model.parameters(), lr=0.1)
load("earlier.pt")
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
    opt.step()
save("later.pt")
"""


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ("ShardedStateDictConfig(offload_to_cpu=True)", []),
        ("ShardedStateDictConfig(offload_to_cpu=True if torch.cuda.is_available() else False)", []),
        ("FullStateDictConfig(offload_to_cpu=True, rank0_only=True)", []),
        ("LocalStateDictConfig(offload_to_cpu=True)", []),
        ("StateDictOptions(full_state_dict=True, cpu_offload=True)", []),
        ("StateDictOptions(full_state_dict=True)", ["LL803"]),
        ("ShardedStateDictConfig(offload_to_cpu=False)", ["LL803"]),
        ("None", ["LL803"]),
    ],
)
def test_states_that_are_copied_to_the_cpu_load_everywhere(options: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(RESUMED.format(options=options), isolated=True) if f.code == "LL803"] == codes
