"""What torch takes as the lengths of sequences are whole numbers: what is counted of them has no graph."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, unpad_sequence

class Meter:
    def __init__(self):
        self.count = 0

    def update(self, n):
        self.count += n

def train(loader, decoder: nn.Module, optimizer):
    decoder.train()
    meter = Meter()
    count = 0
    for x, y in loader:
        scores, lengths = decoder(x)
        PACKED
        loss = nn.functional.cross_entropy(packed, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ADDED
"""


def _added_up(packed: str, added: str) -> list[str]:
    found = looplint.lint(PROGRAM.replace("PACKED", packed).replace("ADDED", added))
    return [f.message.partition(" ")[0] for f in found if f.code == "LL402"]


@pytest.mark.parametrize(
    "packed",
    [
        "packed = pack_padded_sequence(scores, lengths, batch_first=True).data",
        "packed = nn.utils.rnn.pack_padded_sequence(scores, lengths=lengths.cpu(), enforce_sorted=False).data",
        "packed = torch.cat(unpad_sequence(scores, lengths))",
    ],
)
@pytest.mark.parametrize("added", ["count += sum(lengths)", "meter.update(sum(lengths))", "meter.update(loss.item() * sum(lengths))"])
def test_lengths_are_added_up(packed: str, added: str) -> None:
    assert _added_up(packed, added) == []


@pytest.mark.parametrize(
    ("packed", "added"),
    [
        ("packed = pack_padded_sequence(scores, lengths).data", "count += loss"),
        ("packed = pack_padded_sequence(scores, lengths).data", "count += loss * sum(lengths)"),
        ("packed = pack_padded_sequence(scores, [4] * len(x)).data", "count += sum(lengths)"),
        ("packed = pack_padded_sequence(scores, lengths.long()).data", "count += sum(lengths)"),
        ("packed = scores", "count += sum(lengths)"),
    ],
)
def test_what_else_is_added_up_has_its_graph(packed: str, added: str) -> None:
    assert _added_up(packed, added) == ["count"]
