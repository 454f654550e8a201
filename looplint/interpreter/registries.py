"""A module as a table of models: `models.__dict__[name]()` builds one of those that its functions build."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import TorchModule
from looplint.domain.values import NOTHING, ClassRef, Func, ModuleRef, Value
from looplint.interpreter import classes, imports
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo


def builder_in(interp: Interpreter, members: ModuleRef) -> Value:
    """A function of a module that builds a model, where all that do build one of the same class; nothing where they differ, or none does.

    They differ in sizes (`vit_base`, `vit_large`): whichever is called, the training loop does the same with what it gives back.
    """
    found = [(func, cls) for func in _functions(interp, members) for cls in [_class_built(interp, func)] if cls is not None]
    return frozenset({found[0][0]}) if found and len({cls for _, cls in found}) == 1 else NOTHING


def _functions(interp: Interpreter, members: ModuleRef) -> Iterator[Func]:
    """The functions that a module defines or imports from the program, in the order of its text, and then those that stars bring into it."""
    work, seen = [members.module], set[ModuleInfo]()
    for info in work:
        if info in seen or info.frame is None:
            continue
        seen.add(info)
        work += (star for star in info.frame.stars if not isinstance(star, str))
        for name, value in list(info.frame.locals.items()):
            for atom in imports.resolve(interp, value) if not name.startswith("_") else ():
                if isinstance(atom, Func):
                    yield atom


def _class_built(interp: Interpreter, func: Func) -> ClassRef | None:
    """The class of modules of which a function gives back a new object on each of its ways; None where it does anything else."""
    made = {target: callee for callee, target in func.function.made}
    returned = [stmt.value for stmt in ir.statements(func.function.body) if isinstance(stmt, ir.Return)]
    built = {
        _class_called(func, ir.path_of(value.func) if isinstance(value, ir.Call) else made.get(_name(value)), interp) for value in returned
    }
    cls = next(iter(built)) if len(built) == 1 else None
    return cls if cls is not None and issubclass(classes.kind_of_class(interp, cls), TorchModule) else None


def _name(value: ir.Expr | None) -> str:
    return value.id if isinstance(value, ir.Name) else ""


def _class_called(func: Func, callee: str | None, interp: Interpreter) -> ClassRef | None:
    """The class of the program that a name stands for at the top of a function's module."""
    frame = func.module.frame
    value = imports.resolve(interp, frame.locals.get(callee, NOTHING)) if frame is not None and callee else NOTHING
    return next((a for a in value if isinstance(a, ClassRef)), None) if len(value) == 1 else None
