"""A method that is not followed to its end leaves the attributes of its object that no method which it calls on that sets: `self.feedback` stays "argmax"."""

import pytest

from programs import assert_marked

PROGRAM = """
class Agent:
    def __init__(self, env):
        self.env = env
        self.actor = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
        self.critic = nn.Sequential(nn.Linear(4, 1), nn.Dropout(0.5))
        self.optimizer = torch.optim.Adam([*self.actor.parameters(), *self.critic.parameters()])
        self.feedback = "sample"

    {move}

    def note(self, kind):
        {note}

    def rollout(self, train_rl=True):
        if self.feedback == "argmax":
            train_rl = False
        state, values = self.env.reset(), []
        for t in range(10):
            logits = self.actor(state){actor}
            self.move(logits.argmax(-1).tolist(), "left")
        if train_rl:
            rewards = [float(r) + self.critic(state).item() for r in self.env.rewards]{scored}
            for reward in rewards:
                value = self.critic(state).mean(){mark}
                self.loss += logits.mean() * (reward - value.detach()) + (reward - value) ** 2

    def test(self):
        self.feedback = "argmax"
        self.actor.eval()
        self.critic.eval()
        self.loss = 0
        while True:
            self.rollout()
            self.loss = 0
            if self.env.done:
                break

    def train(self, count):
        self.feedback = "sample"
        self.actor.train()
        self.critic.train()
        for i in range(count):
            self.optimizer.zero_grad()
            self.loss = 0
            self.rollout()
            self.loss.backward()
            self.optimizer.step()

def main(env, others, rounds):
    agent = Agent(env)
    for number in range(rounds):
        agent.env = env
        agent.train(100)
        for name, other in others.items():
            agent.env = other
            agent.test()
"""


MOVE = """def move(self, actions, kind):
        if actions:
            {turn}
            self.move(actions[1:], kind)"""
NESTED = """def act(name):
                self.env.act(name, self.speed)
            act(kind)"""


def _program(turn: str, note: str, *reported: str) -> str:
    """The program, in which some forwards of the test are reported: those that nothing trains build graphs."""
    codes = {"actor": "LL303", "scored": "LL303", "mark": "LL301"}
    marks = {place: f"  # expect: {code}" if place in reported else "" for place, code in codes.items()}
    return PROGRAM.format(move=MOVE.format(turn=turn), note=note, **marks)


@pytest.mark.parametrize(
    ("turn", "note"),
    [
        ("self.env.act(actions[0])", "pass"),
        ("self.note(kind)", "self.kind = kind"),
        ("self.seen = self.note", "self.kind, self.last[kind] = kind, 0"),
        (NESTED, "pass"),
        ("self.actor.feedback = kind", "pass"),
    ],
    ids=["nothing", "another attribute", "not called", "in a function within", "of another object"],
)
def test_what_no_method_on_the_way_sets_stays(turn: str, note: str) -> None:
    assert_marked(_program(turn, note, "actor"))


@pytest.mark.parametrize(
    ("turn", "note"),
    [
        ("self.feedback = kind", "pass"),
        ("self.note(kind)", "self.feedback = kind"),
        ("self.seen = [self.note]", "self.seen, self.feedback = 0, kind"),
        (NESTED.replace("self.env.act(name, self.speed)", "self.feedback = name"), "pass"),
    ],
    ids=["itself", "in another method", "in one that is kept", "in a function within"],
)
def test_what_one_sets_does_not(turn: str, note: str) -> None:
    assert_marked(_program(turn, note, "actor", "scored"))


@pytest.mark.parametrize("turn", ["record(self)", "setattr(self, kind, 0)", "self.__dict__.update(kind=kind)"])
def test_nothing_stays_where_the_object_is_handed_on(turn: str) -> None:
    assert_marked(_program(turn, "pass", "scored", "mark"))
