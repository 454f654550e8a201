"""A part of a model out of sight that the program moves or switches is a module: a pass of it in eval mode needs no graph. Another may be a method."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn
from transformers import LlamaForCausalLM, ViTForImageClassification


def perplexity(model, hidden, labels, count: int):
    {shown}
    losses = []
    for i in range(count):
        logits = {applied}
        losses.append(nn.functional.cross_entropy(logits[0], labels[i]))
    print(torch.stack(losses).sum().item())


model = {made}
model.eval()
perplexity(model, torch.load("hidden.pt"), torch.load("labels.pt"), 128)
"""
LLAMA = "LlamaForCausalLM.from_pretrained('llama')"


def codes(shown: str, applied: str, made: str = LLAMA) -> list[str]:
    return [f.code for f in looplint.lint(SCRIPT.format(shown=shown, applied=applied, made=made), isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(
    ("shown", "applied", "made"),
    [
        ("model.lm_head = model.lm_head.to('cuda')", "model.lm_head(hidden[i].unsqueeze(0))", LLAMA),
        ("head = model.lm_head.cuda()", "head(hidden[i].unsqueeze(0))", LLAMA),
        ("model.classifier.eval()", "model.classifier(hidden[i][None])", "ViTForImageClassification.from_pretrained('vit')"),
    ],
)
def test_what_is_moved_or_switched_is_a_module(shown: str, applied: str, made: str) -> None:
    assert codes(shown, applied, made) == ["LL303"]


@pytest.mark.parametrize(
    ("shown", "applied"),
    [
        ("pass", "model.lm_head(hidden[i].unsqueeze(0))"),
        ("model.to('cuda')", "model.score(hidden[i].unsqueeze(0))"),
        ("model.lm_head.cuda(); torch.set_grad_enabled(False)", "model.lm_head(hidden[i].unsqueeze(0))"),
        ("model.lm_head.cuda().requires_grad_(False)", "model.lm_head(hidden[i].unsqueeze(0))"),
    ],
)
def test_others_are_left_alone(shown: str, applied: str) -> None:
    assert codes(shown, applied) == []
