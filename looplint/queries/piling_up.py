"""Which loops a container grows over: not those that empty it, overwrite what is in it, or fill it in their first turns alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from looplint.flow.events import Keep
from looplint.flow.graph import Guard, Loop
from looplint.flow.remarks import Withdraw
from looplint.queries.iterations import said_by
from looplint.queries.naming import container_at
from looplint.queries.program import Program
from looplint.syntax.ir import (
    MIRRORED,
    NEGATED,
    Arg,
    AugAssign,
    Call,
    Compare,
    Const,
    Display,
    Expr,
    For,
    Name,
    path_of,
    paths_in,
    render,
    statements,
    targets,
)
from looplint.syntax.nodes import children


def piles_up_in(program: Program, event: Keep) -> tuple[Loop, ...]:
    """The loops over whose turns what is kept in a container piles up.

    Those that it outlives a turn of, and in which nothing is taken out of it, nor another one put into its place: `if done: losses = []`, and in which not
    only the first turns put something in: `if len(images) < 8`. None where each turn takes the place of the one before: `features[name] = model(x)` in a
    loop over batches within a loop over names.
    """
    if any(_keeps_its_key(event, loop) for loop in event.carried):
        return ()
    taken = [e for e in program.of(Withdraw) if event.into in e.subjects]
    by_method = container_at(event) if isinstance(event.site.node, cst.Call) else ""  # `losses += [loss]` gives the name its value itself

    def emptied(loop: Loop) -> bool:
        return any(loop in e.loops for e in taken) or (loop.frame == event.key[0] and by_method in loop.assigned)

    return tuple(
        loop for loop in event.carried if not (emptied(loop) or _repeats_its_keys(event, loop) or _is_of_its_first_turns(event, loop))
    )


def _keeps_its_key(event: Keep, loop: Loop, counted: Collection[str] = ()) -> bool:
    """Whether the key that something is put under is the same in all turns of a loop: it is made of names that the loop does not bind.

    `counted` are names in it that do not count.
    """
    node = event.site.node
    names = _plain_names([part.slice for part in node.slice]) if isinstance(node, cst.Subscript) else None
    if names is None:
        return False
    names -= {*counted}
    return not names & (loop.assigned | loop.targets) if loop.frame == event.key[0] else not names


def _repeats_its_keys(event: Keep, loop: Loop) -> bool:
    """Whether something is put under the same keys in all turns of a loop: one within it counts them from 0, `for i, value in enumerate(values)`."""
    within = [inner for inner in event.loops if inner.depth > loop.depth and inner.frame == event.key[0]]
    counted = {name for inner in within for name in _counted_from_zero(inner)}
    return bool(counted) and _keeps_its_key(event, loop, counted)


def _counted_from_zero(loop: Loop) -> tuple[str, ...]:
    """The name that counts the turns of a loop from 0, if one does."""
    match loop.stmt:
        case For(target=Name(id=name), iter=Call(func=Name(id="range" | "trange"), args=[Arg()])):
            return (name,)
        case For(target=Display(items=[Name(id=name), *_]), iter=Call(func=Name(id="enumerate"), args=[Arg()])):
            return (name,)
    return ()


def _plain_names(nodes: Sequence[cst.CSTNode]) -> set[str] | None:
    """The names in some expressions; None where there is more than names, constants and what puts them together."""
    names, work = set[str](), list(nodes)
    while work:
        match work.pop():
            case cst.Attribute() | cst.Call() | cst.Subscript() | cst.NamedExpr() | cst.Lambda() | cst.BaseComp():
                return None
            case cst.Name(value=name):
                names.add(name)
            case node:
                work += children(node)
    return names


def _is_of_its_first_turns(event: Keep, loop: Loop) -> bool:
    """Whether only the first turns of a loop put something into a container: by a condition on how full it is, or on what counts them."""
    within = (guard for guard in event.guards if guard.depth >= loop.depth)
    return any(_holds_at_first(part, event, loop) for guard in within for part in said_by(guard))


def _holds_at_first(guard: Guard, event: Keep, loop: Loop) -> bool:
    match guard.test:
        case Compare(left=left, ops=[op], rights=[right]):
            op = op if guard.held else NEGATED.get(op, "")
            if op in (">", ">="):
                left, op, right = right, MIRRORED[op], left
            if op in ("<", "<="):
                return not paths_in(right) & (loop.assigned | loop.targets) and (
                    _is_length_of(left, event, guard) or _counts_turns(left, guard, loop) or _only_grows(left, guard, loop)
                )
            return op == "==" and isinstance(right, Const) and _counts_turns(left, guard, loop)
    return False


def _is_length_of(expr: Expr, event: Keep, guard: Guard) -> bool:
    """Whether an expression is the number of items in the container that something is put into."""
    match expr:
        case Call(func=Name(id="len"), args=[Arg(value=container)]):
            return guard.frame == event.key[0] and render(container) == container_at(event)
    return False


def _counts_turns(expr: Expr, guard: Guard, loop: Loop) -> bool:
    """Whether an expression is the number of a loop's turns so far, which each pass begins anew."""
    return guard.frame == loop.frame and isinstance(expr, Name) and expr.id in _counted_from_zero(loop)


def _only_grows(expr: Expr, guard: Guard, loop: Loop) -> bool:
    """Whether an expression is a count that a loop adds to, and that nothing in the loop sets back: `picked += len(out)`."""
    path = path_of(expr)
    if not path or guard.frame != loop.frame or path not in loop.assigned or loop.stmt is None:
        return False
    sets = [stmt for stmt in statements(loop.stmt.body) if any(path in paths_in(target) for target in targets(stmt))]
    return bool(sets) and all(isinstance(stmt, AugAssign) and stmt.op == "+" for stmt in sets)
