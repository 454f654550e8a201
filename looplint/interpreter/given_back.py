"""What the callers of a function do with what it gives back: a class or a maker that is called for it makes what they use."""

from __future__ import annotations

from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.usage import Scope, Uses, uses, uses_everywhere
from looplint.syntax import ir

# The methods that give back the module that they are called on.
_SAME = frozenset({"to", "cuda", "cpu", "train", "eval", "float", "half", "double"})
# Through how many callers a result is followed that each gives back.
_DEPTH = 3


def with_callers(interp: Interpreter, path: str, found: Uses) -> Uses:
    """How a name is used, with the methods that the callers of the running function call on what it gives back, where calling the name gives that.

    Args:
        interp: the interpreter.
        path: the dotted name of what the running function calls: `model` in `return model(width)`.
        found: how it is used in the text around it.
    """
    methods = _called_on_result(interp, path)
    if not methods:
        return found
    usage = ir.Usage(given_methods=methods)
    usage.add(found.get("", ir.Usage()))
    return {**found, "": usage}


def _called_on_result(interp: Interpreter, path: str) -> frozenset[str]:
    frame: Frame = interp.frame
    paths, methods = {path}, frozenset[str]()
    for _ in range(_DEPTH):
        caller = frame.caller
        if caller is None or paths.isdisjoint(_given_back(frame.function)):
            break
        name = frame.function.name
        calls = [(source, target) for source, target in caller.function.made if source.rpartition(".")[2] == name]
        for _, target in calls:
            used = _uses_in(interp, caller, target).get("")
            methods |= used.methods if used is not None else frozenset()
        frame, paths = caller, {path for path in _given_back(caller.function) if path.rpartition(".")[2] == name}
    return methods


def _uses_in(interp: Interpreter, frame: Frame, path: str) -> Uses:
    code = frame.module.lowered()
    if code is not None and frame.function is code.top:
        return uses_everywhere(interp, frame.module, path)
    return uses(interp, Scope(frame.function, frame.module, frame.owner), path)


@ir.kept_with_code
def _given_back(function: ir.Function) -> frozenset[str]:
    """The dotted names of what a function calls for what it gives back: `return model(width)`, under a name or not, moved or not."""
    found, names = set(), set()
    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.Return) and stmt.value is not None:
            value = _unmoved(stmt.value)
            if isinstance(value, ir.Call):
                found.add(ir.path_of(value.func))
            else:
                names.add(ir.path_of(value))
    found |= {source for source, target in function.made if target in names}
    return frozenset(path for path in found if path is not None)


def _unmoved(value: ir.Expr) -> ir.Expr:
    while isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.attr in _SAME:
        value = value.func.value
    return value
