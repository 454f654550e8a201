"""A call that may be of several modules is not of those whose forward refuses what it is given: the program would have ended there."""

import pytest

from programs import assert_marked

_PROGRAM = """
import numpy as np


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.field = nn.Linear(2, 2)

    def forward(self, x, logp=None, times=None):
        return self.field(x) * times


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x, {parameters}):
        return self.norm(x)


class Chain(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)


def predict(args, path, x, t):
    {build}
    net = Chain(parts)
    net.load_state_dict(torch.load(path))
    with torch.no_grad():
        first = net.parts[0]
        np.save("out.npy", {call}.numpy()){mark}
"""
_INTERLEAVED = """parts = [Flow() for _ in range(args.blocks)]
    if args.batch_norm:
        parts = [Norm()]"""
_CHOSEN = """if args.batch_norm:
        parts = [Norm(), Flow()]
    else:
        parts = [Flow()]"""
_EXPRESSION = "parts = [Norm()] if args.batch_norm else [Flow()]"
_FOUND = "  # expect: LL302"


@pytest.mark.parametrize("build", [_INTERLEAVED, _CHOSEN, _EXPRESSION])
@pytest.mark.parametrize(
    ("parameters", "call"), [("logp=None", "first(x, times=t)"), ("logp=None", "first(x, x, t)"), ("logp", "first(x, times=t)")]
)
def test_one_that_refuses_the_arguments_is_not_called(build: str, parameters: str, call: str) -> None:
    assert_marked(_PROGRAM.format(parameters=parameters, build=build, call=call, mark=""))


@pytest.mark.parametrize("build", [_INTERLEAVED, _CHOSEN, _EXPRESSION])
@pytest.mark.parametrize(
    ("parameters", "call"), [("logp=None", "first(x)"), ("times=None", "first(x, times=t)"), ("**given", "first(x, times=t)")]
)
def test_one_that_takes_them_may_be(build: str, parameters: str, call: str) -> None:
    assert_marked(_PROGRAM.format(parameters=parameters, build=build, call=call, mark=_FOUND))
