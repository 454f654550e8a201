"""What is in a part that has no name is a part of the whole in messages."""

from __future__ import annotations

import pytest

from looplint.domain.objects import Module
from looplint.queries.naming import name_of


@pytest.mark.parametrize(
    ("slots", "name"),
    [
        (["blocks"], "net.blocks"),
        (["blocks", "[]"], "a part of net.blocks"),
        (["blocks", "[]", "[any]"], "a part of net.blocks"),
        (["blocks", "[0]", "heads", "[]"], "a part of net.blocks"),
        (["blocks", "[]", "head"], "a part of net.blocks"),
    ],
)
def test_an_inner_part(slots: list[str], name: str) -> None:
    part = Module("net", "net")
    for slot in slots:
        whole, part = part, Module((part.key, slot), f"{part.name}.{slot}")
        part.parent = whole
    assert name_of(part) == name
