"""`functools.reduce` calls its function with what that gave last and the next item: what comes out has the graphs of all items."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        import functools
        import operator
        def main(loader):
            net = nn.Sequential(nn.Linear(8, 2), nn.Dropout(0.1))
            head = nn.Linear(2, 2)
            optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
            history = []
            for x, y in loader:
                optimizer.zero_grad()
                {losses}
                loss = {loss}
                loss.backward({kept}){backward}
                optimizer.step()
                history.append({noted}){marked}
            return history
"""
DICT = 'losses = {"a": nn.functional.cross_entropy(net(x), y), "b": net(x).mean()}'
LIST = "losses = [nn.functional.cross_entropy(net(each), y) for each in x]"


def program(losses: str, loss: str, *, kept: str = "", backward: str = "", noted: str = "loss.item()", marked: str = "") -> str:
    return LOOP.format(losses=losses, loss=loss, kept=kept, backward=backward, noted=noted, marked=marked)


KEPT = {"kept": "retain_graph=True", "backward": "  # expect: LL110"}
PROGRAMS = {
    "values of a dict, by torch": program(DICT, "functools.reduce(torch.add, losses.values())", **KEPT),
    "a list, by an operator": program(LIST, "functools.reduce(operator.add, losses)", **KEPT),
    "a list, by a function of its own": program(LIST, "functools.reduce(lambda a, b: a + b, losses)", **KEPT),
    "with a first value": program(LIST, "functools.reduce(lambda a, b: a + 0.5 * b, losses, 0.0)", **KEPT),
    "a loss that is kept": program(DICT, "functools.reduce(torch.add, losses.values())", noted="loss", marked="  # expect: LL401"),
    "layers, one after the other": program(
        "out = functools.reduce(lambda h, layer: layer(h), [net, head], x)",
        "nn.functional.cross_entropy(out, y)",
        noted="loss",
        marked="  # expect: LL401",
    ),
    "numbers": program(
        "count = functools.reduce(operator.mul, x.shape, 1)", "nn.functional.cross_entropy(net(x), y) / count", noted="count"
    ),
    "a part by its path": program(
        "part = functools.reduce(getattr, ['0', 'weight'], net)",
        "nn.functional.cross_entropy(net(x), y)",
        noted="float(part.detach().mean())",
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_folded(program: str) -> None:
    assert_marked(program)
