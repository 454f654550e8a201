"""A helper that leaves the model in eval mode on one of its two ways out: LoRA dropout stays off in the training that follows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from benchmarks.found_in_the_wild.loading import load

REPO = "Lightning-AI/litgpt"
COMMIT = "26857050fe3ff627cd714fe92f5838f51a3d5efa"
PATH = "litgpt/finetune/lora_legacy.py"
FOUND = {338: "LL304"}

PACKAGES = ["lightning", "lightning_utilities", "torchmetrics", "jsonargparse", "tokenizers", "requests"]


def measure(checkout: Path) -> dict[str, Any]:
    finetune = load(checkout, "litgpt.finetune.lora_legacy", without=PACKAGES)
    torch.manual_seed(0)
    settings = {"n_layer": 2, "n_head": 2, "n_embd": 16, "block_size": 256, "padded_vocab_size": 64}
    config = finetune.Config(**settings, lora_r=8, lora_alpha=16, lora_dropout=0.05, lora_query=True, lora_value=True)
    model = finetune.GPT(config)
    for name, parameter in model.named_parameters():
        if name.endswith("lora_B"):
            torch.nn.init.normal_(parameter)  # zero before the first step
    tokens = torch.randint(0, 64, (2, 32))
    measured: dict[str, Any] = {}
    # The longest example of the training data decides model.max_seq_length; the prompt has 30 tokens, and 100 are to be generated.
    for name, longest in (("long_examples", 256), ("short_examples", 64)):
        model.train()
        model.max_seq_length = longest
        finetune.generate_example(_fabric(), model, _tokenizer(), finetune.EvalArgs(max_new_tokens=100), _data())
        training = [m.training for m in model.modules() if isinstance(m, torch.nn.Dropout)]
        with torch.no_grad():
            differ = (model(tokens) - model(tokens)).abs().max().item()
        measured[f"{name}_dropout_layers_in_train_mode"] = f"{sum(training)} of {len(training)}"
        measured[f"{name}_two_training_forwards_differ"] = differ > 0
    return measured


def _fabric() -> Any:
    return SimpleNamespace(device=torch.device("cpu"), print=lambda *_: None, init_tensor=lambda: torch.device("cpu"))


def _tokenizer() -> Any:
    return SimpleNamespace(encode=lambda *_, **__: torch.randint(0, 64, (30,)), decode=lambda *_: "", eos_id=None)


def _data() -> Any:
    examples = SimpleNamespace(data=[{"instruction": ""}])
    return SimpleNamespace(test_dataset=examples, prompt_style=SimpleNamespace(apply=lambda text: text))
