"""LL301 and a model that a library builds in eval mode: where the program validates in the loop, it is not meant to train in that mode."""

from __future__ import annotations

import pytest

import looplint
from tests.programs import assert_marked

PROGRAM = """
import torch
from transformers import AutoModelForSequenceClassification


def evaluate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for batch in loader:
            right += (model(**batch).logits.argmax(-1) == batch["labels"]).sum().item()
    return right


def train(args, loader, valid):
    model = AutoModelForSequenceClassification.from_pretrained(args.name)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for epoch in range(args.epochs):
        {first}
        for step, batch in enumerate(loader):
            loss = model(**batch).loss{expected}
            opt.zero_grad()
            loss.backward()
            opt.step()
            {often}
        {last}
    {after}
"""
NOTHING = {"first": "pass", "often": "pass", "last": "pass", "after": "pass", "expected": ""}
LEFT_ON = "  # expect: LL301"


@pytest.mark.parametrize(
    "parts",
    [
        {"often": "if step % args.every == 0 and args.validates: print(evaluate(model, valid))", "expected": LEFT_ON},
        {"last": "if args.validates: print(evaluate(model, valid))", "expected": LEFT_ON},
        {"last": "print(evaluate(model, valid))", "expected": LEFT_ON},
        {"first": "model.train()", "last": "if args.validates: print(evaluate(model, valid))"},
        {"often": "if step % args.every == 0: print(evaluate(model, valid)); model.train()"},
        {"after": "print(evaluate(model, valid))"},
    ],
    ids=["after some batches", "after some epochs", "after each epoch", "train in each epoch", "train after it", "after the training"],
)
def test_a_validation_in_the_loop(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**NOTHING, **parts}))


@pytest.mark.parametrize("part", ["often", "last"])
def test_its_repair_calls_the_model(part: str) -> None:
    program = PROGRAM.format(**{**NOTHING, part: "if args.validates: print(evaluate(model, valid))"})
    fixed = looplint.fix(program, isolated=True)
    assert "    model.train()\n" in fixed.text
    assert [f.code for f in looplint.lint(fixed.text, isolated=True) if f.code in ("LL301", "LL304")] == []


TRAINED = """
import torch
import transformers
from transformers import BertForSequenceClassification, GPT2LMHeadModel, LlamaForCausalLM, T5ForConditionalGeneration, XLMRobertaModel


def tune(loader, name, freeze):
    model = {built}
    {before}
    opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for epoch in range(3):
        for batch in loader:
            {turn}
            loss = model(**batch).loss{expected}
            opt.zero_grad()
            loss.backward()
            opt.step()
"""


@pytest.mark.parametrize(
    "built",
    [
        "BertForSequenceClassification.from_pretrained(name, num_labels=3)",
        "GPT2LMHeadModel.from_pretrained(name).cuda()",
        "torch.nn.DataParallel(T5ForConditionalGeneration.from_pretrained(name))",
        "transformers.XLMRobertaModel.from_pretrained(name)",
    ],
)
def test_a_model_that_drops_is_put_into_train_mode_by_nothing(built: str) -> None:
    assert_marked(TRAINED.format(built=built, before="pass", turn="pass", expected=LEFT_ON))
    assert_marked(TRAINED.format(built=built, before="model.train()", turn="pass", expected=""))
    assert_marked(TRAINED.format(built=built, before="pass", turn="model.train()", expected=""))


@pytest.mark.parametrize(
    ("built", "before"),
    [
        ("LlamaForCausalLM.from_pretrained(name)", "pass"),
        ("BertForSequenceClassification.from_pretrained(name, hidden_dropout_prob=0.0)", "pass"),
        ("BertForSequenceClassification.from_pretrained(name)", "model.train(not freeze)"),
        ("BertForSequenceClassification.from_pretrained(name)", "model.eval()"),
        ("BertForSequenceClassification(transformers.BertConfig())", "pass"),
    ],
    ids=["drops nothing", "told to drop nothing", "by an option", "on purpose", "built anew"],
)
def test_a_model_that_is_in_train_mode_or_need_not_be(built: str, before: str) -> None:
    assert_marked(TRAINED.format(built=built, before=before, turn="pass", expected=""))
