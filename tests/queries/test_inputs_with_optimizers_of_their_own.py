"""A search for inputs goes backward through a network, and several optimizers of the inputs step behind it, one after the other: nothing of the network's is missing (LL106)."""

import pytest

from programs import assert_marked

_SEARCH = """
class Planner:
    def __init__(self, count):
        self.count = count
        self.critic = nn.Linear(2, 1)
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def refine(self, data):
        actions = list(torch.split(data, 1, dim=0))
        for i in range(self.count):
            actions[i].requires_grad = True
        optims = []
        for i in range(self.count):
            optims.append(torch.optim.Adam((actions[i],), lr=0.1))
        for _ in range(30):
            loss = self.critic(torch.cat(actions)).mean()
            {clear}
            loss.backward()
            {step}
        return torch.cat(actions)


planner = Planner(4)
planner.critic.load_state_dict(torch.load("critic.pt", map_location="cpu"))
for data in batches:
    print(planner.refine(data))
"""


@pytest.mark.parametrize(
    ("clear", "step"),
    [
        pytest.param("for i in range(4): optims[i].zero_grad()", "for i in range(4): optims[i].step()", id="by their numbers"),
        pytest.param("for each in optims: each.zero_grad()", "for each in optims: each.step()", id="as they are"),
        pytest.param("[each.zero_grad() for each in optims]", "[each.step() for each in optims]", id="in a list"),
        pytest.param(
            "for i in data.nonzero()[:, 0]: optims[i].zero_grad()", "for i in data.nonzero()[:, 0]: optims[i].step()", id="some of them"
        ),
        pytest.param("optims[0].zero_grad()", "optims[0].step()", id="one"),
    ],
)
def test_is_quiet_where_the_inputs_are_stepped(clear: str, step: str) -> None:
    assert_marked(_SEARCH.format(clear=clear, step=step))


def test_reports_a_network_that_nothing_steps() -> None:
    program = _SEARCH.format(clear="self.optimizer.zero_grad()", step="pass").replace("loss.backward()", "loss.backward()  # expect: LL106")
    optimizers = program[program.index("        optims = []") : program.index("        for _ in")]
    assert_marked(program.replace(optimizers, "").replace("actions[i].requires_grad = True", "pass"))


def test_reports_a_generator_beside_a_critic_that_steps_in_a_loop_of_its_own() -> None:
    assert_marked(
        """
        generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
        opt_g = torch.optim.Adam(generator.parameters())
        opt_c = torch.optim.Adam(critic.parameters())
        for real in batches:
            for _ in range(5):
                opt_c.zero_grad()
                loss = critic(generator(torch.randn(8, 2)).detach()).mean() - critic(real).mean()
                loss.backward()
                opt_c.step()
            loss = -critic(generator(torch.randn(8, 2))).mean()
            loss.backward()  # expect: LL106
        """
    )
