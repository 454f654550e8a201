"""A method of a module out of sight whose name says that it gives a size applies the module to nothing."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from parts import make_encoder

def train(groups, loader):
    encoder = make_encoder(groups)
    encoder.eval()
    total = 0
    for key, shape in groups.items():
        {}
    head = nn.Linear(total, 2)
    optimizer = torch.optim.SGD(list(encoder.parameters()) + list(head.parameters()), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(encoder(x)), y).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    "call",
    [
        "output_shape(shape)[0]",
        "parts[key].feature_size(shape).item()",
        "out_dim(shape)",
        "num_channels(key)",
        "format_state_key(key)",
        "rename_keys(key)",
        "tokenizer.get_special_tokens_mask(shape)[0]",
        "tokenizer.convert_tokens_to_ids(key)",
        "processor.batch_decode(shape)[0]",
    ],
)
def test_a_size_is_no_output(call: str) -> None:
    text = PROGRAM.format(f"total += int(encoder.{call})")
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL303", "LL402")] == []


def test_an_output_is_one() -> None:
    text = PROGRAM.format("total += int(encoder.encode(torch.zeros(shape)).sum().item())")
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL303", "LL402")] == ["LL303"]


ANSWERS = """\
import torch
from torch import nn
from transformers import T5PreTrainedModel


class Answering(T5PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.head = nn.Linear(8, 8)

    def forward(self, input_ids, given, mask=None):
        return self.head(given)


def evaluate(model, loader):
    model.eval()
    right = 0
    for x, y in loader:
        given = {}
        logits = model(x, given)
        right += (logits.argmax(1) == y).sum().item()
    print(right)


model = Answering.from_pretrained("t5-small")
optimizer = torch.optim.Adam(model.parameters())
loader = torch.load("batches.pt")
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x, x), y).backward()
    optimizer.step()
evaluate(model, loader)
"""


@pytest.mark.parametrize(
    ("made", "row"),
    [
        ("model._shift_right(x)", 20),
        ("model.prepare_decoder_input_ids_from_labels(labels=y)", 20),
        ("model.get_extended_attention_mask(x, x.shape)", 20),
        ("model.create_position_ids(x)", 20),
        ("model.encode(x)", 19),
    ],
)
def test_ids_and_masks_are_no_outputs(made: str, row: int) -> None:
    found = [f for f in looplint.lint(ANSWERS.format(made), isolated=True) if f.code == "LL303"]
    assert [f.location.row for f in found] == [row]
