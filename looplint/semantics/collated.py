"""Parts of a batch that the program makes as tensors, for a loader's `collate_fn`, or for torch's own: `return names, torch.stack(images)`, `return x, 1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.domain.objects import Loader
from looplint.domain.values import NOTHING, Atom, ClassRef, External, Func, Ref, Value
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.pytorch import FACTORIES
from looplint.semantics.moved_again import unconverted
from looplint.syntax import ir

# What gives one tensor of what it is given, whatever that is.
_JOINING = ("torch.stack", "torch.cat", "torch.as_tensor", "torch.nn.utils.rnn.pad_sequence")
_MAKING = frozenset(_JOINING) | {f"torch.{name}" for name in FACTORIES}


def is_collated_as_tensor(interp: Interpreter, name: str, sources: Iterable[object]) -> bool:
    """Whether a name gets a batch or a part of it, and whatever puts the batches of its loaders together makes one tensor of that."""
    given = [_makers(each) for each in sources]
    place = _place(interp.frame.function, name) if given and all(makers for makers, _ in given) else None
    return place is not None and all(_makes_there(interp, atom, how, *place) for makers, how in given for atom in makers)


def _makers(source: object) -> tuple[Value, str]:
    """What makes the parts of a loader's batches, and by which method where it is no function.

    That is its `collate_fn`, or its dataset, the items of which torch stacks by their places.
    """
    if not isinstance(source, Loader):
        return NOTHING, ""
    if collating := source.options.get("collate_fn", NOTHING):
        return collating, "__call__"
    datasets = source.options.get("dataset", NOTHING)
    return datasets if source.complete else NOTHING, "__getitem__"


def _place(function: ir.Function, name: str) -> tuple[int, int] | None:
    """Which part of the batches of a loop a name gets, and of how many, 0 for the whole; None where it gets anything else but conversions of that."""
    found = set()
    for stmt in ir.statements(function.body):
        if name not in ir.binds(stmt):
            continue
        match stmt:
            case ir.For(target=target, iter=iterated):
                if isinstance(target, ir.Display) and len(target.items) == 2 and _counts(iterated):
                    target = target.items[1]
                whole = isinstance(target, ir.Name) and target.id == name
                found.add((0, 0) if whole else next(_places(target, name), None))
            case ir.Assign() if all(ir.path_of(unconverted(value)[0]) == name for value in _given(stmt, name)):
                continue
            case _:
                return None
    return found.pop() if len(found) == 1 else None


def _given(stmt: ir.Assign, name: str) -> list[ir.Expr]:
    """What an assignment gives a name; the whole where the text does not pair it."""
    return [value for target, value in ir.assigned(stmt) if name in ir.paths_in(target)]


def _counts(iterated: ir.Expr) -> bool:
    """Whether a loop gets a number before each of what it goes over: `enumerate(loader)`."""
    match iterated:
        case ir.Call(func=ir.Name(id="enumerate")):
            return True
        case ir.Call(args=[ir.Arg(value=inner), *_]):
            return _counts(inner)  # `tqdm(enumerate(loader))`
    return False


def _places(target: ir.Expr, name: str) -> Iterator[tuple[int, int]]:
    """The place of a name in a target, or in the last part of that: `for x, y in loader`, `for number, (x, y) in enumerate(loader)`."""
    if isinstance(target, ir.Display) and target.items:
        for number, item in enumerate(target.items):
            if isinstance(item, ir.Name) and item.id == name:
                yield number, len(target.items)
        yield from _places(target.items[-1], name)


def _makes_there(interp: Interpreter, atom: Atom, how: str, place: int, count: int) -> bool:
    """Whether a function, or a method of an object, returns so many things, and makes one tensor at a place."""
    if isinstance(atom, Ref) and atom.obj.cls is not None:
        called = classes.find_member(interp, atom.obj.cls, how)
        return called is not None and isinstance(called[0], ir.Function) and _returns_tensor(interp, called[0], called[1], place, count)
    return isinstance(atom, Func) and not atom.function.decorators and _returns_tensor(interp, atom.function, atom, place, count)


def _returns_tensor(interp: Interpreter, function: ir.Function, within: Func | ClassRef, place: int, count: int) -> bool:
    returned = [stmt.value for stmt in ir.statements(function.body) if isinstance(stmt, ir.Return)]
    match returned:
        case [value] if value is not None and not count:
            pass
        case [ir.Display(items=items)] if len(items) == count and not any(isinstance(item, ir.Star) for item in items):
            value = items[place]
        case _:
            return False
    if isinstance(value, ir.Name):
        binding = [stmt for stmt in function.body if any(value.id in ir.binds(inner) for inner in ir.statements([stmt]))]
        match binding[-1:]:
            case [ir.Assign(targets=[ir.Name()], value=made)]:
                value = made
            case _:
                return False
    return _makes_a_tensor(interp, value, within)


def _makes_a_tensor(interp: Interpreter, value: ir.Expr, within: Func | ClassRef) -> bool:
    source, _ = unconverted(value)
    if not isinstance(source, ir.Call) or ir.path_of(source.func) is None:
        return False
    with interp.looking():
        makers = classes.static_value(interp, source.func, within.module, within.closure)
    return bool(makers) and all(isinstance(a, External) and (a.qualname in _MAKING or _is_of_a_type(a.qualname)) for a in makers)


def _is_of_a_type(qualname: str) -> bool:
    """`torch.LongTensor`, `torch.Tensor`."""
    return qualname.startswith("torch.") and qualname.endswith("Tensor") and qualname.count(".") == 1
