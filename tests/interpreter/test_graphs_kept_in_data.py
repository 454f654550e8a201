"""What a model puts out may be written into the batch, or another object out of sight: what is read from that later has its graph."""

from __future__ import annotations

import pytest

from programs import assert_marked

TWICE = """
summary, actor, critic = nn.Linear(8, 8), nn.Linear(8, 2), nn.Linear(8, 1)
of_actor = torch.optim.SGD(actor.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
for batch in loader:
    {written}
    of_actor.zero_grad()
    actor({read}).mean().backward(retain_graph=True){mark}
    of_actor.step()
    of_critic.zero_grad()
    critic({read}).mean().backward()
    of_critic.step()
"""
IN_METHODS = """
class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.summary, self.actor, self.critic = nn.Linear(8, 8), nn.Linear(8, 2), nn.Linear(8, 1)
        self.of_actor = torch.optim.SGD(self.actor.parameters(), lr=0.1)
        self.of_critic = torch.optim.SGD(self.critic.parameters(), lr=0.1)

    def learn(self, buffer):
        for turn in range(10):
            self.learn_batch(self.preprocess(buffer.sample(32)))

    def preprocess(self, batch):
        batch.state = self.summary(batch.state)
        return batch

    def learn_batch(self, batch):
        self.of_actor.zero_grad()
        self.actor(batch.state).mean().backward(retain_graph=True)
        self.of_actor.step()
        self.of_critic.zero_grad()
        self.critic(batch.state).mean().backward()
        self.of_critic.step()
"""
WRITTEN = {
    "an attribute": ("batch.state = summary(batch.state)", "batch.state"),
    "an attribute of an attribute": ("batch.first = summary(batch.first)", "batch.first.features"),
    "an entry": ("batch['state'] = summary(batch['state'])", "batch['state']"),
    "under a condition": ("if len(batch) > 1:\n        batch.state = summary(batch.state)", "batch.state"),
}


@pytest.mark.parametrize(("written", "read"), WRITTEN.values(), ids=WRITTEN)
def test_a_graph_that_lies_in_the_batch_serves_twice(written: str, read: str) -> None:
    assert_marked(TWICE.format(written=written, read=read, mark=""))


def test_a_graph_that_a_method_leaves_in_the_batch_serves_twice() -> None:
    assert_marked(IN_METHODS)


@pytest.mark.parametrize("written", ["batch.state = summary(batch.state).detach()", "batch.state = batch.state.float()", "pass"])
def test_a_batch_without_a_graph_leaves_the_graphs_apart(written: str) -> None:
    assert_marked(TWICE.format(written=written, read="batch.state", mark="  # expect: LL110"))


OUT_OF_SIGHT = """
class Learner:
    def __init__(self, network, optimizer):
        self.network = network
        if optimizer is not None:
            self.optimizer = optimizer
        else:
            self.optimizer = torch.optim.AdamW(self.network.parameters())

    def set_memory(self, memory: nn.Module):
        self.optimizer.add_param_group({"params": memory.parameters()})
        self.memory = memory

    def learn(self, buffer):
        for turn in range(10):
            batch = buffer.sample(32)
            batch.state = self.memory(batch.state)
            self.learn_batch(batch)

    def learn_batch(self, batch):
        loss = self.network.distance(batch.action).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""


def test_an_optimizer_out_of_sight_holds_more_than_it_is_given() -> None:
    assert_marked(OUT_OF_SIGHT)
