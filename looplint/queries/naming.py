"""How messages name things: as the program does, at the place that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from looplint.domain.objects import Obj, Scaler, StateDict
from looplint.flow.events import Backward, Construct, Event, Forward, Keep, Replace, Snapshot, Step, Unscale
from looplint.flow.graph import Guard
from looplint.queries.incidence import built_with
from looplint.queries.program import Program
from looplint.syntax import ir
from looplint.syntax.site import Site

# Of several names, how many a message spells out.
_SPELLED = 3

# What stands before the name of the whole where a message speaks of a part that has no name.
_A_PART = "a part of "


def name_of(obj: Obj, default: str = "") -> str:
    """What the user calls an object."""
    if "[" in obj.name and obj.parent is not None:
        whole = next((each for each in obj.parent.first_lineage() if "[" not in each.name), obj.parent)
        return f"{_A_PART}{name_of(whole, default)}"  # an element of a container of layers has no name, nor has what is in it
    return obj.name or default or (obj.cls.cls.name if obj.cls else f"the {obj.kind}")


def in_words(names: Iterable[str]) -> str:
    """Some names as a message lists them, each once: `enc`, `enc and dec`, `enc, dec and head`, `enc, dec and 3 more`."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) > _SPELLED:
        distinct[_SPELLED - 1 :] = [f"{len(distinct) - _SPELLED + 1} more"]
    *before, last = distinct
    return f"{', '.join(before)} and {last}" if before else last


def are(names: Sequence[str]) -> str:
    """Some names with the verb that what is said of them has: `net is`, `enc and dec are`."""
    return f"{in_words(names)} {'is' if len(set(names)) == 1 else 'are'}"


def call_of(method: str, names: Sequence[str]) -> str:
    """The call of a method that switches a mode, for what messages name so: `net.eval()`, or `eval()` of several."""
    return f"{to_switch(names[0])}.{method}()" if len(set(names)) == 1 else f"{method}() of each"


def to_switch(name: str) -> str:
    """What a mode is switched on for what a message names so: a part without a name is switched with the whole that has one."""
    return name.removeprefix(_A_PART)


def whole_called_at(program: Program, event: Event, module: Obj) -> str:
    """What the code at a forward calls what is switched between the modes there: the module, or the whole of what may be a method of it."""
    name = called_at(event, module)
    whole = name.rpartition(".")[0] if program.may_be_a_method(module) else ""
    return whole or name


def called_at(event: Event, obj: Obj, default: str = "") -> str:
    """What the code at an event calls an object: `self.optimizer` of `self.optimizer.step()` and of `scaler.step(self.optimizer)`; else its name."""
    return _written(event, obj) or name_of(obj, default)


def _written(event: Event, obj: Obj) -> str:
    node = event.site.node
    match event, node:
        case Step(scaler=Scaler() as scaler) | Unscale(scaler=Scaler() as scaler), cst.Call(func=cst.Attribute(value=owner)) if (
            obj is scaler
        ):
            return _path(owner)
        case Backward(), cst.Call(func=cst.Attribute(value=cst.Call(func=cst.Attribute(value=owner, attr=cst.Name("scale"))))) if (
            obj in event.scalers
        ):
            return _path(owner)
        case Backward(via="framework"), cst.Call(func=cst.Attribute(value=cst.Name(owner))) if obj in event.scalers:
            return f"{owner}.{obj.name}"  # `self.training_step(model, inputs)` of a Trainer that keeps it
        case Snapshot(), cst.Call(func=cst.Attribute(value=owner)) if any(
            isinstance(s, StateDict) and s.owner is obj for s in event.subjects
        ):
            return _path(owner)
        case _ if event.subjects != {obj}:
            return ""
        case Step(scaler=Scaler()) | Unscale(scaler=Scaler()), cst.Call() if (given := stepped_by(node)) is not None:
            return _path(given)
        case Replace(), cst.Attribute(value=owner) | cst.Subscript(value=owner):
            return _path(owner)
        case Construct(), _:
            return _given_to(event.statement, node)
        case Forward(), cst.Call(func=called):
            return _path(called) if event.applied else _owner_of_call(_path(called), obj)
        case _, cst.Call(func=cst.Attribute(value=owner)):
            return _path(owner)
    return ""


def _given_to(statement: cst.CSTNode | None, made: cst.CSTNode) -> str:
    """The one name that a statement gives what it makes: `self.scheduler` of `self.scheduler = StepLR(...)`."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) | cst.AnnAssign(target=target, value=value) if (
            value is made
        ):
            return _path(target)
    return ""


def stepped_by(call: cst.Call) -> cst.BaseExpression | None:
    """What a scaler is given to step: the optimizer of `scaler.step(optimizer)`, and of `scaler(loss, optimizer)`, which does all of an update."""
    match call:
        case cst.Call(func=cst.Attribute(attr=cst.Name("step" | "unscale_")), args=[given, *_]):
            return given.value
        case cst.Call(args=[_, given, *_]):
            return given.value
    return None


def _owner_of_call(path: str, obj: Obj) -> str:
    """The part of what a call names that is the object's own name: `self.net` of `self.net` and of `self.net.encode`; "" where neither is.

    What is called by its `forward` is that of which it is one, whatever its name: `model` of `model.forward`.
    """
    whole, _, last = path.rpartition(".")
    if last in ("forward", "__call__") and whole not in ("super", "self"):
        return whole
    own = obj.name.rpartition(".")[2]
    for written in (path, path.rpartition(".")[0]):
        if own and written.rpartition(".")[2] == own:
            return written
    return ""


def arguments_site(event: Event) -> Site:
    """The innermost call on the way to an event that spells its arguments out: `DataLoader(data, **kwargs)` leaves it to its caller what it is given."""
    for site in reversed(event.chain):
        if isinstance(site.node, cst.Call) and not any(arg.star for arg in site.node.args):
            return site
    return event.site


def callee(site: Site) -> str:
    """What a call calls, as the program writes it: `model.embed` of `model.embed(x)`; "" where it is no path of names."""
    return _path(site.node.func) if isinstance(site.node, cst.Call) else ""


def name_of_whole(module: Obj, whole: Obj, event: Forward, name: str) -> str:
    """The name of the whole that a module of a name is a part of, where a forward of the part is called: `net` of `net.encoder`, and of `net.encode(x)`."""
    if whole is module:
        return name
    if event.outside < len(event.calls):
        return callee(event.chain[event.outside]).rpartition(".")[0] or name
    return name.rsplit(".", 1 + list(built_with(module)).index(whole))[0]


def switch_in_words(switch: Event, event: Event) -> str:
    """A switch to eval mode as one finds it on the way to another event: `net.eval()`, or the call that leads to it from there."""
    way = next((site for site, its in zip(switch.chain, event.chain, strict=False) if site != its), switch.site)
    called = callee(way)
    match called.rpartition(".")[2]:
        case "eval":
            return f"{called}()"
        case "train":
            return f"{called}(False)"
    return f"the eval() in {called}()" if called and way != switch.site else "eval()"


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
