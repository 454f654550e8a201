"""Forwards that a program puts in the place of others: `layer.forward = lora.forward`. What applies the layer, applies the modules of the new one."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Obj, TorchModule
from looplint.domain.values import NOTHING, Atom, Func, Method, Partial, Ref, Value
from looplint.interpreter import handed_out
from looplint.interpreter.interpreter import Interpreter
from looplint.semantics.parameters import is_frozen, without_parameters
from looplint.syntax import ir


def note_borrowed(interp: Interpreter, obj: Obj, value: Value) -> None:
    """A module gets a forward: remember the modules of which that is a method, or that it has from around it, unless they are parts of the module itself."""
    lenders = {each for atom in value for each in _modules_of(atom) if obj not in each.lineage()}
    if lenders:
        borrowed = interp.applications.borrowed
        borrowed[obj] = borrowed.get(obj, frozenset()) | lenders


def _modules_of(atom: Atom) -> Iterator[Obj]:
    match atom:
        case Ref(obj=TorchModule() as module) | Method(obj=Ref(obj=TorchModule() as module)):
            yield module
        case Func(bound=bound):
            yield from _modules_in(bound or NOTHING)
            yield from _from_around(atom)
        case Partial(func=func, args=args):
            for value in (func, *args):
                for inner in value:
                    yield from _modules_of(inner)


def _from_around(func: Func) -> Iterator[Obj]:
    """The modules that a function calls, or has a part of that it calls, by names of what is around it: `lambda x: original(x) + lora(x)`."""
    own = {param.name for param in func.function.params}
    for path, usage in func.function.usage.items():
        if usage.called and ir.head_of(path) not in own:
            yield from _modules_in(handed_out.named(func.closure or func.module.frame, ir.head_of(path)))


def _modules_in(value: Value) -> Iterator[Obj]:
    return (a.obj for a in value if isinstance(a, Ref) and isinstance(a.obj, TorchModule))


def lenders(interp: Interpreter, obj: Obj) -> frozenset[Obj]:
    """The modules that take gradients whose forwards run where a module is applied, in its place or in that of its parts."""
    kin = {obj, *obj.one_of}
    found = (those for part, those in interp.applications.borrowed.items() if not kin.isdisjoint(part.lineage()))
    return frozenset(each for each in frozenset().union(*found) if not is_frozen(each) and not without_parameters(each))
