"""The optimizer has gone through the iterator that the clip is given: nothing is clipped."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from benchmarks.found_in_the_wild.loading import load

REPO = "openai/Video-Pre-Training"
COMMIT = "095519fbd4ee0e9281d19f19601e45629de9ac3f"
PATH = "behavioural_cloning.py"
FOUND = {121: "LL113"}

BATCHES = 3


class _Policy(nn.Linear):
    """A policy with steep gradients, in the place of the one that needs the weights and the game."""

    as_list = False

    def parameters(self, recurse: bool = True) -> Any:
        found = super().parameters(recurse)
        return list(found) if self.as_list else found

    def initial_state(self, batch_size: int) -> list[torch.Tensor]:
        return [torch.zeros(batch_size)]

    def get_output_for_observation(self, obs: torch.Tensor, state: list[torch.Tensor], first: torch.Tensor) -> Any:
        return self(obs), None, state

    def get_logprob_of_action(self, distribution: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        return -100 * (distribution - action).pow(2).mean()


class _Agent:
    def __init__(self, env: Any, **settings: Any) -> None:
        torch.manual_seed(0)
        self.policy = _Policy(8, 4)

    def load_weights(self, path: str) -> None: ...

    def _env_action_to_agent(self, action: torch.Tensor, **settings: Any) -> torch.Tensor:
        return action

    def _env_obs_to_agent(self, observation: dict[str, torch.Tensor]) -> torch.Tensor:
        return observation["pov"]


def measure(checkout: Path) -> dict[str, Any]:
    cloning = load(checkout, "behavioural_cloning", without=["gym", "minerl", "agent", "data_loader"])
    cloning.MineRLAgent, cloning.DEVICE, cloning.load_model_parameters = _Agent, "cpu", lambda path: ({}, {})
    torch.manual_seed(1)
    batch = [[torch.randn(1, 8) for _ in range(8)], [torch.randn(1, 4) for _ in range(8)], list(range(8))]
    cloning.DataLoader = lambda **settings: [batch] * BATCHES
    norms: list[float] = []
    register_optimizer_step_pre_hook(lambda optimizer, *_: norms.append(_norm(optimizer)))
    measured: dict[str, Any] = {"limit": cloning.MAX_GRAD_NORM}
    for name, as_list in (("as_it_is", False), ("with_a_list", True)):
        _Policy.as_list = as_list
        norms.clear()
        with tempfile.NamedTemporaryFile(suffix=".weights") as file:
            cloning.behavioural_cloning_train("data", "in.model", "in.weights", file.name)
        measured[f"largest_gradient_norm_at_a_step_{name}"] = max(norms)
    return measured


def _norm(optimizer: Any) -> float:
    return float(torch.nn.utils.get_total_norm([p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]))
