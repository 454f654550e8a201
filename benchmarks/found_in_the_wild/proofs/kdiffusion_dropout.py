"""Fused attention that is given the rate of a dropout in eval mode too: images are sampled with dropout in every attention."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from benchmarks.found_in_the_wild.loading import instead_of, load, provide

REPO = "crowsonkb/k-diffusion"
COMMIT = "4601bf085320592473f681a62808ed873d17fad5"
PATH = "k_diffusion/layers.py"
FOUND = {198: "LL307", 228: "LL307"}
SEVERITY = "warning"
CALLERS = ["sample.py"]

PACKAGES = [
    "accelerate", "clip", "cleanfid", "dctorch", "einops", "jsonmerge", "numpy", "PIL", "scipy", "skimage", "torchdiffeq", "torchsde", "torchvision",
    "safetensors", "requests",
]  # fmt: skip


def measure(checkout: Path) -> dict[str, Any]:
    instead_of(PACKAGES)
    provide("jsonmerge", merge=_merge)
    library = load(checkout, "k_diffusion")
    torch.manual_seed(0)
    config = library.config.load_config(str(checkout / "configs" / "config_cifar10.json"))
    inner = library.config.make_model(config).eval().requires_grad_(False)  # as sample.py makes it
    for parameter in inner.parameters():
        if not parameter.any():
            torch.nn.init.normal_(parameter, std=0.02)  # the last layer of each block is zero before the first step
    model = library.Denoiser(inner, sigma_data=config["model"]["sigma_data"])
    start, sigmas = torch.randn(2, 3, 32, 32) * config["model"]["sigma_max"], library.sampling.get_sigmas_karras(10, 0.01, 80.0)

    def sample() -> torch.Tensor:
        return library.sampling.sample_euler(model, start, sigmas, disable=True)

    attentions = [m for m in inner.modules() if isinstance(m, library.layers.SelfAttention2d)]
    dropouts = [m for m in inner.modules() if isinstance(m, torch.nn.modules.dropout._DropoutNd)]
    measured: dict[str, Any] = {
        "rate_of_the_configuration": config["model"]["dropout_rate"],
        "attentions": len(attentions),
        "dropout_layers_in_train_mode": f"{sum(m.training for m in dropouts)} of {len(dropouts)}",
    }
    first, second = sample(), sample()
    measured["two_samples_from_the_same_noise_differ"] = bool((first != second).any())
    measured["difference_relative_to_the_sample"] = ((first - second).norm() / first.norm()).item()
    for attention in attentions:
        attention.dropout.p = 0.0
    first, second = sample(), sample()
    measured["without_the_rate_they_differ"] = bool((first != second).any())
    return measured


def _merge(base: Mapping[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    """What jsonmerge does with two objects: the second wins, key by key."""
    both = {key: _merge(base[key], head[key]) for key in base if isinstance(base[key], dict) and isinstance(head.get(key), dict)}
    return {**base, **head, **both}
