"""Models that a loop takes from a container which comes from out of sight: what the loops over that container do with its elements tells what they are."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Module
from looplint.domain.values import ref
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.outside import is_unseen
from looplint.interpreter.roles import infer_role, proves_itself
from looplint.interpreter.usage import Scope, uses
from looplint.syntax import ir


def tell(interp: Interpreter, stmt: ir.For) -> None:
    """Give the names that a loop has just bound the models that they stand for: one for all elements of a container, in whatever loops of the function.

    Args:
        interp: the interpreter, where the loop's body begins.
        stmt: the loop.
    """
    frame = interp.frame
    for name, container in _bound(stmt.target, stmt.iter):
        value = frame.locals.get(name)
        if not value or not all(map(is_unseen, value)):
            continue
        usage = ir.Usage()
        for other in sorted(_names(frame.function).get(container, ())):
            usage.add(uses(interp, Scope(frame.function, frame.module, frame.owner), other).get("", ir.Usage()))
        if infer_role(name, usage, "") == "module" and proves_itself("module", usage):
            model = interp.known(Module, ("element", frame.ctx, container), name)
            model.symbolic = model.foreign = model.many = True
            frame.locals[name] = ref(model)


def _bound(target: ir.Expr, iterable: ir.Expr) -> Iterator[tuple[str, str]]:
    """The names that a loop binds to the elements of a container each, and the name of that container."""
    match target, iterable:
        case ir.Name(id=name), ir.Name() | ir.Attr():
            container = ir.path_of(iterable)
            if container is not None:
                yield name, container
        case ir.Display(items=[_, element]), ir.Call(func=ir.Name(id="enumerate"), args=[ir.Arg(value=inner), *_]):
            yield from _bound(element, inner)
        case ir.Display(items=elements), ir.Call(func=ir.Name(id="zip"), args=args):
            for element, arg in zip(elements, args, strict=False):
                yield from _bound(element, arg.value)


@ir.kept_with_code
def _names(function: ir.Function) -> dict[str, set[str]]:
    """The names that the loops of a function give to the elements of each container."""
    found: dict[str, set[str]] = {}
    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.For):
            for name, container in _bound(stmt.target, stmt.iter):
                found.setdefault(container, set()).add(name)
    return found
