"""LL106: the optimizer of a target network, which is given the state of the model that another optimizer steps on, needs no step."""

from __future__ import annotations

import pytest

from programs import assert_marked

AGENT = """
    class QNetwork(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)
            self.optimizer = torch.optim.Adam(self.parameters())

        def forward(self, x):
            return self.fc(x)

    class Agent:
        def __init__(self):
            self.q_eval, self.q_next = QNetwork(), QNetwork()
            self.steps = 0

        def learn(self, x, reward, after):
            self.q_eval.optimizer.zero_grad()
            {cleared}
            if self.steps % 100 == 0:
                self.q_next.load_state_dict({state})
            target = reward + 0.99 * self.q_next(after).max(dim=1)[0]
            nn.functional.mse_loss(self.q_eval(x).max(dim=1)[0], target).backward(){found}
            {stepped}
            self.steps += 1

    agent = Agent()
    for step in range(1000):
        agent.learn(torch.randn(8, 4), torch.randn(8), torch.randn(8, 4))
"""
FUNCTION = """
    def train(online, target, batches):
        opt, opt_target = torch.optim.Adam(online.parameters()), torch.optim.Adam(target.parameters())
        {before}
        for x, reward, after in batches:
            opt.zero_grad()
            opt_target.zero_grad()
            nn.functional.mse_loss(online(x), reward + target(after)).backward(){found}
            opt.step()
            {synced}
"""
CLEARED = {"not cleared": "pass", "cleared": "self.q_next.optimizer.zero_grad()"}
SYNCED = {
    "copied": "target.load_state_dict(online.state_dict())",
    "mixed": "target.load_state_dict({k: 0.9 * v + 0.1 * online.state_dict()[k] for k, v in target.state_dict().items()})",
}


@pytest.mark.parametrize("cleared", CLEARED.values(), ids=CLEARED)
def test_a_target_that_one_class_builds(cleared: str) -> None:
    state, stepped = "self.q_eval.state_dict()", "self.q_eval.optimizer.step()"
    assert_marked(AGENT.format(cleared=cleared, state=state, stepped=stepped, found=""))
    assert_marked(AGENT.format(cleared=cleared, state=state, stepped="pass", found="  # expect: LL106"))


@pytest.mark.parametrize("synced", SYNCED.values(), ids=SYNCED)
def test_a_target_beside_the_other_optimizer(synced: str) -> None:
    assert_marked(FUNCTION.format(before="pass", synced=synced, found=""))


def test_a_model_that_only_begins_as_another_one() -> None:
    assert_marked(FUNCTION.format(before=SYNCED["copied"], synced="pass", found="  # expect: LL106"))


def test_what_is_restored_from_a_file() -> None:
    restored = 'target.load_state_dict(torch.load("best.pt", map_location="cpu"))'
    assert_marked(FUNCTION.format(before="pass", synced=restored, found="  # expect: LL106"))


def test_a_client_that_gets_the_state_of_a_server_which_nothing_steps_on() -> None:
    assert_marked("""
        def train(server, client, batches):
            opt = torch.optim.SGD(client.parameters(), lr=0.1)
            for round in range(10):
                client.load_state_dict(server.state_dict())
                for x, y in batches:
                    opt.zero_grad()
                    nn.functional.mse_loss(client(x), y).backward()  # expect: LL106
                server.load_state_dict(client.state_dict())
    """)
