"""Layers that are put into eval mode one by one before a forward were chosen: LL302 asks for no more; a whole part that is put into it chooses nothing for the others."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

PROGRAM = """
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.base = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5))
                self.head = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
                self.drops = [m for m in self.modules() if isinstance(m, nn.Dropout)]
            def forward(self, x):
                return self.head(self.base(x))
            def features(self, x):
                {off}
                out = self.base(x){mark}
                {on}
                return out.detach()
        class Client:
            def __init__(self, model: Net, optimizer_cls, device):
                self.model = {given}
                self.optimizer = optimizer_cls(self.model.parameters(), lr=0.1)
            @torch.no_grad()
            def prototypes(self, loader):
                for x, y in loader:
                    features = self.model.features(x){measured}
                    print(nn.functional.mse_loss(features, self.centers[y]).item())
            def fit(self, loader):
                self.model.train()
                self.prototypes(loader)
                for x, y in loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()
        class Other(Client):
            def __init__(self, **commons):
                super().__init__(**commons)
        """
EACH = ("for layer in {of}:\n                    layer.eval()", "for layer in {of}:\n                    layer.train()")


def program(off: str, on: str = "pass", given: str = "model.to(device)", mark: str = "", measured: str = "") -> str:
    return PROGRAM.format(off=off, on=on, given=given, mark=mark, measured=measured)


PROGRAMS = {
    "a list of dropouts": program(*(each.format(of="self.drops") for each in EACH)),
    "a list of dropouts, of a model as it comes": program(*(each.format(of="self.drops") for each in EACH), given="model"),
    "those of a kind": program("for layer in self.base.modules():\n                    if isinstance(layer, nn.Dropout): layer.eval()"),
    "those of a name": program(
        "for name, layer in self.named_modules():\n                    if 'drop' in name: layer.eval()", given="model.cuda()"
    ),
    "nothing": program("pass", measured="  # expect: LL302"),
    "another part": program("self.head.eval()", measured="  # expect: LL302"),
}

FROZEN = """
        def fit(model, loader, valid):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                model.train()
                for layer in model.modules():
                    if isinstance(layer, nn.BatchNorm1d):
                        layer.eval()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(model(x), y).backward()
                    optimizer.step()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.cross_entropy(model(x), y).item())  # expect: LL302
        """
PROGRAMS["for the training before it"] = FROZEN


@pytest.mark.parametrize("name", PROGRAMS)
def test_layers_that_are_chosen(name: str) -> None:
    assert_marked(PROGRAMS[name])


def test_a_method_out_of_sight_has_the_modes_of_its_object() -> None:
    found = looplint.lint(dedent(program("pass").replace(": Net", "").replace("features(x)", "last_features(x)")), isolated=True)
    assert [f.message.partition(" in this")[0] for f in found if f.code == "LL302"] == ["self.model is in train mode"]
    assert "self.model.eval()" in found[0].message
