"""The best weights are kept as references to the parameters that training goes on to change: restoring them restores nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from benchmarks.found_in_the_wild.loading import load

REPO = "pyc-team/pytorch_concepts"
COMMIT = "45dd8a329cda1473295eec4aef5f7c375a647d37"
PATH = "torch_concepts/data/preprocessing/autoencoder.py"
FOUND = {193: "LL801"}


def measure(checkout: Path) -> dict[str, Any]:
    module = load(checkout / "torch_concepts/data/preprocessing", "autoencoder", without=["tqdm"])
    torch.manual_seed(0)
    data = torch.randn(256, 20)
    # A learning rate at which the loss goes up and down, as it does where early stopping is of use.
    trainer = module.AutoencoderTrainer(20, latent_dim=8, lr=0.1, epochs=300, batch_size=64, patience=20, device="cpu")
    after: list[dict[str, torch.Tensor]] = []

    def epochs(numbers: Iterable[int]) -> Iterator[int]:
        for number in numbers:
            yield number
            after.append(copy.deepcopy(trainer.model.state_dict()))

    module.tqdm = epochs
    trainer.train(data)
    after.append(copy.deepcopy(trainer.model.state_dict()))  # the loop was left by `break`
    trainer.extract_latent()  # restores the best weights
    restored = trainer.model.state_dict()
    best = after[-1 - trainer.patience]
    return {
        "epochs_until_it_stopped": len(after),
        "best_epoch": len(after) - trainer.patience,
        "restored_are_those_of_the_last_epoch": _equal(restored, after[-1]),
        "restored_are_those_of_the_best_epoch": _equal(restored, best),
        "loss_with_the_weights_of_the_best_epoch": _loss(trainer, best, data),
        "loss_with_the_restored_weights": _loss(trainer, restored, data),
    }


def _equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(one[name], other[name]) for name in one)


@torch.no_grad()
def _loss(trainer: Any, state: dict[str, torch.Tensor], data: torch.Tensor) -> float:
    net = copy.deepcopy(trainer.model)
    net.load_state_dict(state)
    return float(trainer.criterion(net(data)[1], data))
