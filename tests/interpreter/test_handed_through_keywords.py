"""What a function hands on by `**kwargs`, as callers out of sight give it: a parameter without a default is then known by its use."""

from __future__ import annotations

import pytest

from programs import assert_marked

METHODS = """
class Defence:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader

    def detect(self, {more}**kwargs):
        {before}
        {call}

    def passed_on(self, **given):
        self.train({named}**given)

    def train(self, epochs, optimizer{annotation}, lr=0.1, verbose=False, **kwargs):
        for _ in range(epochs):
            self.model.train()
            for x, y in self.loader:
                {cleared}
                loss = nn.functional.cross_entropy(self.model(x), y)
                loss.backward()
                optimizer.step(){mark}
"""
FORM = {
    "more": "", "before": "print(kwargs)", "call": "self.train(verbose=True, **kwargs)", "named": "", "annotation": "", "cleared": "optimizer.zero_grad()", "mark": "",
}  # fmt: skip
MISSING = {"cleared": "pass"}
THROUGH = [
    {},
    {"annotation": ": torch.optim.Optimizer"},
    {"call": "self.passed_on(**kwargs)"},
    {"call": "self.passed_on(verbose=True, **kwargs)", "named": "lr=0.2, "},
    {"call": "self.train(3, **kwargs)", "before": "kwargs.get('seed')"},
]


@pytest.mark.parametrize("form", THROUGH)
def test_what_it_needs_is_known_by_its_use(form: dict[str, str]) -> None:
    program = METHODS.format(**FORM | form | MISSING)
    assert_marked(program.replace("loss.backward()", "loss.backward()  # expect: LL102"))
    assert_marked(METHODS.format(**FORM | form))


@pytest.mark.parametrize(
    "form",
    [
        {"before": "kwargs['optimizer'] = self.made()"},
        {"before": "kwargs.update(self.made())"},
        {"call": "self.train(**self.settings())"},
        {"more": "*args, ", "call": "self.train(*args, **kwargs)"},
    ],
)
def test_what_it_may_get_otherwise_is_not(form: dict[str, str]) -> None:
    program = METHODS.format(**FORM | form | MISSING)
    assert_marked(program.replace("self.train(**given)", "print(given)"))


def test_what_the_program_puts_in_is_what_it_gets() -> None:
    assert_marked(
        """
        def run(loader, **kwargs):
            train(loader, **kwargs)

        def train(loader, net, opt, **kwargs):
            for x in loader:
                opt.zero_grad()
                net(x).sum().backward()
                opt.step()

        net, other = nn.Linear(3, 3), nn.Linear(3, 3)
        run(torch.randn(8, 3), net=net, opt=torch.optim.SGD(net.parameters(), lr=0.1))
        """
    )
