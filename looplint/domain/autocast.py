"""Regions of automatic mixed precision, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.dataclass import dataclass
from looplint.domain.values import Context, Value

if TYPE_CHECKING:
    from looplint.syntax.site import Site


@dataclass(frozen=True, slots=True)
class Autocast:
    """What an autocast does: whether it computes in float16 when it is on, where it stands, and the names that decide if it is on."""

    half: bool
    site: Site
    switch: frozenset[str] = frozenset()


def region_of(value: Value) -> Autocast | None:
    """The region that a context manager opens; None where it may be something else, or nothing."""
    contexts = [a for a in value if isinstance(a, Context)]
    if len(contexts) != 1 or contexts[0].effect != "autocast" or len(value) > 1:
        return None
    region = dict(contexts[0].info).get("region")
    return region if isinstance(region, Autocast) else None
