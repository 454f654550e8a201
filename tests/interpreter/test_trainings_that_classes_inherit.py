"""A call of a method of what is one of several objects goes to one method, also where two of them share it: its events are certain there."""

from __future__ import annotations

import pytest

from programs import assert_marked

_MODELS = """
        import sys

        class Base(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.f = nn.Linear(n, 1)
            def forward(self, x):
                return self.f(x)
            def fit(self, loader, opt):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(self(x), y).backward()
                    opt.step()

        class First(Base):
            def measure(self, loader):
                self.eval()
                with torch.no_grad():
                    return sum(nn.functional.mse_loss(self(x), y).item() for x, y in loader)

        class Second(Base):
            def measure(self, loader):
                self.train()
                with torch.no_grad():
                    return sum(nn.functional.mse_loss(self(x), y).item() for x, y in loader)

        class Other(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.g = nn.Linear(n, 1)
                self.drop = nn.Dropout(0.5)
            def forward(self, x):
                return self.g(self.drop(x))
            def fit(self, loader, opt):
                for x, y in loader:
                    opt.zero_grad()
                    loss = nn.functional.mse_loss(self(x), y)
                    {backward}
                    opt.step(){expect}
            def measure(self, loader):
                self.eval()
                with torch.no_grad():
                    return sum(nn.functional.mse_loss(self(x), y).item() for x, y in loader)
"""
_CHOSEN = """
        def main(name, loader):
            if name == "first":
                model = First(3)
            elif name == "second":
                model = Second(3)
            elif name == "other":
                model = Other(3)
            else:
                return
"""
_TWICE = """
        def main(name, loader):
            if name == "first":
                model = First(3)
            elif name == "wide":
                if "--deep" in sys.argv:
                    model = First(4)
                elif "--flat" in sys.argv:
                    model = First(5)
            else:
                model = Other(3)
"""
_TRAINED = """
            opt = torch.optim.SGD(model.parameters(), 0.1)
            model.fit(loader, opt)

        main(sys.argv[1], load())
"""
_MEASURED = """
            opt = torch.optim.SGD(model.parameters(), 0.1)
            for _ in range(10):
                model.train()
                model.fit(loader, opt)
                print(model.measure(held_out()))

        main(sys.argv[1], load())
"""
_MISSING = _MODELS.format(backward="print(loss.item())", expect="  # expect: LL107")
_RIGHT = _MODELS.format(backward="loss.backward()", expect="")
PROGRAMS = {
    "two of three inherit their method": _MISSING + _CHOSEN + _TRAINED,
    "several are built of one class": _MISSING + _TWICE + _TRAINED,
    "another method is each one's own": _MISSING + _CHOSEN + _MEASURED,
    "all go backward": _RIGHT + _CHOSEN + _TRAINED,
    "all go backward, several of one class": _RIGHT + _TWICE + _MEASURED,
    "all go backward, and each measures itself": _RIGHT + _CHOSEN + _MEASURED,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_the_method_of_one_class_lacks_is_reported_there(program: str) -> None:
    assert_marked(program)
