"""What is None in a class of settings until it takes over options, under names that are not known, is what these give: no branch on it is out of reach."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import argparse

class Settings:
    def __init__(self, path=None):
        self.devices = None
        self.rate = None
        {filled}

def set_up():
    parser = argparse.ArgumentParser()
    parser.add_argument("-ngpu", dest="devices", type=int, default=3)
    parser.add_argument("-lr", dest="rate", type=float, default=0.1)
    return parser.parse_args()

class Detector(nn.Module):
    def __init__(self, devices):
        super().__init__()
        self.devices = devices
        self.head = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))

    def forward(self, x):
        return self.head(x)

    def on_devices(self, x):
        if self.devices == 1:
            return self(x){mark}
        return gather([self(part.to(i)) for i, part in enumerate(x.chunk(self.devices))])

settings = Settings()
net = Detector(settings.devices)
opt = torch.optim.SGD(net.parameters(), lr=settings.rate)
for epoch in range(10):
    {begin}
    for x, y in loader:
        opt.zero_grad()
        F.mse_loss(net.on_devices(x), y).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(sum(F.mse_loss(net.on_devices(x), y).item() for x, y in held_out))
"""
WAYS = {
    "its dict is updated": "self.__dict__.update(vars(set_up()))",
    "each is set": "for name, value in vars(set_up()).items():\n            setattr(self, name, value)",
    "those that have a value are set": (
        "for name, value in set_up()._get_kwargs():\n            if value is not None:\n                setattr(self, name, value)"
    ),
    "its dict is updated from a file": "self.__dict__.update(json.load(open(path)))",
}


@pytest.mark.parametrize("filled", WAYS.values(), ids=WAYS)
def test_both_branches_are_code(filled: str) -> None:
    text = PROGRAM.replace("{filled}", filled)
    assert_marked(text.replace("{mark}", "  # expect: LL301").replace("{begin}", "pass"))
    assert_marked(text.replace("{mark}", "").replace("{begin}", "net.train()"))


def test_what_nothing_fills_is_none() -> None:
    text = PROGRAM.replace("{filled}", "self.given = set_up()").replace("self.devices = devices", "self.devices = None")
    assert_marked(
        text.replace("return gather([self(part.to(i))", "return gather([held(part.to(i))").replace("{mark}", "").replace("{begin}", "pass")
    )
