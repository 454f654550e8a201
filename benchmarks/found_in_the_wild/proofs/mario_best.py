"""The weights of the best epoch are kept as references, and an evaluation in the loop leaves the model in eval mode."""

from __future__ import annotations

import copy
import os
import tempfile
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from benchmarks.found_in_the_wild.loading import load

REPO = "schrum2/MarioDiffusion"
COMMIT = "561c76d4634027fa89ff8c1cfb58a24e8c089197"
PATH = "train_mlm.py"
FOUND = {106: "LL304", 153: "LL801"}

EPOCHS, EVERY = 60, 20
PACKAGES = ["tqdm", "level_dataset", "tokenizer", "util", "diffusers", "transformers", "safetensors", "matplotlib", "huggingface_hub"]


def measure(checkout: Path) -> dict[str, Any]:
    script = load(checkout, "train_mlm", without=PACKAGES)
    script.tqdm = _Bar
    torch.manual_seed(0)
    net = script.TransformerModel(12, 16, 32, _Tokenizer(), 8)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    modes: list[bool] = []
    after: list[tuple[float, dict[str, torch.Tensor]]] = []
    optimizer.register_step_pre_hook(lambda *_: modes.append(net.training))
    written = script.json.dumps

    def log(entry: dict[str, Any]) -> str:
        if "val_loss" in entry:
            after.append((entry["val_loss"], copy.deepcopy(net.state_dict())))
        return str(written(entry))

    script.json = SimpleNamespace(dumps=log, dump=script.json.dump)
    captions = ["abcdefgh", "bcdefgha", "cdefghab", "defghabc"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        script.args = Namespace(output_dir="out", use_early_stopping=False, save_checkpoints=True, checkpoint_freq=EVERY, lr=0.02, seed=0)
        script.train(net, [captions], [captions[::-1]], nn.CrossEntropyLoss(), optimizer, "cpu", EPOCHS, net.tokenizer)
    best = min(range(EPOCHS), key=lambda i: after[i][0])
    last = net.state_dict()
    return {
        "epochs": EPOCHS,
        "best_epoch": best + 1,
        "restored_are_those_of_the_last_epoch": all(torch.equal(last[name], x) for name, x in after[-1][1].items()),
        "restored_are_those_of_the_best_epoch": all(torch.equal(last[name], x) for name, x in after[best][1].items()),
        "epochs_trained_in_eval_mode": ", ".join(str(i + 1) for i, training in enumerate(modes) if not training),
    }


class _Tokenizer:
    token_to_id = {"[MASK]": 1, "[PAD]": 0}
    id_to_token = {i: str(i) for i in range(12)}

    def encode(self, text: str) -> list[int]:
        return [ord(character) - ord("a") + 2 for character in text]

    def pad_sequence(self, tokens: list[int], length: int) -> list[int]:
        return tokens[:length] + [0] * (length - len(tokens))

    def save(self, path: str) -> None: ...


class _Bar(list[Any]):
    def __init__(self, items: Any, **_: Any) -> None:
        super().__init__(items)

    def set_postfix(self, *_: Any, **__: Any) -> None: ...
