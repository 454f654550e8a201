"""Graphs that a turn of a loop takes over from the one before: those of values under names that it reads before it sets them."""

from __future__ import annotations

from looplint.domain.objects import List, Obj
from looplint.domain.values import EventKey, Iter, Method, Partial, Ref, Tensor, Tuple, Unknown, Value
from looplint.interpreter.frames import Snapshot
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import lookup
from looplint.syntax import ir
from looplint.syntax.upward_exposed import names_read, upward_exposed


def taken_over(interp: Interpreter, body: list[ir.Stmt], heads: tuple[Snapshot, ...]) -> frozenset[EventKey]:
    """The forwards in these graphs, with all that the names lead to: the heap does not follow paths, and may hold what is replaced in each turn."""
    names = upward_exposed(body)
    with interp.looking():
        values = [value for name in names for value in _held(interp, name, heads)]
        for stmt in ir.statements(body):
            if isinstance(stmt, ir.Assign) and any(_is_out_of_sight(interp, target, heads) for target in stmt.targets):
                values += [value for name in names_read(stmt.value) for value in _held(interp, name, heads)]
    return _behind(values)


def _held(interp: Interpreter, name: str, heads: tuple[Snapshot, ...]) -> list[Value]:
    """What a name stands for at some places of the running function."""
    found = [head.locals[name] for head in heads if name in head.locals]
    return found or [lookup(interp, interp.frame, name)]


def _is_out_of_sight(interp: Interpreter, target: ir.Expr, heads: tuple[Snapshot, ...]) -> bool:
    """Whether something is put into an object that is not known: `buffer.hidden[step] = hidden` may be read back in the next turn."""
    if not isinstance(target, ir.Attr | ir.Subscript):
        return False
    while isinstance(target, ir.Attr | ir.Subscript):
        target = target.value
    held = _held(interp, target.id, heads) if isinstance(target, ir.Name) else []
    return not held or any(isinstance(a, Unknown) or (isinstance(a, Ref) and a.obj.symbolic) for value in held for a in value)


def _behind(values: list[Value]) -> frozenset[EventKey]:
    found: set[EventKey] = set()
    seen: set[Obj] = set()
    work = [*values]
    while work:
        for atom in work.pop():
            match atom:
                case Tensor():
                    found.update(atom.forwards if atom.graph != "no" else ())
                case Tuple():
                    work.extend(atom.items)
                case Iter():
                    work.append(atom.element)
                case Partial():
                    work.extend([atom.func, *atom.args, *(value for _, value in atom.kwargs)])
                case Ref(obj=obj) | Method(obj=Ref(obj=obj)) if obj not in seen:
                    seen.add(obj)
                    work.extend(obj.heap.values())
                    work.extend((obj.items or ()) if isinstance(obj, List) else ())
    return frozenset(found)
