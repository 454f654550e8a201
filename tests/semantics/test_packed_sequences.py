"""The data of a packed sequence is computed like its input; that of any other tensor has no graph."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence

def train(loader):
    rnn, output = nn.GRU(8, 16), nn.Linear(16, 4)
    rnn_opt = torch.optim.Adam(rnn.parameters())
    output_opt = torch.optim.Adam(output.parameters())
    for x, y, lengths in loader:
        rnn_opt.zero_grad()
        output_opt.zero_grad()
        hidden, _ = rnn(x)
        loss = nn.functional.mse_loss(output(HIDDEN), y)
        loss.backward()
        rnn_opt.step()
        output_opt.step()
"""


def _said(hidden: str) -> list[tuple[str, str]]:
    return [(f.code, f.message.partition(" ")[0]) for f in looplint.lint(PROGRAM.replace("HIDDEN", hidden))]


@pytest.mark.parametrize(
    "hidden",
    [
        "pack_padded_sequence(hidden, lengths).data",
        "pack_padded_sequence(hidden, lengths)[0]",
        "nn.utils.rnn.pack_padded_sequence(hidden, lengths, batch_first=True).data",
        "pack_sequence([hidden]).data",
        "pad_packed_sequence(pack_padded_sequence(hidden, lengths))[0]",
    ],
)
def test_packed_data_has_the_graph_of_its_input(hidden: str) -> None:
    assert _said(hidden) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "hidden.data",
        "pack_padded_sequence(hidden.data, lengths).data",
        "pad_packed_sequence(pack_padded_sequence(hidden, lengths))[0].data",
    ],
)
def test_data_of_a_tensor_has_none(hidden: str) -> None:
    assert _said(hidden) == [("LL107", "rnn_opt.step()")]
