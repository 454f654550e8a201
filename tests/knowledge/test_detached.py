"""The methods that are said to give tensors without a graph do, and no other method that torch has without arguments does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import looplint
from looplint.knowledge.pytorch import DETACHED_METHODS, TENSOR_METHODS

if TYPE_CHECKING:
    from torch import Tensor

ARGUMENTS = {
    "bincount": None,  # Takes integers alone.
    "multinomial": (1,),
    "new_empty": ((2,),),
    "new_full": ((2,), 1.0),
    "new_ones": (2,),
    "new_tensor": ([1.0],),
    "new_zeros": (2,),
}
COMPARED = {
    "eq", "ge", "greater", "greater_equal", "gt", "isclose", "le", "less", "less_equal", "logical_and", "logical_or", "logical_xor", "lt", "ne", "not_equal",
}  # fmt: skip


def _computed() -> Tensor:
    """A tensor (3,) of positive numbers that has a graph, and is no parameter."""
    import torch  # here, so that only the process that runs these tests takes the time

    return torch.tensor([0.2, 0.3, 0.5], requires_grad=True) * 1.0


@pytest.mark.parametrize("name", sorted(DETACHED_METHODS))
def test_a_method_gives_a_tensor_without_graph(name: str) -> None:
    import torch

    arguments = (_computed(),) if name in COMPARED else ARGUMENTS.get(name, ())
    tensor = _computed() if arguments is not None else torch.tensor([1, 2])
    result = getattr(tensor, name)(*(arguments or ()))
    assert isinstance(result, torch.Tensor)
    assert not result.requires_grad


@pytest.mark.filterwarnings("ignore")
def test_all_methods_without_arguments_that_give_no_graph_are_known() -> None:
    from torch import Tensor

    found = set()
    for name in (n for n in dir(Tensor) if not n.startswith("_")):
        try:
            result = getattr(_computed(), name)()
        except (TypeError, RuntimeError, AttributeError, AssertionError, IndexError):
            continue
        if isinstance(result, Tensor) and not result.requires_grad:
            found.add(name)
    assert found - {"hash_tensor"} <= {name for name, effect in TENSOR_METHODS.items() if effect == "detach"}


KEPT = """\
import torch
from torch import nn, optim

net = nn.Linear(8, 4)
opt = optim.Adam(net.parameters())
kept = []
for i in range(1000):
    opt.zero_grad()
    p = net(torch.randn(2, 8)).softmax(-1)
    kept.append(TAKEN)
    p.square().mean().backward()
    opt.step()
print(kept)
"""


@pytest.mark.parametrize("taken", ["p.multinomial(1)", "torch.multinomial(p, 1)", "p.isnan()", "(p > 0.5).any()", "p.greater(0.5)"])
def test_what_is_drawn_or_asked_may_be_kept(taken: str) -> None:
    assert [f.code for f in looplint.lint(KEPT.replace("TAKEN", taken))] == []


@pytest.mark.parametrize("taken", ["p", "p.round()", "torch.sign(p)", "torch.bernoulli(p)"])
def test_what_is_computed_holds_its_graph(taken: str) -> None:
    assert [f.code for f in looplint.lint(KEPT.replace("TAKEN", taken))] == ["LL401"]
