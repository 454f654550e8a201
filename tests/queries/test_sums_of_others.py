"""LL402: a sum on an object that another function of the text sends backward keeps its graph for that one, though this program does not run it."""

from __future__ import annotations

import pytest

from programs import assert_marked

CONTROLLER = """
class Field:
    def __init__(self, name, total):
        self.name, self.total = name, total

class Controller(nn.Module):
    def __init__(self, fields):
        super().__init__()
        self.fields = fields
        self.soft = nn.ModuleDict({field.name: nn.Linear(4, field.total) for field in fields})

    def resample(self):
        self.log_prob = 0
        self.penalty = 0
        result = {}
        for field in self.fields:
            result[field.name] = self.sample(field)
        return result

    def sample(self, field):
        logit = self.soft[field.name](torch.ones(1, 4))
        ADDS
        self.log_prob += logit.mean()
        return logit.argmax().item()

class Plain:
    def search(self, space, epochs):
        self.model = space
        self.controller = Controller([Field(name, 3) for name in space.names])
        self.opt = torch.optim.Adam(self.controller.parameters())
        for epoch in range(epochs):
            for step in range(20):
                choice = self.controller.resample()
                loss = self.controller.log_prob * self.model.reward(choice)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()

OTHER

search = Plain()
search.search(space, 10)
"""
ADDS = ("self.penalty += logit.sum()", "self.penalty = self.penalty + logit.sum()")
PENALISED = """
class Penalised:
    def train(self, controller):
        controller.resample()
        loss = controller.log_prob
        SENT
"""


def program(adds: str, sent: str, mark: str = "") -> str:
    other = PENALISED.replace("SENT", sent.replace("\n", "\n        "))
    return CONTROLLER.replace("ADDS", f"{adds}{mark}").replace("OTHER", other)


@pytest.mark.parametrize("adds", ADDS)
@pytest.mark.parametrize(
    "sent",
    [
        "loss += 0.1 * controller.penalty\nloss.backward()",
        "total = loss + controller.penalty\ntotal = total / 2\ntotal.backward()",
        "(loss + controller.penalty).backward()",
        "accelerator.backward(loss + controller.penalty)",
    ],
)
def test_what_another_function_sends_backward(adds: str, sent: str) -> None:
    assert_marked(program(adds, f"{sent}"))


@pytest.mark.parametrize("adds", ADDS)
@pytest.mark.parametrize(
    "read",
    [
        "print(controller.penalty)\nloss.backward()",
        "loss += controller.penalty.item()\nloss.backward()",
        "total = loss + controller.penalty\nloss.backward()\nprint(total.item())",
        "controller.log_prob.backward()",
    ],
)
def test_what_others_only_read(adds: str, read: str) -> None:
    assert_marked(program(adds, read, "  # expect: LL402"))
