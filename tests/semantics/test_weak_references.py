"""What a weak reference gives is the object, and a dict whose keys are weak does nothing to them."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINING = """
        import weakref
        from data import loader, valid
        {made}
        net = nn.Linear(8, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for epoch in range(9):
            for x, y in loader:
                {before}
                nn.functional.mse_loss(net(x), y).backward()
                {after}
"""
KEPT = """
        KEPT: "weakref.WeakKeyDictionary[nn.Module, tuple]" = weakref.WeakKeyDictionary()

        def parts(net):
            known = KEPT.get(net)
            if known is None:
                known = KEPT[net] = tuple(weakref.ref(part) for part in net.modules())
            if not known:
                KEPT.pop(net, None)
            return known
"""
CLEAR = "optimizer.zero_grad()"

PROGRAMS = {
    "a dict of what belongs to a model": TRAINING.format(
        made=KEPT, before="parts(net)", after="optimizer.step()\n                optimizer.zero_grad(set_to_none=False)"
    )
    + "            total = 0.0\n            net.eval()\n            for x, y in valid:\n                parts(net)\n"
    "                total += nn.functional.mse_loss(net(x), y).item()  # expect: LL303\n            net.train()\n",
    "a step and a clear by references": TRAINING.format(
        made="",
        before="ref = weakref.ref(optimizer)\n                ref().zero_grad()",
        after="ref().zero_grad()  # expect: LL101\n                ref().step()",
    ),
    "as they should be": TRAINING.format(
        made="", before="ref = weakref.ref(optimizer)\n                ref().zero_grad()", after="ref().step()"
    ),
    "by a proxy": TRAINING.format(made="", before="again = weakref.proxy(optimizer)", after=f"again.step()\n                {CLEAR}"),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_weak_references(program: str) -> None:
    assert_marked(program)
