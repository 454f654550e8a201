"""How messages name things: as the program does, at the place they speak of."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from looplint.domain.objects import Obj
from looplint.flow.events import Event, Keep, Step, Unscale
from looplint.flow.graph import Guard
from looplint.syntax import ir
from looplint.syntax.site import Site


def name_of(obj: Obj, default: str = "") -> str:
    """What the user calls an object."""
    if "[" in obj.name and obj.parent is not None:
        return f"a part of {name_of(obj.parent, default)}"  # an element of a container of layers has no name
    return obj.name or default or (obj.cls.cls.name if obj.cls else f"the {obj.kind}")


def called_at(event: Event, obj: Obj) -> str:
    """What the code at an event calls an object: `self.optimizer` of `self.optimizer.step()` and of `scaler.step(self.optimizer)`; else its name."""
    node = event.site.node
    if isinstance(node, cst.Call) and event.subjects == {obj}:
        if isinstance(event, Step | Unscale) and event.scaler is not None:
            return _path(node.args[0].value) or name_of(obj) if node.args else name_of(obj)
        if isinstance(node.func, cst.Attribute):
            return _path(node.func.value) or name_of(obj)
    return name_of(obj)


def callee(site: Site) -> str:
    """What a call calls, as the program writes it: `model.embed` of `model.embed(x)`; "" where it is no path of names."""
    return _path(site.node.func) if isinstance(site.node, cst.Call) else ""


def container_at(event: Keep) -> str:
    """What a tensor is put into, as the program writes it: `history["loss"]` of `history["loss"].append(loss)`; else its name."""
    match event.site.node:
        case cst.Call(func=cst.Attribute(value=written)) | cst.Subscript(value=written) | cst.AugAssign(target=written):
            return _path(written) or name_of(event.into)
    return name_of(event.into)


def _path(node: cst.BaseExpression) -> str:
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() | cst.Integer() | cst.Name() as index))]):
            before = _path(node.value)
            return f"{before}[{index.value}]" if before else ""
        case cst.Name():
            return node.value
        case cst.Attribute():
            before = _path(node.value)
            return f"{before}.{node.attr.value}" if before else ""
    return ""


def only_where(event: Event, others: Sequence[Event]) -> str:
    """The condition that an event stands under and none of the others does, which stand under its opposite: `not amp`; "" where there is none."""
    return next((_condition(g) for g in event.guards if any(_opposite(g, each) for other in others for each in other.guards)), "")


def more_than(event: Event, other: Event) -> str:
    """The first condition that an event stands under and another one does not: `args.seed is not None`; "" where there is none."""
    return next((_condition(g) for g in event.guards if g not in other.guards), "")


def _condition(guard: Guard) -> str:
    text = ir.render(guard.test)
    return text if guard.held else f"not {text}" if isinstance(guard.test, ir.Name | ir.Attr | ir.Call) else f"not ({text})"


def _opposite(one: Guard, other: Guard) -> bool:
    return one.test == other.test and one.frame == other.frame and one.held is not other.held
