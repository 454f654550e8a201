"""Whether a module differs between train and eval mode: by the arguments of its constructor, and by what its forward reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from looplint.domain.objects import Module
from looplint.domain.values import UNKNOWN, Arguments, ClassRef, Const, Method, Ref, Unknown, Value, const, constant_of, is_one
from looplint.interpreter import classes
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.operators import compare, truth_of
from looplint.knowledge import naming
from looplint.knowledge.layers import DROPOUT_ARGUMENTS, MODE_SENSITIVE, MOMENTA, RECURRENT, TRACKING
from looplint.semantics.reads_of_forwards import reads_of_forward
from looplint.semantics.ways_to_compute import chooses_how
from looplint.syntax import ir


def note_modes(interp: Interpreter, obj: Module, args: Arguments, expr: ir.Call) -> None:
    """Note of a module that is built whether its own computation differs between the modes."""
    _note_momentum(obj, obj.qualname, args)
    differs = _layer_differs(obj, args) if obj.cls is None else _forward_asks(interp, obj, obj.cls)
    obj.reads = reads_of_forward(interp, obj.cls) if obj.cls is not None else None
    if differs and obj.cls is None and _is_asked_for(interp.frame, obj, args, expr):
        differs = None
    if differs is False and obj.cls is not None and _applies_what_is_out_of_sight(interp, obj, obj.cls):
        differs = None
    modal: Literal["yes", "no", "maybe"] = "maybe" if differs is None else "yes" if differs else "no"
    obj.modal = modal if obj.modal in ("", modal) else "maybe"


def note_momentum_of_base(interp: Interpreter, obj: Module, args: Arguments) -> None:
    """Note of what derives from a norm whether each batch replaces its running statistics, by what the constructor of that is given."""
    for base in classes.external_bases(interp, obj.cls) if obj.cls is not None else ():
        _note_momentum(obj, base, args)


def _note_momentum(obj: Module, layer: str, args: Arguments) -> None:
    """Note of a norm whether each batch replaces its running statistics."""
    library, _, leaf = layer.rpartition(".")
    given = args.get(MOMENTA[leaf], "momentum") if library.startswith("torch.nn") and leaf in MOMENTA else None
    obj.of_one_batch = obj.of_one_batch or is_one(given)


def switches_of_forward(interp: Interpreter, cls: ClassRef) -> tuple[str, ...]:
    """What a forward calls of its own module in each run, whoever calls it: its mode, or a clear of its gradients: `def forward(self, x): self.train()`."""
    member = classes.find_member(interp, cls, "forward")
    return _switches_in(member[0]) if member is not None and isinstance(member[0], ir.Function) else ()


@ir.kept_with_code
def _switches_in(forward: ir.Function) -> tuple[str, ...]:
    own = forward.params[0].name if forward.params else ""
    found: dict[str, str] = {}
    for stmt in forward.body:
        match stmt:
            case ir.ExprStmt(value=ir.Call(func=ir.Attr(value=ir.Name(id=name), attr="train" | "eval" as mode), args=[])) if name == own:
                found.setdefault("mode", mode)
            case ir.ExprStmt(value=ir.Call(func=ir.Attr(value=ir.Name(id=name), attr="zero_grad"))) if name == own:
                found.setdefault("clear", "zero_grad")
    return tuple(found.values())


def _layer_differs(obj: Module, args: Arguments) -> bool | None:
    leaf = obj.qualname.rpartition(".")[2]
    if not obj.qualname.startswith("torch.nn."):
        return leaf in MODE_SENSITIVE
    if leaf in RECURRENT:
        # Dropout stands between the layers: one layer has none.
        return _both(_is_more(args.get(2, "num_layers"), 1, args), _is_more(args.get(5, "dropout"), 0, args))
    if leaf in DROPOUT_ARGUMENTS:
        position, name, default = DROPOUT_ARGUMENTS[leaf]
        given = args.get(position, name)
        if given is not None and len(given) > 1 and any(isinstance(a, Const) and not a.value for a in given):
            return None  # off by default, or on one of several ways
        return default if given is None else _is_more(given, 0, args) is not False
    if leaf in TRACKING:
        position, default = TRACKING[leaf]
        given = args.get(position, "track_running_stats")
        known = constant_of(given) if given is not None else None
        return default if given is None else known is None or bool(known.value)
    return leaf in MODE_SENSITIVE


def _is_asked_for(frame: Frame, obj: Module, args: Arguments, expr: ir.Call) -> bool:
    """Whether a layer drops at a rate that is not known, for which the outermost function that hands it down with a default has 0: drop who asks for it."""
    argument = DROPOUT_ARGUMENTS.get(obj.qualname.rpartition(".")[2])
    if argument is None or not obj.qualname.startswith("torch.nn."):
        return False
    position, name, _ = argument
    given = args.get(position, name)
    if given is None or not all(isinstance(a, Unknown | Method) for a in given):
        return False
    rate = ir.argument(expr, position, name)
    default: ir.Expr | None = None
    caller: Frame | None = frame
    while caller is not None and isinstance(rate, ir.Name):
        here, local = caller, rate.id
        default = next((p.default for p in here.function.params if p.name == local and p.default is not None), default)
        rate, caller = here.handed.get(local), here.caller
    return isinstance(default, ir.Const) and not default.value


def _is_more(value: Value | None, than: float, args: Arguments) -> bool | None:
    """Whether an argument is a number above another one; it is not where it is left out."""
    if value is None:
        return None if args.starred else False
    known = constant_of(value)
    return known.value > than if known is not None and isinstance(known.value, int | float) else None


def _both(left: bool | None, right: bool | None) -> bool | None:
    return False if left is False or right is False else None if left is None or right is None else True


def _forward_asks(interp: Interpreter, obj: Module, cls: ClassRef) -> bool | None:
    """Whether a forward, or a method that it calls, reads `self.training` to some effect; None where that chooses only how something is computed."""
    asking = [
        (function, owner)
        for function, owner, usage in _run_by_forward(interp, cls)
        if "training" in usage.attrs and not any(harmless(function, obj) for harmless in _HARMLESS)
    ]
    if not asking:
        return False
    return None if all(chooses_how(interp, function, owner, obj) for function, owner in asking) else True


def _applies_what_is_out_of_sight(interp: Interpreter, obj: Module, cls: ClassRef) -> bool:
    """Whether a forward, or a method that it calls, calls what the module keeps and nothing is known of: that may be a model with layers of any kind."""
    called = frozenset().union(*(usage.methods for _, _, usage in _run_by_forward(interp, cls)))
    return any(
        any(isinstance(a, Unknown) for a in obj.heap.get(name, ())) and not naming.has_no_modes(name)
        for name in called
        if classes.find_member(interp, cls, name) is None
    )


def _run_by_forward(interp: Interpreter, cls: ClassRef) -> Iterator[tuple[ir.Function, ClassRef, ir.Usage]]:
    """The forward of a class and the methods that it calls or reads, each with the class it stands in and what it does with its own object."""
    seen: set[str] = set()
    work = ["forward"]
    while work:
        name = work.pop()
        found = classes.find_member(interp, cls, name) if name not in seen else None
        seen.add(name)
        if found is None or not isinstance(found[0], ir.Function):
            continue
        usage = found[0].usage_of_self
        if usage is not None:
            yield found[0], found[1], usage
            work.extend(sorted(usage.methods | usage.attrs))


def _saves_memory(function: ir.Function, obj: Module) -> bool:
    """Whether a method reads `self.training` only to compute checkpointed parts again in the backward: what it gives is the same."""
    mode = f"{function.params[0].name}.training"
    stmts = list(ir.statements(function.body))
    asking = [(stmt, whole) for stmt in stmts for whole in ir.expressions(stmt) if _reads(whole, mode)]
    return bool(asking) and all(_names_checkpoint(whole) or _chooses_checkpoint(stmt, stmts) for stmt, whole in asking)


def _chooses_checkpoint(stmt: ir.Stmt, stmts: list[ir.Stmt]) -> bool:
    """Whether what a statement asks decides only whether parts are checkpointed: in its own branches, or in those under a name that it gives to the outcome."""
    match stmt:
        case ir.If():
            return any(
                _checkpoints(body) and _runs_the_same(body, other) for body, other in ((stmt.body, stmt.orelse), (stmt.orelse, stmt.body))
            )
        case ir.Assign(targets=[ir.Name(id=name)]):
            asking = [(each, whole) for each in stmts for whole in ir.expressions(each) if _reads(whole, name)]
            return bool(asking) and all(
                _names_checkpoint(whole) or (isinstance(each, ir.If) and _chooses_checkpoint(each, [])) for each, whole in asking
            )
    return False


def _checkpoints(body: list[ir.Stmt]) -> bool:
    """Whether all that a branch computes is computed under a checkpoint."""
    computed = [stmt for stmt in ir.statements(body) if isinstance(stmt, ir.Assign | ir.AugAssign | ir.ExprStmt | ir.Return)]
    return bool(computed) and all(all(_is_checkpointed(whole) for whole in ir.expressions(stmt)) for stmt in computed)


def _runs_the_same(body: list[ir.Stmt], other: list[ir.Stmt]) -> bool:
    """Whether the attributes that one branch checkpoints are called in the other one, which may be all that follows it."""
    checkpointed = (e.args[0].value for e in ir.calls_in(body) if _is_checkpointed(e) and e.args)
    called = {ir.path_of(e.func) for e in ir.calls_in(other)}
    return not other or all(not isinstance(run, ir.Attr) or ir.path_of(run) in called for run in checkpointed)


def _is_checkpointed(expr: ir.Expr) -> bool:
    """Whether an expression is what a checkpoint gives, with nothing computed of it but a sum: `x + checkpoint(block, x)`."""
    match expr:
        case ir.Call():
            return "checkpoint" in (ir.path_of(expr.func) or "")
        case ir.Binary(op="+", left=left, right=right):
            return any(map(_is_checkpointed, (left, right))) and all(_is_checkpointed(e) or ir.path_of(e) for e in (left, right))
    return False


def _names_checkpoint(expr: ir.Expr) -> bool:
    return any("checkpoint" in path for path in ir.paths_in(expr))


def _reads(expr: ir.Expr, path: str) -> bool:
    return any(ir.path_of(e) == path for e in ir.walk(expr))


def _returns_more(function: ir.Function, obj: Module) -> bool:
    """Whether a method reads `self.training` only to return more than in eval mode: a caller who has the other mode than it expects fails at once."""
    mode = f"{function.params[0].name}.training"
    asked, returning = 0, 0
    for stmt in ir.statements(function.body):
        asked += sum(ir.path_of(e) == mode for whole in ir.expressions(stmt) for e in ir.walk(whole))
        match stmt:
            case ir.If(test=test, body=[ir.Return(value=ir.Display() as value)]) if ir.path_of(test) == mode:
                returning += not any(isinstance(e, ir.Call) for e in ir.walk(value))
    return asked == returning


def _is_settled(function: ir.Function, obj: Module) -> bool:
    """Whether a method reads `self.training` only where the mode changes nothing, as the module was built.

    That is a test that comes out one way (`if self.training and self.noise > 0:` without noise), or a dropout whose rate is 0.
    """
    own = function.params[0].name
    asked, settled = 0, 0
    for stmt in ir.statements(function.body):
        for whole in ir.expressions(stmt):
            asked += _count(whole, own)
            settled += sum(_count(e, own) for e in _drops_nothing(whole, obj, own))
        if isinstance(stmt, ir.If) and _outcome(stmt.test, obj, own) is not None:
            settled += _count(stmt.test, own)
    return asked == settled


def _count(expr: ir.Expr, own: str) -> int:
    return sum(ir.path_of(e) == f"{own}.training" for e in ir.walk(expr))


def _drops_nothing(expr: ir.Expr, obj: Module, own: str) -> Iterator[ir.Expr]:
    """The outermost parts of an expression that are dropouts at the rate 0, or that choose between the rate 0 and none by the mode."""
    match expr:
        case ir.IfExp(body=one, orelse=other) if _is_zero(one, obj, own) and _is_zero(other, obj, own):
            yield expr
        case ir.Call(func=func, args=[_, *given]) if "dropout" in (ir.path_of(func) or "").rpartition(".")[2]:
            if any(_is_zero(arg.value, obj, own) for arg in given if arg.keyword in (None, "p") and not arg.star):
                yield expr
        case _:
            for inner in ir.children(expr):
                yield from _drops_nothing(inner, obj, own)


def _is_zero(expr: ir.Expr, obj: Module, own: str) -> bool:
    """Whether a rate is 0 as the module was built: a number, an attribute, or the rate of a dropout that it has (`self.drop.p`)."""
    if isinstance(expr, ir.Attr) and expr.attr == "p":
        layers = _kept(expr.value, obj, own)
        return bool(layers) and all(isinstance(a, Ref) and isinstance(a.obj, Module) and a.obj.modal == "no" for a in layers)
    known = constant_of(_kept(expr, obj, own))
    return known is not None and not isinstance(known.value, bool | str) and known.value == 0


def _outcome(test: ir.Expr, obj: Module, own: str) -> bool | None:
    """What comes out of a test by what a module was built with, whatever its mode; None where that is not known."""
    match test:
        case ir.BoolOp(op=op, left=left, right=right):
            outcomes = {_outcome(left, obj, own), _outcome(right, obj, own)}
            deciding = op == "or"
            return deciding if deciding in outcomes else None if None in outcomes else not deciding
        case ir.Unary(op="not", operand=operand):
            inner = _outcome(operand, obj, own)
            return None if inner is None else not inner
        case ir.Compare(ops=[op], left=left, rights=[right]):
            return compare(op, _kept(left, obj, own), _kept(right, obj, own))
    return truth_of(_kept(test, obj, own))


def _kept(expr: ir.Expr, obj: Module, own: str) -> Value:
    """What a module was built with under the name that an expression reads, or the constant that it is."""
    match expr:
        case ir.Const(value=value):
            return const(value)
        case ir.Attr(value=ir.Name(id=name), attr=attr) if name == own:
            return obj.heap.get(attr, UNKNOWN)
    return UNKNOWN


# The ways to read `self.training` that change nothing of what is learned and put out.
_HARMLESS = (_returns_more, _saves_memory, _is_settled)
