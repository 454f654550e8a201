"""`nn.ParameterList` and `nn.ParameterDict`: an optimizer that is given one holds what is in it, also where that belongs to another module."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))

    def groups(self):
        body, rest = nn.ParameterList(), nn.ParameterList()
        for name, param in self.named_parameters():
            if "head" in name:
                rest.append(param)
            else:
                body.append(param)
        return body, rest


net = Net()
mine = nn.ParameterList([nn.Parameter(torch.zeros(2)) for _ in range(2)])
{made}
opt = torch.optim.SGD({given}, lr=0.1)
for x, y in loader:
    loss = nn.functional.cross_entropy(net(x){added}, y)
    opt.zero_grad()
    {backward}
    opt.step(){expected}
"""


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("body, rest = net.groups()", "[{'params': body, 'lr': 0.01}, {'params': rest}]"),
        ("held = nn.ParameterList(net.parameters())", "held"),
        ("held = nn.ParameterList()\nheld.extend(net.parameters())", "held.parameters()"),
        ("held = nn.ParameterList()\nheld += [p for p in net.parameters() if p.requires_grad]", "held"),
    ],
    ids=["groups", "all", "extended", "added"],
)
def test_a_list_of_what_a_model_has(made: str, given: str) -> None:
    def program(backward: str, expected: str) -> str:
        return PROGRAM.format(made=made, given=given, added="", backward=backward, expected=expected)

    assert_marked(program("print(loss.item())", "  # expect: LL107"))
    assert_marked(program("loss.backward()", ""))


def test_a_list_of_parameters_of_its_own() -> None:
    def program(backward: str, expected: str) -> str:
        return PROGRAM.format(made="", given="mine", added=" + mine[0]", backward=backward, expected=expected)

    assert_marked(program("loss.backward()", ""))
