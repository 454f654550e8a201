"""Of an object that is one of several, a method calls what its own class has; conditions that the way it was built rules out leave the others."""

from __future__ import annotations

import pytest

from programs import assert_marked

MODELS = """
        import argparse
        from data import loader
        parser = argparse.ArgumentParser()
        parser.add_argument("--model", default="plain")
        args = parser.parse_args()

        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 2)

            def loss(self, x, y):
                return self.finish(nn.functional.mse_loss(self.layer(x), y))

            def finish(self, loss):
                return loss

        class Eager(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 2)

            def {name}(self, x, y):
                return self.finish(nn.functional.mse_loss(self.layer(x), y))

            def finish(self, loss):
                loss.backward()
                return loss.detach()
"""
TRAINING = """
        if {test}:
            net = Plain()
        else:
            net = Eager()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
"""


def program(name: str, test: str, *body: str) -> str:
    return MODELS.format(name=name) + TRAINING.format(test=test) + "\n".join(f"            {line}" for line in body) + "\n"


CALL, MARKED = "loss = net.loss(x, y)", "optimizer.step()  # expect: LL107"
PROGRAMS = {
    "a method that only one of them has": program("run", "args.model == 'plain'", CALL, MARKED),
    "a method that both have": program("loss", "args.model == 'plain'", CALL, "optimizer.step()"),
    "a method that both have, where one is left": program(
        "loss", "args.model == 'plain'", "if args.model == 'plain':", f"    {CALL}", f"    {MARKED}"
    ),
    "where one is left by a list": program(
        "loss", "args.model in ('plain', 'small')", "if args.model in ['plain', 'tiny']:", f"    {CALL}", "    optimizer.step()"
    ),
    "where the other is ruled out by a list": program(
        "loss", "args.model not in ('eager', 'fast')", "if args.model not in ('eager', 'fast'):", f"    {CALL}", f"    {MARKED}"
    ),
    "where a name is another one": program(
        "loss", "args.model == 'plain'", "if args.kind == 'plain':", f"    {CALL}", "    optimizer.step()"
    ),
    "where a name gets another value": program(
        "loss", "args.model == 'plain'", "if args.model == 'plain':", f"    {CALL}", "    optimizer.step()", "args.model = 'plain'"
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_which_of_several(program: str) -> None:
    assert_marked(program)
