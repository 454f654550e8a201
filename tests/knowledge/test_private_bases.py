"""Layers derive from classes that torch keeps to itself: what derives from `_ConvNd`, `_BatchNorm` or `_DropoutNd` is a module."""

from __future__ import annotations

import pytest

from looplint.knowledge.lookup import call_effect
from programs import assert_marked

PROGRAM = """
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.utils import _pair

class Norm(_BatchNorm):
    def forward(self, x):
        return nn.functional.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, self.training)

class Conv(_ConvNd):
    def __init__(self, inner, outer, size):
        super().__init__(inner, outer, _pair(size), (1, 1), (0, 0), (1, 1), False, (0, 0), 1, True, "zeros")

    def forward(self, x):
        return nn.functional.conv2d(x, self.weight, self.bias)

class Drop(_DropoutNd):
    def forward(self, x):
        return nn.functional.dropout(x, self.p, self.training)

def convert(module):
    mod = module
    for plain, ours in zip([nn.BatchNorm1d, nn.BatchNorm2d], [Norm, Norm]):
        if isinstance(module, plain):
            mod = ours(module.num_features, module.eps, module.momentum, module.affine)
            mod.running_mean = module.running_mean
    for name, child in module.named_children():
        mod.add_module(name, convert(child))
    return mod

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {layer}

    def forward(self, x):
        return self.layer(x).mean((2, 3))

class Trainer:
    def __init__(self, model):
        self.net = {net}
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def fit(self, loader, val_loader):
        for epoch in range(3):
            for x, y in loader:
                self.opt.zero_grad()
                nn.functional.cross_entropy({call}, y).backward(){stays}
                self.opt.step()
            self.net.eval()
            right = 0
            for x, y in val_loader:
                right += (self.net(x).argmax(1) == y).sum().item()  # expect: LL303
            print(right)
"""
CALL = "self.net(x)  # expect: LL301\n                    "


def program(layer: str = "nn.Conv2d(3, 8, 3)", net: str = "Net()", call: str = CALL) -> str:
    return PROGRAM.format(layer=layer, net=net, call=call, stays="")


PROGRAMS = {
    "a norm of its own": program("Norm(3)"),
    "a dropout of its own": program("Drop(0.5)"),
    "a convolution of its own": program("Conv(3, 8, 3)", call="self.net(x)"),
    "a model whose norms are replaced": program(net="convert(model)"),
    "one of two layers": program("Conv(3, 8, 3) if torch.cuda.is_available() else Norm(3)"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_derives_from_private_classes(name: str) -> None:
    assert_marked(PROGRAMS[name])


@pytest.mark.parametrize(
    ("qualname", "effect"),
    {
        "torch.nn.modules.batchnorm._NormBase": "module",
        "torch.nn.modules.pooling._MaxPoolNd": "module",
        "torch.nn.modules.loss._Loss": "loss",
        "torch.nn.modules.utils._pair": "tensor",
    }.items(),
)
def test_private_names(qualname: str, effect: str) -> None:
    assert call_effect(qualname) == effect
