"""A cosine schedule is built and never stepped: all epochs train at the first learning rate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from benchmarks.found_in_the_wild.loading import instead_of, load, provide, run_script

REPO = "kkirchheim/pytorch-ood"
COMMIT = "d04767360a382d2ea1678d5a571cae66b73e5206"
PATH = "examples/text/newsgroups.py"
FOUND = {112: "LL205"}


def measure(checkout: Path) -> dict[str, Any]:
    gru = load(checkout / "src/pytorch_ood/model", "gru")
    instead_of(["pandas", "torchtext", "tqdm", "pytorch_ood"])
    provide("torchtext.data.utils", get_tokenizer=lambda _: str.split)
    provide("torchtext.vocab", build_vocab_from_iterator=lambda texts: _Vocabulary(word for text in texts for word in text))
    provide("tqdm", tqdm=_Bar)
    provide("pytorch_ood.dataset.txt", NewsGroup20=_News, Reuters52=_stop)
    provide("pytorch_ood.model", GRUClassifier=gru.GRUClassifier)
    torch.manual_seed(0)
    rates: list[float] = []
    register_optimizer_step_pre_hook(lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"]))
    script = run_script(checkout / PATH, on_cpu=True)
    epochs, used = script["n_epochs"], list(rates)
    meant = torch.optim.lr_scheduler.CosineAnnealingLR(torch.optim.SGD([torch.zeros(1)], lr=script["lr"]), T_max=epochs)
    for _ in range(epochs - 1):
        meant.optimizer.step()
        meant.step()
    return {
        "epochs": epochs,
        "learning_rate_at_first_step": used[0],
        "learning_rate_at_last_step": used[-1],
        "learning_rate_of_the_schedule_in_the_last_epoch": meant.get_last_lr()[0],
    }


class _News(list[Any]):
    def __init__(self, root: str, train: bool, transform: Any = lambda text: text, download: bool = False) -> None:
        super().__init__([(transform(f"word{i} word{i + 1}"), i % 20) for i in range(40 if train else 20)])


class _Vocabulary(dict[str, int]):
    def __init__(self, words: Any) -> None:
        super().__init__({word: number for number, word in enumerate(dict.fromkeys(words))})

    def set_default_index(self, index: int) -> None: ...


class _Bar(list[Any]):
    def set_postfix_str(self, text: str) -> None: ...


def _stop(*_: Any, **__: Any) -> None:
    raise SystemExit
