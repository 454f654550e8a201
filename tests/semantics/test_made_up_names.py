"""Attributes that an object gets under names of one form are what it gives under names of that form."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
class Trainer(BASE):
    def __init__(self, decoder, limit):
        super().__init__()
        self.decoder = decoder
        self.limit = limit
        for i, net in enumerate(self.decoder.nets):
            setattr(self, OPTIMIZER, torch.optim.Adam(net.parameters()))
            setattr(self, SCALER, torch.amp.GradScaler("cuda"))
            MORE

    def scale(self, loss, i):
        return getattr(self, SCALER).scale(loss)

    def update(self, i):
        optimizer, scaler = getattr(self, OPTIMIZER), getattr(self, SCALER)
        BEFORE
        nn.utils.clip_grad_norm_(self.decoder.nets[i].parameters(), self.limit){mark}
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
"""
DEFAULTS = {"BASE": "nn.Module", "OPTIMIZER": 'f"optim{i}"', "SCALER": 'f"scaler{i}"', "MORE": "pass", "BEFORE": "pass"}
KNOWN = {
    "of a module": {},
    "of another object": {"BASE": "object"},
    "with an end": {"OPTIMIZER": 'f"{i}_optim"', "SCALER": 'f"{i}_scaler"'},
    "added up": {"OPTIMIZER": '"optim" + str(i)', "SCALER": '"scaler" + str(i)'},
    "beside others": {"MORE": 'setattr(self, f"net{i}", net); self.last_scaler = None'},
}
NOT_KNOWN = {
    "unscaled": {"BEFORE": "scaler.unscale_(optimizer)"},
    "unscaled under its name": {"BEFORE": 'getattr(self, f"scaler{i}").unscale_(optimizer)'},
    "beside names that are not known": {"MORE": "setattr(self, net.name, net.scaler)"},
    "beside one of that form": {"MORE": "self.scaler_of_all = net.scaler"},
    "beside another form that fits": {"MORE": 'setattr(self, f"{net.name}r{i}", net.scaler)'},
    "or something else": {"MORE": 'setattr(self, f"scaler{i}", net.scaler)'},
}


def _program(changes: dict[str, str], mark: str) -> str:
    text = PROGRAM.replace("{mark}", mark)
    for name, value in {**DEFAULTS, **changes}.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize("changes", KNOWN.values(), ids=KNOWN)
def test_what_was_set_is_read(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, "  # expect: LL601"))


@pytest.mark.parametrize("changes", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_what_is_not_known(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, ""))


def test_layers_under_made_up_names() -> None:
    assert_marked("""
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.n = n
                for i in range(n):
                    setattr(self, f"layer{i}", nn.Linear(8, 8))
                    setattr(self, f"drop{i}", nn.Dropout())

            def forward(self, x):
                for i in range(self.n):
                    x = getattr(self, f"drop{i}")(getattr(self, f"layer{i}")(x))
                return x

        def train(loader, valid):
            net = Net(3)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(9):
                net.train()
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    opt.step()
                net.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.cross_entropy(net(x), y).item())
    """)
