"""A handler for a missing item is reached from what asks for an item, and not from what the body does after that."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAIN = """
def train(model, loader, opt, layers):
    total = 0.0
    for batch, y in loader:
        opt.zero_grad()
        outputs, extra = model(batch)
        loss = nn.functional.cross_entropy(outputs, y)
        loss.backward()
        opt.step()
        {handled}
        total += part{mark}
    print(total)
"""
NUMBERS = {
    "a list of items before a loop": """part = 0.0
        try:
            kept = [extra[i] for i in range(layers)]
            for each in kept:
                part += each.mean()
            part = part.item()
        except IndexError:
            part += 0.0""",
    "a key": """part = 0.0
        try:
            hidden = extra["hidden"]
            part = hidden.mean()
            part = part.item()
        except KeyError:
            pass""",
    "either of two": """part = 0
        try:
            first = extra["hidden"][0]
            part = part + first.sum()
            part = float(part)
        except (KeyError, IndexError) as problem:
            print(problem, part)""",
}
TENSORS = {
    "anything else is caught": NUMBERS["a key"].replace("except KeyError", "except Exception"),
    "an item that is asked for later": NUMBERS["a key"].replace("part = part.item()", "part = part.item() / extra['count']"),
    "an item that is popped later": NUMBERS["a key"].replace("part = part.item()", "part = part.item() / extra.pop('count')"),
}


@pytest.mark.parametrize("handled", NUMBERS.values(), ids=NUMBERS)
def test_what_comes_after_the_item_has_not_happened(handled: str) -> None:
    assert_marked(TRAIN.format(handled=handled, mark=""))


@pytest.mark.parametrize("handled", TENSORS.values(), ids=TENSORS)
def test_what_comes_before_it_may_have(handled: str) -> None:
    assert_marked(TRAIN.format(handled=handled, mark="  # expect: LL402"))
