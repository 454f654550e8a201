"""The losses that straight-line code appends to an empty `nn.ModuleList` are known by their numbers, and those that a branch or a loop adds are not."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
def train(criteria, loader, net, optimizer):
    first = criteria[0]
    for x, y in loader:
        optimizer.zero_grad()
        loss = first(net(x).softmax(dim=-1), y)MARKED
        loss.backward()
        optimizer.step()


def main(loader, options):
    net = nn.DataParallel(nn.Linear(3, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    hard, soft = nn.CrossEntropyLoss(), nn.KLDivLoss(reduction="batchmean")
    FILLED
    train(criteria, loader, net, optimizer)
"""


def _assert(filled: str, marked: str) -> None:
    assert_marked(PROGRAM.replace("FILLED", filled.replace("\n", "\n    ")).replace("MARKED", marked))


@pytest.mark.parametrize(
    "filled",
    [
        "criteria = nn.ModuleList([])\ncriteria.append(hard)\ncriteria.append(soft)\ncriteria.cuda()",
        "criteria = nn.ModuleList()\ncriteria.append(hard)\ncriteria.append(hard)",
        "criteria = nn.ModuleList([])\ncriteria.append(nn.CrossEntropyLoss())\ncriteria.append(soft)\ncriteria.append(nn.MSELoss())",
    ],
)
def test_the_loss_under_a_number_is_known(filled: str) -> None:
    _assert(filled, "  # expect: LL701")


@pytest.mark.parametrize(
    "filled",
    [
        "criteria = nn.ModuleList([])\ncriteria.append(nn.NLLLoss())\ncriteria.append(hard)",
        "criteria = nn.ModuleList([])\nif options.soft:\n    criteria.append(soft)\ncriteria.append(hard)",
        "criteria = nn.ModuleList([])\nfor loss in options.losses:\n    criteria.append(loss)\ncriteria.append(hard)",
        "criteria = nn.ModuleList([])\ncriteria.append(hard)\ncriteria.insert(0, nn.NLLLoss())",
        "criteria = nn.ModuleList([])\ncriteria.append(options.loss)\ncriteria.append(hard)",
    ],
)
def test_another_one_is_not_taken_for_it(filled: str) -> None:
    _assert(filled, "")
