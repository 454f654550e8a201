"""Graphs that a turn of a loop takes over from the one before: those of values under names that it reads before it sets them."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import List, Obj
from looplint.domain.tensors import is_rooted
from looplint.domain.values import EventKey, Func, Iter, Method, Partial, Ref, Tensor, Tuple, Unknown, Value
from looplint.interpreter.frames import Snapshot
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import lookup
from looplint.syntax import ir
from looplint.syntax.upward_exposed import names_read, upward_exposed


def taken_over(interp: Interpreter, body: list[ir.Stmt], heads: tuple[Snapshot, ...]) -> tuple[frozenset[EventKey], bool]:
    """The forwards in these graphs, and whether one goes through none, with all that the names lead to: the heap does not follow paths, and may hold what is replaced in each turn."""
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


def _behind(values: list[Value]) -> tuple[frozenset[EventKey], bool]:
    forwards = (atom.forwards for atom in _tensors(values, read_by_functions=False) if atom.graph != "no")
    return frozenset[EventKey]().union(*forwards), any(map(_is_of_leaves, _tensors(values, read_by_functions=True)))


def _is_of_leaves(tensor: Tensor) -> bool:
    return is_rooted(tensor) or (tensor.graph == "maybe" and not tensor.forwards and bool(tensor.sources))


def _tensors(values: list[Value], read_by_functions: bool) -> Iterator[Tensor]:
    """The tensors that some values lead to, and those that functions among them read from around themselves, where that is asked for."""
    seen: set[Obj | ir.Function] = set()
    work = [*values]
    while work:
        for atom in work.pop():
            match atom:
                case Tensor():
                    yield atom
                case Tuple():
                    work.extend(atom.items)
                case Iter():
                    work.append(atom.element)
                case Partial():
                    work.extend([atom.func, *atom.args, *(value for _, value in atom.kwargs)])
                case Func(function=function) if read_by_functions and function not in seen:
                    seen.add(function)
                    work.extend(_read_around(atom))
                case Ref(obj=obj) | Method(obj=Ref(obj=obj)) if obj not in seen:
                    seen.add(obj)
                    work.extend(obj.heap.values())
                    work.extend((obj.items or ()) if isinstance(obj, List) else ())


def _read_around(func: Func) -> Iterator[Value]:
    """What a function reads that is set around it: in the functions that it stands in, and at the top of its module."""
    if func.bound is not None:
        yield func.bound
    scopes: list[dict[str, Value]] = []
    frame = func.closure
    while frame is not None:
        scopes.append(frame.locals)
        frame = frame.closure
    scopes += [func.module.frame.locals] if func.module.frame is not None else []
    for name in _exposed(func.function):
        yield next((scope[name] for scope in scopes if name in scope), frozenset())


@ir.kept_with_code
def _exposed(function: ir.Function) -> frozenset[str]:
    return upward_exposed(function.body) - {param.name for param in function.params}
