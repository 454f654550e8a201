"""Containers whose every entry a loop replaces: `for key in losses: losses[key] = losses[key].item()`.

The heap does not follow paths: an entry holds what was ever put there. What stands in all entries behind such a loop is a fact of the path.
"""

from __future__ import annotations

from looplint.domain.objects import Dict, List
from looplint.domain.values import UNKNOWN, Number, Tensor, Unknown, join, ref, refs
from looplint.interpreter import objects
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

_COPIED = frozenset({"list", "tuple", "sorted"})
_TENSOR_TESTS = frozenset({"isinstance", "torch.is_tensor", "hasattr"})


def note(interp: Interpreter, loop: ir.For) -> None:
    """Remember what a loop that has been gone through has put into all entries of what it went over."""
    target = _gone_over(loop)
    jumps = {s.kind for s in ir.statements(loop.body) if isinstance(s, ir.Jump)}
    if target is None or not interp.alive or "break" in jumps:
        return
    container, key = target
    for stmt in loop.body:
        if any(isinstance(s, ir.Jump) for s in ir.statements([stmt])):
            return  # what stands behind it is not done in every turn
        tested = isinstance(stmt, ir.If) and not stmt.orelse and _asks_for_tensor(stmt.test)
        for inner in stmt.body if isinstance(stmt, ir.If) and tested else [stmt]:
            if isinstance(inner, ir.Assign) and any(_is_entry(t, container, key) for t in inner.targets):
                _replaced(interp, loop, container, inner, rest=tested)


def _replaced(interp: Interpreter, loop: ir.For, container: ir.Expr, stmt: ir.Assign, *, rest: bool) -> None:
    """Every entry holds what a statement puts there, or, where only tensors are replaced, the rest of what it held."""
    with interp.looking():
        held = evaluate(interp, container)
        value = evaluate(interp, stmt.value)
    for obj in refs(held, Dict, List) if len(held) == 1 else ():
        others = frozenset(a for a in objects.entries(interp, obj) if not isinstance(a, Tensor | Number)) if rest else frozenset()
        interp.set_constant(obj, "[]", join(value, others))
    if (
        isinstance(container, ir.Name)
        and container.id in interp.frame.locals
        and not _counts(loop)
        and all(isinstance(a, Tensor | Unknown) for a in held)
    ):
        # A dict that something out of sight has given.
        made = interp.create(Dict, loop.node)
        interp.write(made, "[]", join(value, UNKNOWN) if rest else value)
        interp.frame.locals[container.id] = ref(made)


def _counts(loop: ir.For) -> bool:
    """Whether the keys of a loop are numbers: what it writes under may be the rows of a tensor, which keep their graphs."""
    match loop.iter, loop.target:
        case ir.Call(func=ir.Name(id="range")), _:
            return True
        case ir.Call(func=ir.Name(id="enumerate")), ir.Display(items=[_, ir.Name()]):
            return True
    return False


def _gone_over(loop: ir.For) -> tuple[ir.Expr, str] | None:
    """The container whose every key a loop goes over, and the name of the key."""
    iterated = loop.iter
    if isinstance(iterated, ir.Call) and isinstance(iterated.func, ir.Name) and iterated.func.id in _COPIED and len(iterated.args) == 1:
        iterated = iterated.args[0].value
    match iterated, loop.target:
        case ir.Call(func=ir.Attr(value=container, attr="keys"), args=[]), ir.Name(id=key):
            pass
        case ir.Call(func=ir.Attr(value=container, attr="items"), args=[]), ir.Display(items=[ir.Name(id=key), _]):
            pass
        case ir.Call(
            func=ir.Name(id="enumerate"), args=[ir.Arg(value=ir.Call(func=ir.Attr(value=container, attr="items"), args=[]))]
        ), ir.Display(items=[_, ir.Display(items=[ir.Name(id=key), _])]):
            pass
        case ir.Call(func=ir.Name(id="enumerate"), args=[ir.Arg(value=container)]), ir.Display(items=[ir.Name(id=key), _]):
            pass
        case ir.Call(
            func=ir.Name(id="range"), args=[ir.Arg(value=ir.Call(func=ir.Name(id="len"), args=[ir.Arg(value=container)]))]
        ), ir.Name(id=key):
            pass
        case (ir.Name() | ir.Attr()) as container, ir.Name(id=key):
            pass
        case _:
            return None
    return (container, key) if ir.path_of(container) else None


def _is_entry(target: ir.Expr, container: ir.Expr, key: str) -> bool:
    """Whether a target is the entry of a container under a name."""
    match target:
        case ir.Subscript(value=base, index=ir.Name(id=name)):
            return name == key and ir.path_of(base) == ir.path_of(container)
    return False


def _asks_for_tensor(test: ir.Expr) -> bool:
    """Whether a test asks if something is a tensor, by its class or by what it can do."""
    return isinstance(test, ir.Call) and ir.path_of(test.func) in _TENSOR_TESTS
