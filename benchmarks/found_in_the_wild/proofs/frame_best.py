"""The best state is saved to a file and also kept as references, and it is the references that are restored before the test."""

from __future__ import annotations

import copy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from benchmarks.found_in_the_wild.loading import instead_of, provide, run_script

REPO = "pyg-team/pytorch-frame"
COMMIT = "f6ff914e6668a48831be020b2b7f5db11f43089f"
PATH = "examples/mercari.py"
FOUND = {177: "LL801", 180: "LL801"}


def measure(checkout: Path) -> dict[str, Any]:
    """The loop of the script, over a small regression in the place of its data set and its transformer."""
    instead_of(["torch_frame", "sentence_transformers", "tqdm"])
    provide("tqdm", tqdm=lambda items, **_: items)
    provide("torch_frame.datasets", Mercari=_Data)
    provide("torch_frame.data", DataLoader=lambda frame, **_: [frame])
    provide("torch_frame.nn", FTTransformer=_Net)
    saved: list[dict[str, torch.Tensor]] = []
    torch.save = lambda state, *_: saved.append(copy.deepcopy(state))
    torch.manual_seed(0)
    names = run_script(checkout / PATH, "--lr", "0.1")
    model, validation = names["model"], names["val_loader"]
    restored = copy.deepcopy(model.state_dict())
    errors = {"validation_error_with_the_restored_state": names["test"](validation)}
    model.load_state_dict(saved[-1])
    return {
        "best_validation_error_printed": names["best_val_metric"],
        **errors,
        "validation_error_with_the_state_in_the_file": names["test"](validation),
        "restored_state_is_that_in_the_file": all(torch.equal(restored[name], x) for name, x in saved[-1].items()),
    }


class _Net(nn.Linear):
    def __init__(self, **_: Any) -> None:
        super().__init__(4, 1)

    def forward(self, frame: Any) -> torch.Tensor:
        return super().forward(frame.x)


class _Frame:
    """Rows of which the targets are noise, so that the validation gets worse again."""

    col_names_dict = None

    def __init__(self) -> None:
        self.x, self.y = torch.randn(16, 4), torch.randn(16)

    def to(self, device: object) -> _Frame:
        return self


class _Data:
    task_type = SimpleNamespace(is_classification=False)
    num_rows, col_stats = 5000, None

    def __init__(self, **_: Any) -> None: ...

    def materialize(self, path: str) -> None: ...

    def __getitem__(self, rows: slice) -> Any:
        return SimpleNamespace(tensor_frame=_Frame())

    @property
    def df(self) -> None:
        raise SystemExit  # the predictions are made
