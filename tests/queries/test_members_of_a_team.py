"""A loop of which each turn steps with an optimizer of its own has as many turns as there are optimizers: what is collected there is no record."""

import pytest

from programs import assert_marked

PROGRAM = """
class Agent:
    def __init__(self):
        self.critic = nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def update(self, batch):
        loss = self.critic(batch).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

class Team:
    def __init__(self, count, scaler):
        self.agents = [Agent() for _ in range(count)]
        self.count = count
        self.scaler = scaler
        self.history = []

    def update(self, samples):
        losses = {kept}
        {loop}:
            {turn}
            losses.append(loss){mark}
        return losses

    def train(self, buffer):
        for samples in buffer:
            for loss in self.update(samples):
                print(loss.item())

def main(buffer, count):
    Team(count, torch.amp.GradScaler()).train(buffer)
"""
BY_PLACE = """self.agents[i].optimizer.zero_grad()
            loss = self.agents[i].critic(samples[i]).pow(2).mean()
            loss.backward()
            self.agents[i].optimizer.step()"""
BY_NAME = BY_PLACE.replace(
    "self.agents[i].optimizer.zero_grad()", "agent = self.agents[i]\n            agent.optimizer.zero_grad()"
).replace("self.agents[i].optimizer.step()", "agent.optimizer.step()")
OWN_METHOD = "loss = self.agents[i].update(samples[i])"
EACH = OWN_METHOD.replace("self.agents[i]", "agent").replace("samples[i]", "samples")
GIVEN = BY_PLACE.replace("loss.backward()", "self.scaler.scale(loss).backward()").replace(
    "self.agents[i].optimizer.step()", "self.scaler.step(self.agents[i].optimizer)"
)
COUNTED = "for i in range(self.count)"
CASES = {
    "by its place": (COUNTED, BY_PLACE),
    "by a name": (COUNTED, BY_NAME),
    "given to a scaler": (COUNTED, GIVEN),
    "its own method": (COUNTED, OWN_METHOD),
    "the agents themselves": ("for agent in self.agents", EACH),
    "numbered": ("for i, agent in enumerate(self.agents)", EACH),
}


@pytest.mark.parametrize(("loop", "turn"), CASES.values(), ids=CASES)
def test_what_each_member_gives_is_no_record(loop: str, turn: str) -> None:
    assert_marked(PROGRAM.format(kept="[]", loop=loop, turn=turn, mark=""))


@pytest.mark.parametrize("turn", [BY_PLACE, BY_NAME, OWN_METHOD], ids=["by its place", "by a name", "its own method"])
def test_it_is_one_where_it_outlives_the_update(turn: str) -> None:
    assert_marked(PROGRAM.format(kept="self.history", loop=COUNTED, turn=turn, mark="  # expect: LL401"))


@pytest.mark.parametrize(
    ("loop", "turn"),
    [
        (COUNTED, BY_PLACE.replace("agents[i]", "agents[0]")),
        ("for x in samples", OWN_METHOD.replace("agents[i].update(samples[i])", "agents[0].update(x)")),
        ("for i, x in enumerate(samples)", BY_PLACE.replace("agents[i]", "agents[i % 2]").replace("samples[i]", "x")),
    ],
    ids=["the same in each turn", "with data of the turn", "one of two"],
)
def test_the_losses_of_one_optimizer_are(loop: str, turn: str) -> None:
    assert_marked(PROGRAM.format(kept="[]", loop=loop, turn=turn, mark="  # expect: LL401"))
