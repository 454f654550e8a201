"""Where tensors take the place of a model's parameters, its loss goes backward to what the tensors were made of (LL107)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import copy

class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.criterion = nn.MSELoss()

    def forward(self, x):
        return self.body(x)

    def take(self, weights):
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                {taken}

def main(loader):
    first = Learner()
    learner = copy.deepcopy(first)
    meta = nn.LSTMCell(3, 9)
    optimizer = torch.optim.Adam(meta.parameters(), lr=0.1)
    for x, y in loader:
        learner.take(meta(x)[0][0].view(3, 3))
        loss = learner.criterion(learner(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step(){mark}

main(torch.utils.data.DataLoader(data, shuffle=True))
"""


@pytest.mark.parametrize(
    "taken",
    ['layer._parameters["weight"] = weights', 'layer._parameters["weight"] = weights.view_as(layer._parameters["weight"]).clone()'],
)
def test_the_step_may_have_gradients(taken: str) -> None:
    assert_marked(PROGRAM.replace("{taken}", taken).replace("{mark}", ""))


def test_the_step_has_none_where_the_parameters_are_the_models_own() -> None:
    assert_marked(PROGRAM.replace("{taken}", "layer.weight.data.copy_(weights)").replace("{mark}", "  # expect: LL107"))
