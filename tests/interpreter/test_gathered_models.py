"""A container that only gathers models for their parameters is nothing that runs: an optimizer holds what stands in it, by whatever wrapper that is called."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Temporal(nn.Module):
    def __init__(self, agent):
        super().__init__()
        self.agent = agent
    def forward(self, x):
        return self.agent(x)

def run(loader, held_out):
    policy, critic = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)), nn.Linear(3, 1)
    {built}
    for epoch in range(9):
        {begun}
        for x, y in loader:
            loss = nn.functional.mse_loss(acting(x), y) + judging(x).mean(){trained}
            optimizer.zero_grad()
            {backward}
            optimizer.step(){mark}
        acting.eval()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(acting(x), y).item() for x, y in held_out))
"""
WRAPPED = "acting, judging = Temporal(policy), Temporal(critic)"
BUILT = {
    "wrapped before": f"{WRAPPED}\n    optimizer = torch.optim.Adam(nn.Sequential(policy, critic).parameters(), lr=0.1)",
    "wrapped after": f"optimizer = torch.optim.Adam(nn.ModuleList([policy, critic]).parameters(), lr=0.1)\n    {WRAPPED}",
    "a name in between": f"{WRAPPED}\n    parameters = nn.ModuleList([policy, critic]).parameters()\n    optimizer = torch.optim.Adam(parameters, lr=0.1)",
    "a container with a name": f"{WRAPPED}\n    both = nn.ModuleDict(dict(policy=policy, critic=critic))\n    optimizer = torch.optim.Adam(both.parameters(), lr=0.1)",
}
RIGHT = {"begun": "acting.train()", "backward": "loss.backward()", "mark": "", "trained": ""}


@pytest.mark.parametrize("name", BUILT)
def test_its_parts_are_trained(name: str) -> None:
    def program(**changed: str) -> str:
        return PROGRAM.format(built=BUILT[name], **RIGHT | changed)

    assert_marked(program())
    assert_marked(program(backward="print(loss.item())", mark="  # expect: LL107"))
    assert_marked(program(begun="pass", trained="  # expect: LL301"))


def test_a_container_that_runs_is_the_model() -> None:
    program = """
    def run(loader, epochs):
        net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.Linear(3, 1))
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        for epoch in range(epochs):
            for x, y in loader:
                optimizer.zero_grad()
                print(nn.functional.mse_loss(net(x), y).item())
                optimizer.step()  # expect: LL107
    """
    assert_marked(program)
