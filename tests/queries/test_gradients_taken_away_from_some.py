"""Gradients that are taken away from some parameters before a step clear nothing for it: the others add up (LL102)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def cancel(epoch, model, until):
            if epoch >= until:
                return
            for name, parameter in model.named_parameters():
                if "last_layer" in name:
                    parameter.grad = None


        def train(model, head, loader, args):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            names = args.names.split(",")
            for epoch in range(args.epochs):
                model.train()
                for x, y in loader:
                    FIRST
                    F.cross_entropy(model(x), y).backward()FOUND
                    BETWEEN
                    optimizer.step()
                    LAST
        """
LOOP = """for name, parameter in model.named_parameters():
                        """
BETWEEN = {
    "by a function, up to an epoch": "cancel(epoch, model, args.until)",
    "by its name": LOOP
    + """if name.startswith("embed"):
                            parameter.grad = None""",
    "by a list of names": LOOP
    + """if name not in names:
                            continue
                        parameter.grad = None""",
    "set to zero": LOOP
    + """if "last_layer" in name and parameter.grad is not None:
                            parameter.grad.zero_()""",
}


def _program(*, first: str = "pass", found: str = "", between: str = "pass", last: str = "pass") -> str:
    return PROGRAM.replace("FIRST", first).replace("FOUND", found).replace("BETWEEN", between).replace("LAST", last)


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
def test_the_others_add_up(between: str) -> None:
    assert_marked(_program(between=between, found="  # expect: LL102"))
    assert_marked(_program(between=between, first="optimizer.zero_grad()"))
    assert_marked(_program(between=between, last="optimizer.zero_grad()"))


@pytest.mark.parametrize("clear", BETWEEN.values(), ids=BETWEEN)
def test_what_is_cleared_elsewhere_may_be_all_that_has_gradients(clear: str) -> None:
    assert_marked(_program(first=clear))
    assert_marked(_program(last=clear))


@pytest.mark.parametrize("kept", ["model", "head"])
def test_gradients_that_are_put_back_are_no_sum(kept: str) -> None:
    away = f"""kept = {{}}
                    for name, parameter in model.named_parameters():
                        if name in names:
                            kept[name] = parameter.grad
                            parameter.grad = None
                    F.cross_entropy({kept}(x), y).backward()
                    for name, parameter in model.named_parameters():
                        if name in names:
                            parameter.grad = kept[name]"""
    assert_marked(_program(between=away, last="optimizer.zero_grad()"))
