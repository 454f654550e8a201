"""Attributes that only the constructor sets: a test of one has the same outcome in every call and in every turn of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from looplint.domain.objects import Obj
from looplint.domain.values import NOTHING, Ref, Value
from looplint.interpreter.frames import Frame
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

_SETTERS = frozenset({"setattr", "vars", "exec"})


def owner_of(frame: Frame, names: frozenset[str]) -> Obj | None:
    """The object whose attributes are all that a test reads, where none of them changes after its constructor; None where that is not known."""
    attributes = {name.removeprefix("self.") for name in names if name != "self"}
    if frame.function.name == "__init__" or not attributes or any("." in a or f"self.{a}" not in names for a in attributes):
        return None
    instance = _instance_around(frame)
    for atom in instance if len(instance) == 1 else ():
        if (
            isinstance(atom, Ref)
            and atom.obj.cls is not None
            and (atom in _first(frame).instance if atom.obj.symbolic else atom.obj.loops == ())
            and attributes <= atom.obj.heap.keys()
        ):
            modules = {id(m): m for m in (frame.module, atom.obj.cls.module, atom.obj.source) if m is not None}
            rebound = [rebound_in(module) for module in modules.values()]
            if all(found is not None and not attributes & found for found in rebound):
                return atom.obj
    return None


def _instance_around(frame: Frame) -> Value:
    """The object of the method that a frame is an activation of, or in which its function is defined."""
    here: Frame | None = frame
    while here is not None:
        if here.instance:
            return here.instance
        here = here.closure
    return NOTHING


def _first(frame: Frame) -> Frame:
    """The activation with which an analysis began: the object of its method is one and the same throughout."""
    while frame.caller is not None and frame.caller.call is not None:
        frame = frame.caller
    return frame


def rebound_in(module: ModuleInfo) -> frozenset[str] | None:
    """The attributes that a module sets outside of constructors, and the names of its functions; None where it may set any."""
    code = module.lowered()
    return _set_in(code) if code is not None else None


@lru_cache(maxsize=256)
def _set_in(code: ir.ModuleCode) -> frozenset[str] | None:
    found: set[str] = set()
    for function in (code.top, *code.functions):
        for stmt in ir.statements(function.body):
            for whole in ir.expressions(stmt):
                if any(isinstance(e, ir.Call) and ir.path_of(e.func) in _SETTERS for e in ir.walk(whole)):
                    return None
            if function.name != "__init__":
                found.update(_attributes(stmt))
        found.add(function.name)  # a method or property of that name is computed
    return frozenset(found)


def _attributes(stmt: ir.Stmt) -> Iterator[str]:
    for target in ir.targets(stmt):
        yield from (e.attr for e in ir.walk(target) if isinstance(e, ir.Attr))
