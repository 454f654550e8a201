"""A DistributedSampler whose seed depends on the rank: the parts of the processes overlap, and the rest is never drawn."""

from __future__ import annotations

import pickle
import tempfile
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.found_in_the_wild.loading import load

REPO = "NVIDIA/DeepLearningExamples"
COMMIT = "729963dd47e7c8bd462ad10bfac7a7b0b604e6dd"
PATH = "PyTorch/Forecasting/TFT/data_utils.py"
FOUND = {410: "LL905"}

PROCESSES, EXAMPLES, EPOCHS = 8, 8000, 5


def measure(checkout: Path) -> dict[str, Any]:
    data = load(checkout / "PyTorch/Forecasting/TFT", "data_utils", without=["pandas", "sklearn"])
    feature = data.FeatureSpec("target", data.InputTypes.TARGET, data.DataTypes.CONTINUOUS)
    config = SimpleNamespace(features=[feature], example_length=1, dataset_stride=1)
    with tempfile.TemporaryDirectory() as folder:
        for split in ("train", "valid", "test"):
            numbers = np.arange(EXAMPLES, dtype=np.float32).reshape(-1, 1).view(np.int32)
            Path(folder, f"{split}.bin").write_bytes(pickle.dumps([numbers]))
        drawn = []
        for rank in range(PROCESSES):
            args = Namespace(
                data_path=folder,
                sample_data=[-1, -1],
                batch_size=100,
                seed=1,
                distributed_world_size=PROCESSES,
                distributed_rank=rank,
            )
            train_loader, _, _ = data.load_dataset(args, config)
            # train.py goes over the loader once an epoch, and tells the sampler nothing in between
            drawn += [[int(i) for i in train_loader.sampler] for _ in range(EPOCHS)]
    first = set(drawn[0]).union(*drawn[::EPOCHS])
    ever = set().union(*drawn)
    return {
        "processes": PROCESSES,
        "examples": EXAMPLES,
        "drawn_by_one_process": len(drawn[0]),
        "distinct_in_one_epoch": len(first),
        f"distinct_in_{EPOCHS}_epochs": len(ever),
        "share_never_trained_on": 1 - len(ever) / EXAMPLES,
    }
