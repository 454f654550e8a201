"""LL302: what a program gives out of weights that it has loaded is computed in eval mode, or it is reported."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import sys
import numpy as np
from PIL import Image

class Net(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), {layer}, nn.Conv2d(8, 1, 1))

    def forward(self, x):
        return self.body(x)

def predict(net, image):
    x = torch.from_numpy(np.asarray(image)).unsqueeze(0)
    {compute}

net = Net(4)
net.load_state_dict(torch.load("weights.pt"))
{mode}
for path in sys.argv[1:]:
    np.save(path + ".npy", predict(net, Image.open(path)))
"""
IN_CONTEXT = """with torch.no_grad():
        mask = net(x){mark}
    return mask.squeeze().cpu().numpy() > 0.5"""
DETACHED = "return net(x).detach().numpy(){mark}"
LISTED = """with torch.inference_mode():
        return torch.sigmoid(net(x)).tolist(){mark}"""
FOUND = "  # expect: LL302"


@pytest.mark.parametrize("compute", [IN_CONTEXT, DETACHED, LISTED])
@pytest.mark.parametrize("layer", ["nn.BatchNorm2d(8)", "nn.Dropout(0.5)"])
def test_a_loaded_model_that_predicts(compute: str, layer: str) -> None:
    assert_marked(PROGRAM.format(layer=layer, compute=compute.format(mark=FOUND), mode=""))
    assert_marked(PROGRAM.format(layer=layer, compute=compute.format(mark=""), mode="net.eval()"))


@pytest.mark.parametrize("layer", ["nn.ReLU()", "nn.GroupNorm(2, 8)", "build_norm(8)"])
def test_one_whose_layers_do_not_differ_or_are_not_known(layer: str) -> None:
    assert_marked(PROGRAM.format(layer=layer, compute=IN_CONTEXT.format(mark=""), mode=""))


def test_one_without_loaded_weights() -> None:
    program = PROGRAM.format(layer="nn.BatchNorm2d(8)", compute=IN_CONTEXT.format(mark=""), mode="")
    assert_marked(program.replace('net.load_state_dict(torch.load("weights.pt"))', ""))


def test_one_that_is_sampled_again_and_again() -> None:
    compute = """with torch.no_grad():
        return np.stack([net(x).numpy() for _ in range(20)]).mean(0)"""
    assert_marked(PROGRAM.format(layer="nn.Dropout(0.5)", compute=compute, mode=""))
