"""The whole numbers that a program has for a name, as far as its text says: what it is given, or what it is where nobody gives it anything."""

from __future__ import annotations

from looplint.domain.objects import Options
from looplint.domain.values import ClassRef, Const, Ref, Value
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def told(interp: Interpreter, expr: ir.Expr, value: Value) -> set[int]:
    """The numbers that a name of the function that runs may be.

    Args:
        interp: the interpreter.
        expr: the name, or an attribute.
        value: what it is known to be; defaults of parameters and options count beside it.
    """
    found: set[object] = {a.value for a in value if isinstance(a, Const)}
    match expr:
        case ir.Name(id=name) if interp.frame.written is None:
            found |= _default(interp.frame.function, name)
        case ir.Attr(value=ir.Name() as owner, attr=name):
            for atom in interp.evaluate(owner):  # to read a name does nothing
                match atom:
                    case Ref(Options(defaults=defaults)) if name in defaults:
                        found.add(defaults[name])
                    case Ref(obj) if obj.symbolic and obj.cls is not None:
                        found |= _default_kept(interp, obj.cls, name)
    return {each for each in found if isinstance(each, int) and not isinstance(each, bool)}


def _default(function: ir.Function, name: str) -> set[object]:
    return {p.default.value for p in function.params if p.name == name and isinstance(p.default, ir.Const)}


def _default_kept(interp: Interpreter, cls: ClassRef, name: str) -> set[object]:
    """What an attribute is by the default of a parameter that the constructor keeps in it."""
    init = classes.find_member(interp, cls, "__init__")
    if init is None or not isinstance(init[0], ir.Function):
        return set()
    return {each for given, kept in init[0].aliases if kept == f"self.{name}" for each in _default(init[0], given)}
