"""A model with loaded weights that a factory builds by a name is validated in train mode, where one of those that it may be has layers with two modes."""

from __future__ import annotations

import pytest

from programs import assert_marked

PLAIN = "nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))"
DROPS = "nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 2))"
NORMS = "nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))"
PROGRAM = """
        def create(name, path):
            if name == "small":
                model = {first}
            elif name == "large":
                model = {second}
            else:
                model = {third}
            model.load_state_dict(torch.load(path, map_location="cpu"))
            return model

        def measure(model, loader):
            {begun}
            hits = 0
            with torch.no_grad():
                for x, y in loader:
                    hits += (model(x).argmax(1) == y).sum().item(){mark}
            return hits

        def apply(model, x):
            model.eval()
            return model(x)

        def main(name, path, loader):
            model = create(name, path)
            print(measure(model, loader))
            print(apply(model, next(iter(loader))[0]))
"""
MARK = "  # expect: LL302"


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [(PLAIN, DROPS, NORMS), (DROPS, PLAIN, PLAIN), (PLAIN, PLAIN, NORMS), (DROPS, NORMS, DROPS), (DROPS, DROPS, DROPS)],
)
def test_one_of_them_has_modes(first: str, second: str, third: str) -> None:
    assert_marked(PROGRAM.format(first=first, second=second, third=third, begun="pass", mark=MARK))
    assert_marked(PROGRAM.format(first=first, second=second, third=third, begun="model.eval()", mark=""))


def test_none_of_them_has_modes() -> None:
    assert_marked(PROGRAM.format(first=PLAIN, second=PLAIN, third=PLAIN, begun="pass", mark=""))
