"""What other files of a run tell of a function that its own file judges by itself: whether all who call it by its name switch gradients off."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

AGENT = """
import torch
from torch import nn


class Agent:
    def __init__(self, repeats):
        self.encoder = nn.Linear(3, 2)
        self.opt = torch.optim.Adam(self.encoder.parameters())

    def update(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            nn.functional.mse_loss(self.encoder(x), y).backward()
            self.opt.step()

    def score(self, loader):
        kept = []
        for x, y in loader:
            out = self.encoder(x)
            kept.append(nn.functional.mse_loss(out, y).item())
        return kept
"""
RUN = """
import hydra
import torch


def evaluate(cfg, loader):
    agent = hydra.utils.instantiate(cfg.agent)
    CALL
"""
OFF = "with torch.no_grad(), torch.random.fork_rng():\n        print(agent.score(loader))"
ON = "print(agent.score(loader))"


def found(tmp_path: Path, *runs: str) -> list[str]:
    """The codes found in the agent's file, beside files that run it."""
    (tmp_path / "agent.py").write_text(AGENT)
    for number, text in enumerate(runs):
        (tmp_path / f"run{number}.py").write_text(text)
    return [f.code for f in looplint.lint([tmp_path], isolated=True) if f.filename.endswith("agent.py")]


SILENT = {
    "a block around it": (RUN.replace("CALL", OFF),),
    "a decorator": (RUN.replace("CALL", ON).replace("def evaluate", "@torch.inference_mode()\ndef evaluate"),),
    "a block around its caller": (RUN.replace("CALL", ON) + "\n\nwith torch.no_grad():\n    evaluate(cfg, loader)\n",),
    "in two files": (RUN.replace("CALL", OFF), RUN.replace("CALL", OFF).replace("evaluate", "predict")),
    "and another file's own": (
        RUN.replace("CALL", OFF),
        "import torch\n\n\nclass Other:\n    def score(self, x):\n        return x\n\n    def both(self, x):\n        return self.score(x)\n",
    ),
}
REPORTED = {
    "nobody": (),
    "with gradients": (RUN.replace("CALL", ON),),
    "with gradients in another file": (RUN.replace("CALL", OFF), RUN.replace("CALL", ON).replace("evaluate", "predict")),
    "another method": (RUN.replace("CALL", OFF.replace(".score", ".show")),),
    "in a file that cannot be read": (RUN.replace("CALL", OFF), "import torch\nagent.score(loader\n"),
}


@pytest.mark.parametrize("runs", SILENT.values(), ids=SILENT.keys())
def test_no_graph_is_recorded_where_all_who_call_a_function_switch_gradients_off(tmp_path: Path, runs: tuple[str, ...]) -> None:
    assert found(tmp_path, *runs) == []


@pytest.mark.parametrize("runs", REPORTED.values(), ids=REPORTED.keys())
def test_a_graph_is_recorded_where_one_who_calls_it_does_not(tmp_path: Path, runs: tuple[str, ...]) -> None:
    assert found(tmp_path, *runs) == ["LL303"]
