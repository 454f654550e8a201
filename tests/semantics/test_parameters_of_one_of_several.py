"""Where a module is one of several, what it is given of its own parameters are those of the same one: nothing is replaced."""

import pytest

from programs import assert_marked

FIT = """
def fit(actor: nn.Module, reference: nn.Module, loader, frozen: bool):
    opt = torch.optim.Adam(actor.parameters())
    model = reference if frozen else actor
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(actor(x), y).backward()
        opt.step()
        {assigned}
"""
OWN = {
    "of a part": "model.shard.local = model.shard.data",
    "of a layer": "model.layers[0].kept = model.layers[0].weight",
    "of its own": "model.tied = model.head.weight",
    "in turn": """for handle in model.handles:
            flat = handle.flat_param
            flat.local = flat.data""",
}


@pytest.mark.parametrize("assigned", OWN.values(), ids=OWN)
def test_its_own_are_there(assigned: str) -> None:
    assert_marked(FIT.format(assigned=assigned))


def test_those_of_another_are_not() -> None:
    assert_marked(FIT.format(assigned="actor.head.weight = reference.head.weight  # expect: LL502"))
