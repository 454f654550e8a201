"""Regions of automatic mixed precision, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.dataclass import dataclass, replace
from looplint.domain.values import Context, Value

if TYPE_CHECKING:
    from looplint.syntax.site import Site


@dataclass(frozen=True, slots=True)
class Autocast:
    """What an autocast does: whether it computes in float16 when it is on, where it stands, the names that decide if it is on, and the argument that says so."""

    half: bool
    site: Site
    switch: frozenset[str] = frozenset()
    enabled: str = ""


def region_of(value: Value) -> Autocast | None:
    """The region that a context manager opens; None where it may be something else, or nothing."""
    if len(value) != 1:
        return None
    (context,) = value
    return context.region if isinstance(context, Context) else None


def switched(value: Value, other: Value, names: frozenset[str]) -> Value | None:
    """An autocast that is entered only where a condition on some names says so, and nothing instead of it otherwise; None for other values."""
    for one, two in ((value, other), (other, value)):
        region = region_of(one)
        if region is not None and len(two) == 1 and all(isinstance(a, Context) and a.effect == "context" for a in two):
            (context,) = one
            if isinstance(context, Context):
                return frozenset({replace(context, region=replace(region, switch=region.switch | names))})
    return None
