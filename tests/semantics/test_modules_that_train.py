"""A module whose call sends a loss backward and makes the step is followed like any other function."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from functools import partial


        class NAME(nn.Module):
            def __init__(self, criterion, model=None, opt=None):
                super().__init__()
                self.criterion = criterion
                self.model = model
                self.opt = opt

            def CALL(self, output, target):
                loss = self.criterion(output, target)
                if self.opt is not None:
                    self.update(loss)
                return loss.item()

            def update(self, loss):
                CLEAR
                loss.backward()
                self.opt.step()UNCLEARED


        def main(data, test):
            model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 3))
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            compute = MAKE
            measure = NAME(nn.CrossEntropyLoss())
            for epoch in range(3):
                for x, y in data:
                    print(compute(model(x), y))
                with torch.no_grad():
                    for x, y in test:
                        print(measure(model(x), y))INTRAIN
        """
MADE = {
    "its own call": ("LossCompute", "__call__", "NAME(nn.CrossEntropyLoss(), opt=opt)"),
    "its forward": ("LossCompute", "forward", "NAME(nn.CrossEntropyLoss(), opt=opt)"),
    "no loss by its name": ("Stepper", "__call__", "NAME(nn.CrossEntropyLoss(), opt=opt)"),
    "no loss by its name, its forward": ("Stepper", "forward", "NAME(nn.CrossEntropyLoss(), opt=opt)"),
    "in part": ("LossCompute", "__call__", "partial(NAME, nn.CrossEntropyLoss())(opt=opt)"),
}


def _program(name: str, call: str, make: str, *, clear: str, uncleared: str) -> str:
    text = PROGRAM.replace("MAKE", make).replace("NAME", name).replace("CALL", call)
    return text.replace("UNCLEARED", uncleared).replace("CLEAR", clear).replace("INTRAIN", "  # expect: LL302")


@pytest.mark.parametrize(("name", "call", "make"), MADE.values(), ids=MADE)
def test_what_it_does_is_seen(name: str, call: str, make: str) -> None:
    assert_marked(_program(name, call, make, clear="self.opt.zero_grad()", uncleared=""))
    assert_marked(_program(name, call, make, clear="pass", uncleared="").replace("loss.backward()", "loss.backward()  # expect: LL102"))


def test_a_model_that_only_differentiates_stays_a_model() -> None:
    assert_marked("""
        class Energy(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 1)

            def forward(self, x):
                energy = self.fc(x).sum()
                energy.backward(retain_graph=True)
                return x.grad


        def main(data):
            model = Energy()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in data:
                opt.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                opt.step()
        """)
