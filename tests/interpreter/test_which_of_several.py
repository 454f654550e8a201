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


ENGINES = """
        class PlainEngine:
            def run(self, net, optimizer):
                for x, y in loader:
                    optimizer.zero_grad()
                    loss = net.loss(x, y)
                    optimizer.step()  # expect: LL107

        class EagerEngine:
            def run(self, net, optimizer):
                for x, y in loader:
                    optimizer.zero_grad()
                    loss = net.loss(x, y)
                    optimizer.step()

        {change}
        if args.model == "plain":
            net = Plain()
            engine = PlainEngine()
        else:
            net = Eager()
            engine = EagerEngine()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        engine.run(net, optimizer)
"""


def test_what_is_built_beside_an_object_is_what_its_methods_are_given() -> None:
    assert_marked(MODELS.format(name="loss") + ENGINES.format(change=""))


def test_it_may_be_another_one_where_the_condition_does_not_last() -> None:
    assert_marked((MODELS.format(name="loss") + ENGINES.format(change="args.model = args.other")).replace("  # expect: LL107", ""))


def test_each_engine_has_its_own_kind_of_model() -> None:
    """A model that differentiates something in its forward needs its graph in an evaluation too; the one beside it does not."""
    assert_marked("""
        import argparse
        from data import train, valid
        parser = argparse.ArgumentParser()
        parser.add_argument("--model", default="plain")

        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 1)

            def forward(self, x):
                return self.layer(x)

        class Forces(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 1)

            def forward(self, x):
                x.requires_grad_(True)
                return torch.autograd.grad(self.layer(x).sum(), x, create_graph=True)[0]

        class Engine:
            def fit(self, net, optimizer):
                for epoch in range(9):
                    net.train()
                    for x, y in train:
                        optimizer.zero_grad()
                        nn.functional.mse_loss(net(x), y).backward()
                        optimizer.step()
                    self.validate(net)

        class PlainEngine(Engine):
            def validate(self, net):
                net.eval()
                for x, y in valid:
                    print(nn.functional.mse_loss(net(x), y).item())  # expect: LL303

        class ForcesEngine(Engine):
            def validate(self, net):
                net.eval()
                for x, y in valid:
                    print(nn.functional.mse_loss(net(x), y).item())

        def main(args):
            if args.model == "plain":
                net = Plain()
                engine = PlainEngine()
            elif args.model == "forces":
                net = Forces()
                engine = ForcesEngine()
            else:
                raise ValueError(args.model)
            engine.fit(net, torch.optim.SGD(net.parameters(), lr=0.1))

        main(parser.parse_args())
    """)
