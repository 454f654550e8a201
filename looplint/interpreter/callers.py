"""Who calls a function, by the text of its file: what is known of a function that is followed by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from looplint.domain.values import ClassRef
from looplint.knowledge.pytorch import SWITCHING_OFF
from looplint.syntax import ir
from looplint.syntax.site import Site

# Through how many levels of callers the search goes.
_DEPTH = 3


def _possible_callers(code: ir.ModuleCode, line: Sequence[ClassRef], name: str) -> list[ir.Function]:
    """What calls a name in a file and in those of the bases in a line of classes, without the methods that a nearer class replaces."""
    codes = dict.fromkeys([code, *(each for cls in line if (each := cls.module.lowered()) is not None)])
    replaced = {f for number, cls in enumerate(line) for f in cls.cls.methods.values() if _is_replaced(f, line[:number])}
    return [f for each in codes for f in _callers(each).get(name, ()) if f not in replaced]


def _is_replaced(method: ir.Function, nearer: Sequence[ClassRef]) -> bool:
    """Whether one of some nearer classes has a method of that name, and does not add to those behind it: `super().predict(data)`."""
    return any(method.name not in f.called() for cls in nearer if (f := cls.cls.methods.get(method.name)) is not None)


@ir.kept_with_code
def _callers(code: ir.ModuleCode) -> dict[str, list[ir.Function]]:
    """The functions of a module, by the names that they call."""
    found: dict[str, list[ir.Function]] = {}
    for function in (code.top, *code.functions):
        for name in function.called():
            found.setdefault(name, []).append(function)
    return found


def callers_first(defined: Sequence[ir.Function]) -> list[ir.Function]:
    """Functions of a file as they stand there, except that one that others speak of comes after them: there it gets its arguments.

    A file defines its helpers first. One that was followed before its caller would be judged with arguments of which nothing is known.
    """
    named = {function.name: function for function in defined}
    found: dict[ir.Function, None] = {}
    begun: set[ir.Function] = set()
    stack = list(defined)
    while stack:
        function = stack[-1]
        if function in begun:
            found.setdefault(stack.pop())
            continue
        begun.add(function)
        spoken_of = [named[name] for name in function.usage if name in named]
        stack.extend(other for other in reversed(spoken_of) if other not in begun)
    return list(reversed(found))


def only_without_gradients(code: ir.ModuleCode, line: Sequence[ClassRef], function: ir.Function, depth: int = _DEPTH) -> bool:
    """Whether a function is called in a file, or in those of the bases in its class's line, with gradients switched off around each of the calls."""
    callers = [caller for caller in _possible_callers(code, line, function.name) if caller is not function]
    found = False
    for caller in callers:
        covered = any(switches_off(d) for d in caller.decorators)
        calls = [off for _, off in _calls(caller.body, function.name, covered)]
        found = found or bool(calls)
        if not all(calls) and not (depth and only_without_gradients(code, line, caller, depth - 1)):
            return False
    return found


def call_by_a_base(line: Sequence[ClassRef], function: ir.Function) -> Site | None:
    """Where a base class calls a method that the first class of a line has, and gradients are not switched off."""
    for number, cls in enumerate(line):
        for name, caller in cls.cls.methods.items():
            if number and function.name in caller.methods and not any(name in c.cls.methods for c in line[:number]):
                for call, covered in _calls(caller.body, function.name, any(switches_off(d) for d in caller.decorators)):
                    if not covered and ir.path_of(call.func) == f"self.{function.name}":
                        return Site(cls.module, call.node)
    return None


def _calls(body: Iterable[ir.Stmt], name: str, covered: bool) -> Iterator[tuple[ir.Call, bool]]:
    """The calls of a name in a block, each with whether gradients are off there."""
    for stmt in body:
        for expr in ir.walk(*ir.expressions(stmt)):
            if isinstance(expr, ir.Call) and ir.called_name(expr) == name:
                yield expr, covered
        inside = covered or (isinstance(stmt, ir.With) and any(switches_off(context) for context, _ in stmt.items))
        for inner in ir.bodies(stmt):
            yield from _calls(inner, name, inside)


def switches_off(expr: ir.Expr) -> bool:
    """Whether a decorator or a context is one of torch that switches gradients off."""
    return (ir.path_of(expr.func if isinstance(expr, ir.Call) else expr) or "").rpartition(".")[2] in SWITCHING_OFF
