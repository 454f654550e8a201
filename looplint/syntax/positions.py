"""Rows and columns of CST nodes, computed for a file only when something is reported in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import libcst as cst

from looplint.finding import Location
from looplint.syntax.ir import ModuleCode
from looplint.syntax.site import Site

if TYPE_CHECKING:
    from libcst.metadata import CodeRange


def span(site: Site) -> tuple[Location, Location]:
    """Start and end of a node: 1-based rows and columns."""
    place = _spans(site.module.code).get(site.node) if site.module.code is not None else None
    if place is None:
        return Location(1, 1), Location(1, 1)
    return Location(place[0], place[1]), Location(place[2], place[3])


def _spans(code: ModuleCode) -> dict[cst.CSTNode, tuple[int, int, int, int]]:
    if not code.spans:
        from libcst.metadata import MetadataWrapper, PositionProvider

        wrapper = MetadataWrapper(code.tree, unsafe_skip_copy=True)
        # What `wrapper.resolve` does for this one provider, without the walk over the tree for those that there are not: half of the time.
        places = cast("Mapping[cst.CSTNode, CodeRange]", PositionProvider()._gen(wrapper))
        for node, place in places.items():
            code.spans[node] = (place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)
    return code.spans
