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


FIELD = """\
import torch
from registry import build


def render(model, rays):
    count = model.samples(rays)
    return {used}


def fit(config, loader, held_out, epochs):
    field = build(config)
    optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
    field.train()
    for step, rays in enumerate(loader):
        optimizer.zero_grad()
        (render(field, rays) - rays).pow(2).mean().backward()
        optimizer.step()
        if step % 1000 == 0:
            field.eval()
            with torch.no_grad():
                print((render(field, held_out) - held_out).pow(2).mean().item())
"""


@pytest.mark.parametrize(
    "used", ["model.density(rays, count)", "model.color(model.density(rays, count))", "model.field.points(rays) * count"]
)
def test_methods_out_of_sight_have_no_mode_that_is_left_on(used: str) -> None:
    text = FIELD.format(used=used)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL301", "LL304")] == []


@pytest.mark.parametrize("used", ["model(rays)", "model.density(rays) + model(rays)", "model.color_loss(rays)"])
def test_a_model_out_of_sight_that_is_applied_has_one(used: str) -> None:
    text = FIELD.format(used=used)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL301", "LL304")] == ["LL304"]
