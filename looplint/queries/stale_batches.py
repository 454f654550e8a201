"""Loops over data that read what another loop left behind instead of their own batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.dataclass import dataclass
from looplint.flow.events import Forward
from looplint.flow.graph import Loop
from looplint.queries.data_loops import validation_loop
from looplint.queries.program import Program
from looplint.syntax import ir
from looplint.syntax.site import Site

_Loops = tuple[ir.For | ir.While, ...]


@dataclass(frozen=True, slots=True)
class StaleBatch:
    """A loop over data in which nothing is trained: names that it gives a value in each turn and never reads, and those of another loop that it reads."""

    forward: Forward
    loop: Loop
    unread: tuple[str, ...]
    read: tuple[str, ...]
    # Where the other loop stands.
    other: Site


def stale_batches(program: Program) -> Iterator[StaleBatch]:
    """The first forward of each loop that works with what another loop left behind."""
    seen: set[int] = set()
    for event in program.of(Forward):
        loop = validation_loop(program, event)
        if loop is None or not isinstance(loop.stmt, ir.For) or loop.function is None or id(loop.stmt) in seen:
            continue
        seen.add(id(loop.stmt))
        reads = _reads(loop.stmt.body)
        if reads is None:
            continue
        mentioned, own = reads
        names = _batch_names(loop.stmt)
        unread = [name for name in names if name not in mentioned]
        given = _given(event, loop.stmt) if unread == names else set()
        found = _left_behind(loop.function, loop.stmt, mentioned - own, given) if unread else {}
        if found:
            other = next(iter(found.values()))
            yield StaleBatch(event, loop, tuple(unread), tuple(found), Site(loop.site.module, other.node))


def _left_behind(function: ir.Function, stmt: ir.For, reads: set[str], given: set[str]) -> dict[str, ir.For]:
    """The names among those that a loop reads which are bound in other loops alone, with these: batches there, or `given` to the forward."""
    bound: dict[str, list[_Loops]] = {param.name: [()] for param in function.params}
    around: _Loops = ()
    for inner, loops in _placed(function.body, ()):
        around = loops if inner is stmt else around
        for name in ir.binds(inner):
            bound.setdefault(name, []).append((*loops, inner) if isinstance(inner, ir.For) else loops)
    found: dict[str, ir.For] = {}
    for name in sorted(reads & bound.keys() - stmt.assigned - function.declared.keys()):
        others = [next((loop for loop in loops if loop is not stmt and loop not in around), None) for loops in bound[name]]
        whole = [o for o in others if isinstance(o, ir.For) and not _takes_one(o)]
        if len(whole) == len(others) and (name in given or all(name in _batch_names(o) for o in whole)):
            found[name] = whole[0]
    return found


def _placed(body: Iterable[ir.Stmt], loops: _Loops) -> Iterator[tuple[ir.Stmt, _Loops]]:
    """The statements of a block and of those in it, each with the loops around it, outer ones first."""
    for stmt in body:
        yield stmt, loops
        inside = (*loops, stmt) if isinstance(stmt, ir.For | ir.While) else loops
        for block in ir.bodies(stmt):
            yield from _placed(block, inside)


def _batch_names(stmt: ir.For) -> list[str]:
    """The names that a loop gives a batch, or its parts: no counter, and none that says that it is not used."""
    names = sorted(ir.binds(stmt))
    match stmt.target:
        case ir.Display(items=[ir.Name(id=counter), _]) if "enumerate(" in ir.render(stmt.iter):
            names.remove(counter)
    return [name for name in names if not name.startswith("_")]


def _reads(body: list[ir.Stmt]) -> tuple[set[str], set[str]] | None:
    """The names that a block mentions, and those that are its comprehensions' own; None where functions in it may read more."""
    found: set[str] = set()
    own: set[str] = set()
    roots = [e for stmt in ir.statements(body) for e in (*ir.expressions(stmt), *_written_into(stmt))]
    if any(isinstance(stmt, ir.FunctionDef | ir.ClassDef) for stmt in ir.statements(body)):
        return None
    for expr in ir.walk(*roots):
        match expr:
            case ir.Lambda():
                return None
            case ir.Name(id=name):
                found.add(name)
            case ir.Comprehension(clauses=clauses):
                own.update(name for clause in clauses for name in ir.paths_in(clause.target))
    return found, own


def _written_into(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    """What a statement sets other than names, and what it adds to: the names in it are read."""
    match stmt:
        case ir.Assign(targets=targets):
            yield from (t for t in targets if isinstance(t, ir.Attr | ir.Subscript))
        case ir.AugAssign(target=target):
            yield target


def _given(event: Forward, stmt: ir.For) -> set[str]:
    """The names in the arguments of a forward's call, where it stands in a loop's own text."""
    roots = (e for inner in ir.statements(stmt.body) for e in ir.expressions(inner))
    calls = (expr for expr in ir.walk(*roots) if isinstance(expr, ir.Call) and expr.node is event.site.node)
    return next((set().union(*(ir.paths_in(a.value) for a in call.args)) for call in calls), set())


def _takes_one(stmt: ir.For) -> bool:
    """Whether a loop ends with its first turn: it takes a sample."""
    return any(isinstance(inner, ir.Return) or (isinstance(inner, ir.Jump) and inner.kind == "break") for inner in stmt.body)
