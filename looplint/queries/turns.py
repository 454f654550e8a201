"""What lives for one turn of a loop: what a call in the turn makes, keeps in nothing older than itself and hands to no later turn."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.domain.call_string import CallString, contexts_of
from looplint.domain.objects import Obj
from looplint.domain.values import Ref
from looplint.flow.events import Event
from looplint.flow.graph import Loop
from looplint.queries.program import Program
from looplint.syntax import ir


def is_gone_with_the_turn(program: Program, obj: Obj, event: Event, loop: Loop) -> bool:
    """Whether what an event happens to was made by the call of the same turn that leads to the event, and ends with that call."""
    call = next((c for c in contexts_of(obj.key) if c.outer is loop.frame), None)
    context = event.key[0]
    if call is None or not isinstance(context, CallString) or call not in context.outward() or loop.stmt is None:
        return False
    return not _comes_again(loop.stmt, call) and not any(call not in contexts_of(holder.key) for holder in _holders(program, obj))


def _comes_again(loop: ir.For | ir.While, call: CallString) -> bool:
    """Whether what a call in a loop gives may go into it in the next turn; or it is none of the statements of the loop."""
    for stmt in ir.statements(loop.body):
        for inner in (e for whole in ir.expressions(stmt) for e in ir.walk(whole)):
            if isinstance(inner, ir.Call) and call.site and call.site[0] == id(inner.node):
                given = {path.partition(".")[0] for arg in inner.args for path in ir.paths_in(arg.value)}
                return not given.isdisjoint(ir.binds(stmt)) or any(not isinstance(target, ir.Name) for target in ir.targets(stmt))
    return True


def _holders(program: Program, obj: Obj) -> Iterable[Obj]:
    """The objects that hold one, by whatever they hold."""
    holding: dict[Obj, list[Obj]] = {}
    for each in program.heap.objects.values():
        for part in {a.obj for value in each.heap.values() for a in value if isinstance(a, Ref)}:
            holding.setdefault(part, []).append(each)
    wholes, work = {obj}, [obj]
    while work:
        found = [each for each in holding.get(work.pop(), ()) if each not in wholes]
        yield from found
        wholes.update(found)
        work += found
