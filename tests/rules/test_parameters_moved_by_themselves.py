"""LL503 and a parameter: its module takes it along, and takes no plain tensor in its place."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

PROGRAM = """
class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        {built}
        self.w.to(device){expected}

    def forward(self, x):
        return x @ self.w
"""


@pytest.mark.parametrize(
    "built",
    [
        "self.w = nn.Parameter(torch.zeros(3, 3))",
        "self.w = nn.init.xavier_normal_(nn.Parameter(torch.zeros(3, 3)))",
        "self.w = nn.init.kaiming_uniform_(nn.Parameter(torch.FloatTensor(3, 3)), a=5)",
        "w = nn.Parameter(torch.zeros(3, 3)); self.w = w",
    ],
    ids=["built there", "drawn by an initializer", "drawn with an argument", "by another name"],
)
def test_it_is_advice_and_not_repaired(built: str) -> None:
    program = PROGRAM.format(built=built, expected="  # expect: LL503")
    assert_marked(program, advice=True)
    assert_marked(PROGRAM.format(built=built, expected=""))
    text = f"import torch\nfrom torch import nn\n{program}"
    assert looplint.fix(text, isolated=True, unsafe=True).text == text


def test_a_buffer_is_assigned() -> None:
    program = PROGRAM.format(built="self.w = torch.zeros(3, 3)", expected="  # expect: LL503")
    assert_marked(program)
    assert "self.w = self.w.to(device)" in looplint.fix(f"import torch\nfrom torch import nn\n{program}", isolated=True).text
