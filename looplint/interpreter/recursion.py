"""Functions that call themselves on the parts of what they are given: what one that only looks at them gives."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Container, Engine, Module
from looplint.domain.tensors import tensors_in
from looplint.domain.values import NOTHING, Arguments, Const, EventKey, External, Func, Number, Ref, Tensor, Unknown, Value, constant_of
from looplint.interpreter import unfollowed
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# How many levels of a recursion over what models put out are followed below the first: the structure is seldom known any deeper.
LEVELS = 1

# What a function calls that goes over the parts of a model, asks what they are, and collects or prints them.
_LOOKS = frozenset({
    "children", "named_children", "modules", "named_modules", "parameters", "named_parameters", "buffers", "named_buffers",
    "items", "keys", "values", "get", "append", "extend", "add", "numel", "size", "dim", "startswith", "endswith", "split", "join", "format", "lower",
    "isinstance", "issubclass", "hasattr", "getattr", "len", "list", "dict", "tuple", "set", "str", "repr", "int", "float", "type", "print",
    "zip", "enumerate", "range", "sorted", "reversed", "sum", "max", "min", "any", "all", "id",
})  # fmt: skip


@ir.kept_with_code
def only_looks(function: ir.Function) -> bool:
    """Whether a function calls nothing but itself and what tells it about its arguments, and sets no attribute: what it is given stays as it is."""
    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.Delete) or not all(
            _is_own(each, function) for target in ir.targets(stmt) for each in ir.single_targets(target)
        ):
            return False
        for expr in ir.expressions(stmt):
            if any(isinstance(each, ir.Call) and not _asks(each.func, function) for each in ir.walk(expr)):
                return False
    return True


def _is_own(target: ir.Expr, function: ir.Function) -> bool:
    """Whether a name is bound, or an item of what is not handed in."""
    given = {param.name for param in function.params}
    own = isinstance(target, ir.Subscript) and isinstance(target.value, ir.Name) and target.value.id not in given
    return isinstance(target, ir.Name) or own


def _asks(func: ir.Expr, function: ir.Function) -> bool:
    match func:
        case ir.Name(id=name):
            return name in _LOOKS or name == function.name
        case ir.Attr(attr=name, value=receiver):
            return name in _LOOKS or (name == function.name and ir.path_of(receiver) in ("self", "cls"))
    return False


def is_of_outputs(interp: Interpreter, args: Arguments) -> bool:
    """Whether a call is given tensors with graphs, in whatever structure, and nothing else of a loop: `to_cpu(outputs["logits"])`."""
    return any(tensor.graph != "no" for tensor in tensors_in(args.values())) and not interp.reachable(args.values())


def takes_another_branch(interp: Interpreter, func: Func, args: Arguments) -> bool:
    """Whether a call in a recursion is told otherwise than all those that are under way, by a constant that the function asks for.

    `process(batch, model, "val")` within `process(batch, model, "train")` runs other branches, and does not come back here.
    """
    function = func.function
    asked = {name: told for name, told in _constants(func, args).items() if name in function.tested}
    return bool(asked) and all(
        any((before := constant_of(each.locals.get(name, NOTHING))) is not None and before.value != told for name, told in asked.items())
        for each in _running(interp, function)
    )


def _running(interp: Interpreter, function: ir.Function) -> Iterator[Frame]:
    """The calls of a function that are under way, the last one first."""
    return (frame for frame in interp.frame.outward() if frame.function is function)


def _constants(func: Func, args: Arguments) -> dict[str, object]:
    """The constants that a call gives to parameters by their names."""
    params = func.function.params[func.bound is not None :]
    given = {param.name: args.get(place, param.name) for place, param in enumerate(params) if param.kind in ("plain", "keyword")}
    found = {name: constant_of(value) for name, value in given.items() if value is not None}
    return {name: each.value for name, each in found.items() if each is not None}


def is_given_the_same(interp: Interpreter, function: ir.Function, args: Arguments) -> bool:
    """Whether a call in a recursion is given tensors, in no structure that is known, which a call that is still under way has been given too.

    As far as can be told it does with them what that one does.
    """
    atoms = [a for value in args.values() for a in value if not isinstance(a, Const | Number | Func | External)]
    if not atoms or not all(isinstance(a, Tensor | Unknown) for a in atoms):
        return False
    forwards = frozenset[EventKey]().union(*(a.forwards for a in atoms if isinstance(a, Tensor)))
    last = next(_running(interp, function), None)
    given = [a for param in function.params for a in last.locals.get(param.name, NOTHING)] if last is not None else []
    return any(isinstance(a, Tensor) and forwards <= a.forwards for a in given)


def looked_at(interp: Interpreter, args: Arguments) -> Value:
    """What a call of such a function gives, and leaves in the containers that it is given: any of the arguments, or of what they hold."""
    values = args.values()
    containers = [a.obj for value in values for a in value if isinstance(a, Ref) and isinstance(a.obj, Container)]
    others = frozenset(a for value in values for a in value if not (isinstance(a, Ref) and a.obj in containers))
    for container in containers:
        interp.write(container, "[]", others)
    deps = frozenset(o for o in interp.reachable(values) if isinstance(o, Module | Engine))
    return frozenset({unfollowed.made_of(values, deps.union(*(a.deps for v in values for a in v if isinstance(a, Unknown))))})
