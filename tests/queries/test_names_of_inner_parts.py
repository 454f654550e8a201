"""What is in a part that has no name is a part of the whole in messages."""

from __future__ import annotations

import pytest

from looplint.domain.objects import Module
from looplint.queries.naming import name_of, to_switch


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


@pytest.mark.parametrize(("name", "whole"), [("a part of net.blocks", "net.blocks"), ("net.blocks", "net.blocks"), ("a_part", "a_part")])
def test_a_part_without_a_name_is_switched_with_its_whole(name: str, whole: str) -> None:
    assert to_switch(name) == whole
