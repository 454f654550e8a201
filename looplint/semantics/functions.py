"""Functions of functions: what calls, wraps or gives back its arguments, and what does nothing to them."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    External,
    Func,
    Method,
    Number,
    Partial,
    Ref,
    Unknown,
    Value,
    constant_of,
    exact_items,
)
from looplint.interpreter import unfollowed
from looplint.interpreter.filled import fill
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.knowledge.frameworks import FILLED
from looplint.syntax import ir


@transfer("collective")
def _collective(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """What the processes send each other is put into a list that some functions are given; tensors are written in place."""
    place = FILLED.get(qualname.rpartition(".")[2])
    given = args.get(*place) if place is not None else None
    if given is not None:
        fill(interp, given)
    return unfollowed.put_off(interp, args)


@transfer("pure", "update-bn", "field")
def _pure(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Nothing happens to what it is given. Functions among its arguments may be called later."""
    return unfollowed.put_off(interp, args)


@transfer("same")
def same(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "module", "model", "iterable") or UNKNOWN
    # A bound forward that is compiled or traced is a program of its own, and stands for the module.
    return frozenset(a.obj if isinstance(a, Method) and a.name == "forward" and isinstance(a.obj, Ref) else a for a in given)


@transfer("told-type")
def _told_type(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`cast(Tensor, output)` gives back what it says the type of."""
    return args.get(1, "val", "the_value") or UNKNOWN


@transfer("apply")
def _apply(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Applies its first argument to the rest (checkpoint, data_parallel)."""
    if not args.positional:
        return UNKNOWN
    inner = args.handed_on(args.positional[1:], {k: v for k, v in args.keywords.items() if k != "use_reentrant"})
    return interp.call(args.positional[0], inner, expr)


@transfer("apply-in-windows")
def _apply_in_windows(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Applies a model to parts of an input, and puts together what comes out."""
    return _applied(interp, args.get(3, "predictor"), args.get(0, "inputs"), args, expr)


@transfer("inferer")
def _inferer(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """An object whose call applies a model to an input, or to parts of it."""
    return frozenset({External("monai.inferers.Inferer.__call__")})


@transfer("apply-second")
def _apply_second(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return _applied(interp, args.get(1, "network"), args.get(0, "inputs"), args, expr)


@transfer("integrate")
def _integrate(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Applies a function to times and to the states it leads to: `odeint(function, state, times)` calls `function(time, state)`."""
    function, state, times = args.get(0, "func"), args.get(1, "y0"), args.get(2, "t")
    if function is None or state is None or times is None or args.starred:
        return unfollowed.unknown_call(interp, None, args, expr)
    return interp.call(function, Arguments([times, state]), expr)


def _applied(interp: Interpreter, model: Value | None, inputs: Value | None, args: Arguments, expr: ir.Call) -> Value:
    if model is None or inputs is None or args.starred:
        return unfollowed.unknown_call(interp, None, args, expr)
    return interp.call(model, Arguments([inputs]), expr)


@transfer("partial")
def _partial(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if not args.positional:
        return UNKNOWN
    return frozenset({Partial(args.positional[0], tuple(args.positional[1:]), tuple(args.keywords.items()))})


@transfer("bound-method")
def _bound_method(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`types.MethodType(function, obj)`: what is called of it gets the object first, as a method of its class does."""
    if len(args.positional) != 2 or args.starred:
        return UNKNOWN
    function, owner = args.positional
    return frozenset(replace(a, bound=owner) if isinstance(a, Func) else Unknown() for a in function)


@transfer("weak-reference")
def _weak_reference(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`weakref.ref(model)`: its call gives the object as long as that is there, and a proxy is as good as that. Neither keeps a tensor."""
    objects = frozenset(a for a in args.positional[0] if isinstance(a, Ref)) if args.positional else NOTHING
    if not objects or qualname.endswith("proxy"):
        return objects or UNKNOWN
    return frozenset({Partial(frozenset({External(f"{qualname}.__call__")}), (objects,), ())})


@transfer("decorator")
def _decorator(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


@transfer("rank")
def _rank(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """The number of the process: another one in each."""
    return frozenset({Number(frozenset({"rank"}))})


@transfer("spawn")
def _spawn(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A launcher: the function it is given runs with its arguments, after the rank."""
    if not args.positional:
        return UNKNOWN
    given = args.get(1, "args")
    items = exact_items(given) if given else None
    rank = [frozenset({Number(frozenset({"rank"}))})] if qualname.startswith("torch") else []
    passed = [*rank, *(items or [])]
    interp.call(args.positional[0], Arguments(passed, {}, items is None), _as_written(expr, len(passed)) or expr)
    return UNKNOWN


def _as_written(launch: ir.Call, number: int) -> ir.Call | None:
    """The call that a launcher makes, where the text names its arguments: what the function does hangs on the conditions that the caller knows of them."""
    launched, written = ir.argument(launch, 0, "fn"), ir.argument(launch, 1, "args")
    if not isinstance(launched, ir.Name | ir.Attr) or not isinstance(written, ir.Display) or not number - 1 <= len(written.items) <= number:
        return None
    rank = [ir.Const(launch.node, 0)] * (number - len(written.items))
    return ir.Call(launch.node, launched, [ir.Arg(value) for value in (*rank, *written.items)], launch.dropped)


@transfer("exec")
def _exec(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`exec(open("config.py").read())`: code out of sight may give a module's settings other values."""
    code = interp.frame.module.lowered()
    if len(expr.args) == 1 and code is not None and interp.frame.function is code.top:
        names = interp.frame.locals
        names.update({name: UNKNOWN for name, value in names.items() if constant_of(value) is not None})
    return unfollowed.unknown_call(interp, None, args, expr)


@transfer("exit")
def _exit(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    interp.die()
    return UNKNOWN
