"""A forward that is put in the place of a layer's brings the parameters of its own module: what applies the layer reaches these."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from transformers import AutoModel


class Adapter(nn.Module):
    def __init__(self, layer, rank=4):
        super().__init__()
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        self.layer = layer

    def apply_to(self):
        self.original = self.layer.forward
        self.layer.forward = self.forward
        del self.layer

    def forward(self, x):
        return self.original(x) + self.up(self.down(x))

    def adapted(self, x):
        return self.layer_of_old(x) + self.up(self.down(x))


class Network(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.adapters = []
        for name, layer in model.named_modules():
            if layer.__class__.__name__ == "Linear":
                self.adapters.append(Adapter(layer))
        for adapter in self.adapters:
            adapter.apply_to()

    def prepare_optimizer_params(self):
        params = []
        for adapter in self.adapters:
            params.extend(adapter.parameters())
        return [{{"params": params}}]


def around(layer, adapter):
    original = layer.forward

    def forward(x):
        return original(x) + adapter(x)

    layer.forward = forward


model = AutoModel.from_pretrained("model")
model.requires_grad_(False)
scaled = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
{adapted}
whole = nn.Sequential(model)
for x, y in [(torch.randn(2, 4), torch.randn(2, 4))] * 3:
    {cleared}
    loss = nn.functional.mse_loss({applied}, y)
    loss.backward(){expected}
    optimizer.step()
"""
BUILT = "adapter = Adapter(nn.Linear(4, 4)); optimizer = torch.optim.AdamW(adapter.parameters()); layer = model.encoder.fc"
FORMS = {
    "a network of its own": "network = Network(model); optimizer = torch.optim.AdamW(network.prepare_optimizer_params())",
    "one layer": f"{BUILT}; adapter.layer = layer; adapter.apply_to()",
    "another method": f"{BUILT}; adapter.layer_of_old = layer.forward; layer.forward = adapter.adapted",
    "a function around it": f"{BUILT}; around(layer, adapter)",
    "a part that is called": f"{BUILT}; old = layer.forward; layer.forward = lambda x: old(x) + adapter.up(adapter.down(x))",
    "a lambda": f"{BUILT}; old = layer.forward; setattr(layer, 'forward', lambda x: old(x) + adapter(x))",
}
FORMS = {name: form.replace("; ", "\n") for name, form in FORMS.items()}
PARTS = pytest.mark.parametrize("adapted", FORMS.values(), ids=FORMS)
APPLIED = pytest.mark.parametrize("applied", ["model(scaled(x))", "whole(scaled(x))"], ids=["itself", "in another"])


@PARTS
@APPLIED
def test_it_is_not_cleared(adapted: str, applied: str) -> None:
    assert_marked(PROGRAM.format(adapted=adapted, applied=applied, cleared="pass", expected="  # expect: LL102"))


@PARTS
@APPLIED
def test_it_is_cleared(adapted: str, applied: str) -> None:
    assert_marked(PROGRAM.format(adapted=adapted, applied=applied, cleared="optimizer.zero_grad()", expected=""))
