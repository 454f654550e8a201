"""What one step of a learning-rate scheduler counts, from the evidence in the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from looplint.domain.objects import Obj, Optimizer, Scheduler, Unit
from looplint.domain.values import NONE, NOTHING, UNKNOWN, Arguments, Func, Number, Tuple, Value, constant_of, exact_items, refs
from looplint.flow.events import Construct, Schedule
from looplint.flow.remarks import AskPlace, AskRate
from looplint.interpreter import classes, hooks
from looplint.interpreter.calls import build, builds
from looplint.interpreter.handed_down import changed_in
from looplint.interpreter.names import lookup
from looplint.interpreter.transfers import construction, method_transfer, transfer
from looplint.interpreter.turns import is_one
from looplint.interpreter.usual import usual_number
from looplint.knowledge.schedules import ENDS, RATES, SCHEDULER_FACTORS, SCHEDULER_HORIZONS, STEP_UNIT_SCHEDULERS, TOTALS
from looplint.semantics import checkpoints
from looplint.semantics.pipeline_stages import run_stages, runs_stages
from looplint.syntax import ir

if TYPE_CHECKING:
    from looplint.interpreter.frames import Frame
    from looplint.interpreter.interpreter import Interpreter

_EPOCH_WORD = r"(^|[^a-z])(n|num|max|total|cur|current)?_?epochs?($|[^a-z])|epoch"
# The steps of a staircase, which says nothing about what is counted on each: step_size, lr_steps, lr_dc_step, lrdec_step, multistep, step_schedule, steplr_gamma.
_SCHEDULE_STEP = (
    r"^steps?$|(multi|lr|decay|sched(ule)?r?)_?steps?(?![a-z])|(^|[^a-z])lr_?(?!_|warm|max|total|num|train)[a-z]+_steps?(?![a-z])"
    r"|steps?_?(size|lr|sched|decay|mult|gamma|factor|policy|milestone|drop)"
)
_STEP_WORD = r"step|iter|updates|batches|per_epoch"

# What is named for its warm-up, as `get_linear_schedule_with_warmup` and `LinearWarmupCosineAnnealingLR`.
_WARM_UP = re.compile(r"(?i)warm_?up")

# A rate that falls by less than this in each step is one that falls in batches as well.
_PER_EPOCH = 0.99

# The schedulers of torch, and functions that return one of them.
_OF_TORCH = ("torch.optim.lr_scheduler.", "transformers.get_", "transformers.optimization.get_", "diffusers.optimization.get_")


def unit_of(interp: Interpreter, obj: Scheduler, args: Arguments, expr: ir.Call) -> Unit | None:
    """The unit of a scheduler: "steps", "epochs", "validations", or None where nothing tells."""
    name = obj.qualname.rpartition(".")[2] or (obj.cls.cls.name if obj.cls else "")
    if obj.cls is not None:
        return None
    if name in STEP_UNIT_SCHEDULERS:
        position, keyword = TOTALS[name]
        value, text = args.get(position, keyword), _argument(expr, position, keyword)
        obj.counts_to = ir.render(text) if text is not None else ""
        in_epochs = value is not None and text is not None and _unit_of_value(interp, value, text) == "epochs"
        return None if in_epochs else "steps"
    if name == "ReduceLROnPlateau":
        return "validations"
    if name in SCHEDULER_FACTORS:
        position, keyword = SCHEDULER_FACTORS[name]
        given = _argument(expr, position, keyword)
        return _unit_of_factor(given) if given is not None else None
    for position, keyword in SCHEDULER_HORIZONS.get(name, ()):
        value = args.get(position, keyword)
        text = _argument(expr, position, keyword)
        if value is None or text is None:
            continue
        obj.horizon, obj.counts_to = constant_of(value), ir.render(text)
        obj.milestone = _last_milestone(value)
        obj.ends_with_an_epoch = name in ENDS and isinstance(text, ir.Call) and ir.called_name(text) == "len"
        return _unit_of_value(interp, value, text)
    return None


def _unit_of_start(interp: Interpreter, obj: Scheduler, expr: ir.Call) -> Unit | None:
    """The unit of a scheduler of torch that goes on where it was: what `last_epoch` is given is what a step counts, whatever that parameter is called."""
    start = next((arg.value for arg in expr.args if arg.keyword == "last_epoch"), None)
    if start is None or obj.cls is not None or not obj.qualname.startswith("torch.optim.lr_scheduler."):
        return None
    names = ir.paths_in(start)
    written = [s for s in ir.statements(interp.frame.function.body) if isinstance(s, ir.Assign)]
    given = [s.value for s in written if any(isinstance(t, ir.Name) and t.id in names for t in s.targets)]
    return _unit_among({_unit_of_name(word) for word in set().union(*map(_words, (start, *given))) - {"last_epoch"}})


def _ends_with_batches(obj: Scheduler, args: Arguments) -> bool:
    """Whether the number of steps after which a scheduler ends is one of batches, undivided, as in `epochs * len(loader)`."""
    position, keyword = ENDS.get(obj.qualname.rpartition(".")[2], (None, ""))
    end = args.get(position, keyword) if position is not None else None
    return bool(end) and all(isinstance(a, Number) and "batches" in a.units and "divided" not in a.units for a in end or ())


def _last_milestone(value: Value) -> int | None:
    """The last of milestones that are known as numbers, wherever they are written."""
    items = [constant_of(item) for item in exact_items(value) or ()]
    values = [known.value for known in items if known is not None and isinstance(known.value, int)]
    return max(values) if values and len(values) == len(items) else None


def _unit_of_factor(expr: ir.Expr) -> Unit | None:
    """The unit that a factor is named after: `decay_per_epoch`."""
    words = " ".join(_words(expr)).lower()
    epochs, steps = re.search(r"per_?epoch", words), re.search(r"per_?(step|iter|batch|update)", words)
    return None if bool(epochs) == bool(steps) else "epochs" if epochs else "steps"


def _words(expr: ir.Expr) -> set[str]:
    """The names that an expression reads, without what they are attributes of, and the keys of its entries."""
    found = {path.rpartition(".")[2] for path in ir.paths_in(expr)}
    for item in ir.walk(expr):
        if isinstance(item, ir.Subscript) and isinstance(item.index, ir.Const) and isinstance(item.index.value, str):
            found.add(item.index.value)
    return found


def _argument(expr: ir.Call, position: int, keyword: str) -> ir.Expr | None:
    for arg in expr.args:
        if arg.keyword == keyword:
            return arg.value
    plain = [a.value for a in expr.args if not a.keyword and not a.star]
    return plain[position] if position < len(plain) else None


def _unit_of_value(interp: Interpreter, value: Value, expr: ir.Expr) -> Unit | None:
    for atom in value:
        if isinstance(atom, Number) and "batches" in atom.units:
            return "steps"
        if isinstance(atom, Number) and "epochs" in atom.units:
            return "epochs"
        if isinstance(atom, Func) and atom.function.params:
            return _unit_of_function(interp, atom)
    definition = _definition(interp.frame, expr)
    unit = _unit_of_dividend(definition) or _unit_among({_unit_of_name(word) for word in _words(definition)})
    if unit == "steps" and any(_is_given_epochs(interp.frame, name) for name in ir.paths_in(definition)):
        return None
    return None if unit == "epochs" and _is_product(definition) else unit


def _unit_of_dividend(expr: ir.Expr) -> Unit | None:
    """The epochs that an expression divides by what has no unit of its own, whatever that is called: `epochs // num_decay_steps`."""
    if not isinstance(expr, ir.Binary) or expr.op not in ("/", "//") or _is_product(expr.left):
        return None
    dividend, divisor = ({_unit_of_name(word) for word in _words(side)} for side in (expr.left, expr.right))
    return "epochs" if _unit_among(dividend) == "epochs" and "epochs" not in divisor else None


def _is_given_epochs(frame: Frame | None, name: str) -> bool:
    """Whether a name is a parameter for which a caller gives a number of epochs, whatever it is called: `schedule(num_training_steps=args.epochs)`."""
    given: ir.Expr | None = None
    while frame is not None and name in (frame.written or ()) and name not in changed_in(frame.function):
        given = (frame.written or {})[name]
        frame, name = frame.caller, ir.path_of(given) or ""
    if given is None or frame is None:
        return False
    given = _definition(frame, given)
    return _unit_among({_unit_of_name(word) for word in _words(given)}) == "epochs" and not _is_product(given)


def _is_product(expr: ir.Expr) -> bool:
    """Whether something is multiplied by something else that is no constant: so many of them in each epoch, perhaps."""
    shares = _shares(expr)
    products = (e for e in ir.walk(expr) if isinstance(e, ir.Binary) and e.op == "*")
    return any(not any(isinstance(side, ir.Const) or ir.path_of(side) in shares for side in (e.left, e.right)) for e in products)


def _shares(expr: ir.Expr) -> set[str]:
    """The names that stand for one share after another: `m` of `[int(m * epochs) for m in milestones]`, where what they are taken from has no unit."""
    if not isinstance(expr, ir.Comprehension):
        return set()
    of_no_unit = (c for c in expr.clauses if not any(map(_unit_of_name, _words(c.iter))))
    return {c.target.id for c in of_no_unit if isinstance(c.target, ir.Name)}


def _unit_among(units: set[Unit | None]) -> Unit | None:
    return "steps" if "steps" in units else "epochs" if "epochs" in units else None


def _unit_of_function(interp: Interpreter, func: Func) -> Unit | None:
    """The unit of what a function of a schedule gets: by the name of its parameter, or by what that is compared with and divided by."""
    params = [p.name for p in func.function.params][1 if func.bound is not None else 0 :]
    if not params:
        return None
    by_name = _unit_of_name(params[0])
    frame = func.closure or func.module.frame
    computed = [e for stmt in ir.statements(func.function.body) for e in ir.expressions(stmt)]
    others = [o for e in computed for o in _beside(e, params[0])]
    if by_name == "epochs" and not others and any(_decays_slowly(e, params[0]) for e in computed):
        return None  # torch's own name for what it passes
    names = {path for other in others for path in ir.paths_in(other)}
    if by_name == "steps":
        return None if any(_is_given_epochs(frame, name) for name in names) else by_name
    values = [lookup(interp, frame, name) for name in sorted(names) if frame is not None and "." not in name and name not in params]
    if any(isinstance(a, Number) and "batches" in a.units for v in values for a in v):
        return "steps"
    # `lambda epoch: epoch / warmup_steps` counts steps: "epoch" is what torch calls it.
    beside = _unit_among({_unit_of_name(name.rpartition(".")[2]) for name in names})
    return beside if beside == "steps" else by_name or beside


def _decays_slowly(expr: ir.Expr, name: str) -> bool:
    """Whether something is raised to a power that has no end, and need not fall much in one epoch: `rate**epoch`, but not `0.95**epoch`."""
    return any(
        isinstance(e, ir.Binary)
        and e.op == "**"
        and ir.path_of(e.right) == name
        and not (isinstance(e.left, ir.Const) and isinstance(e.left.value, float) and e.left.value < _PER_EPOCH)
        for e in ir.walk(expr)
    )


def _beside(expr: ir.Expr, name: str) -> Iterator[ir.Expr]:
    """What a name is compared with, divided by or subtracted from in an expression."""
    for inner in ir.children(expr):
        yield from _beside(inner, name)
    match expr:
        case ir.Compare(left=left, rights=[right]):
            sides = (left, right)
        case ir.Binary(op="/" | "//" | "-" | "%", left=left, right=right):
            sides = (left, right)
        case _:
            return
    for one, other in (sides, sides[::-1]):
        if name in ir.paths_in(one):
            yield other


def _definition(frame: Frame, expr: ir.Expr) -> ir.Expr:
    """What a name stands for where the function gives it a value once: `milestones = [epochs // 2]` a line before."""
    if not isinstance(expr, ir.Name) or _unit_of_name(expr.id) is not None:
        return expr
    given = [
        s.value
        for s in frame.function.body
        if isinstance(s, ir.Assign) and any(isinstance(t, ir.Name) and t.id == expr.id for t in s.targets)
    ]
    return given[0] if len(given) == 1 else expr


def counts_epochs(counting: str, targets: Iterable[str] = ()) -> bool:
    """Whether a loop that goes over the numbers of a range counts epochs by name: `for epoch in range(20)`, `for i in range(1, args.epochs + 1)`."""
    return counting != "" and any(_unit_of_name(word) == "epochs" for word in (*targets, *re.findall(r"\w+", counting)))


def _unit_of_name(name: str) -> Unit | None:
    lowered = name.lower()
    if re.search(_STEP_WORD, re.sub(_SCHEDULE_STEP, "", lowered)):
        return "steps"
    return "epochs" if re.search(_EPOCH_WORD, lowered) else None


@method_transfer("schedule", "schedule-updates")
def _schedule(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if obj.symbolic and runs_stages(name, args):
        return run_stages(interp, (), expr)
    interp.emit(Schedule(args=args), expr.node, {obj}, certain=is_one(interp, obj, expr))
    return NONE


@method_transfer("ask-place")
def _ask_place(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.remark(AskPlace(), expr.node, {obj})
    return UNKNOWN


@method_transfer("ask-rate")
def _ask_rate(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.remark(AskRate(), expr.node, {obj})
    return UNKNOWN


@hooks.place_asked
def _on_place(interp: Interpreter, expr: ir.Attr, owner: Value) -> None:
    if expr.attr in RATES:
        if read := refs(owner, Optimizer):
            interp.remark(AskRate(), expr.node, read)
    elif asked := refs(owner, Scheduler):
        interp.remark(AskPlace(), expr.node, asked)


@transfer("step-scheduler")
def _step_scheduler(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    value = build(interp, Scheduler, qualname, args, expr)
    place = ENDS.get(qualname.rpartition(".")[2])
    end, text = (args.get(*place), _argument(expr, *place)) if place is not None else (None, None)
    in_epochs = end is not None and text is not None and _unit_of_value(interp, end, text) == "epochs"
    for scheduler in refs(value, Scheduler):
        scheduler.unit = None if in_epochs else "steps"
    return value


@transfer("timm-scheduler")
def _timm_scheduler(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    value = _step_scheduler(interp, qualname, args, expr)
    for scheduler in refs(value, Scheduler):
        scheduler.unit = None
    if qualname.startswith("timm.scheduler.create"):
        return frozenset({Tuple((value, UNKNOWN))})
    return value


@construction(Scheduler)
def _built(interp: Interpreter, obj: Scheduler, args: Arguments, expr: ir.Call) -> None:
    reached = interp.reachable([*args.values(), *_stepped_by_itself(interp, obj)])
    inner = sorted((o for o in reached if isinstance(o, Scheduler) and o is not obj), key=lambda o: o.number)
    for other in inner:
        other.wrapped = True
    obj.optimizer = args.get(0, "optimizer") or NOTHING
    if obj.cls is not None and not refs(obj.optimizer, Optimizer):
        # A scheduler of the program that is put around others sets the rate of their optimizers.
        obj.optimizer = obj.optimizer.union(*(other.optimizer or NOTHING for other in inner))
    obj.unit = unit_of(interp, obj, args, expr) or _unit_of_start(interp, obj, expr)
    obj.ends_with_batches = _ends_with_batches(obj, args)
    place = ENDS.get(obj.qualname.rpartition(".")[2])
    end = _argument(expr, *place) if place is not None else None
    obj.usual_end = usual_number(interp, end) if end is not None else None
    bases = classes.external_bases(interp, obj.cls) if obj.cls is not None else [obj.qualname]
    obj.of_torch = any(name.startswith(_OF_TORCH) for name in bases)
    obj.given_start = _is_given_start(args, expr)
    obj.constant = _is_constant(obj.qualname, args)
    obj.factor = _factor(obj.qualname, args)
    obj.in_stairs = _in_stairs(obj.qualname, args)
    obj.warms_up = _WARM_UP.search(obj.cls.cls.name if obj.cls is not None else obj.qualname.rpartition(".")[2]) is not None
    interp.emit(Construct(), expr.node, {obj})


def _stepped_by_itself(interp: Interpreter, obj: Scheduler) -> list[Value]:
    """What a scheduler of the program keeps in attributes that its own `step()` reads: it makes its steps with those."""
    step = classes.find_member(interp, obj.cls, "step") if obj.cls is not None else None
    usage = step[0].usage_of_self if step is not None and isinstance(step[0], ir.Function) else None
    return [value for slot, value in obj.heap.items() if usage is not None and slot in usage.attrs]


def _is_constant(qualname: str, args: Arguments) -> bool:
    """`get_constant_schedule(optimizer)` and `get_scheduler("constant", optimizer)` of transformers and diffusers."""
    leaf = qualname.rpartition(".")[2]
    named = constant_of(args.get(0, "name") or NOTHING) if leaf == "get_scheduler" else None
    return leaf == "get_constant_schedule" or (named is not None and named.value == "constant")


def _in_stairs(qualname: str, args: Arguments) -> bool:
    """Whether the second value of a schedule is its first: the rate of a StepLR or a MultiStepLR changes after some steps, not with the first one."""
    leaf = qualname.rpartition(".")[2]
    if leaf not in ("StepLR", "MultiStepLR"):
        return False
    given = args.get(1, SCHEDULER_HORIZONS[leaf][0][1]) or NOTHING
    changes = [constant_of(item) for item in (given, *(exact_items(given) or ()))]
    return not any(known is not None and known.value == 1 for known in changes)


def _factor(qualname: str, args: Arguments) -> float | None:
    """What an ExponentialLR multiplies the rate by in each step."""
    known = constant_of(args.get(1, "gamma") or NOTHING) if qualname.endswith(".ExponentialLR") else None
    return known.value if known is not None and isinstance(known.value, float) else None


def _is_given_start(args: Arguments, expr: ir.Call) -> bool:
    """Whether the arguments of a scheduler may define where its schedule begins."""
    last = args.keywords.get("last_epoch")
    known = constant_of(last) if last is not None else None
    if args.starred or (last is not None and (known is None or known.value != -1)) or checkpoints.files_in(args.values()):
        return True
    functions = [a.function for v in args.values() for item in (v, *(exact_items(v) or ())) for a in item if isinstance(a, Func)]
    read = [a.value for a in expr.args if a.keyword != "last_epoch"]
    read += [e for function in functions for stmt in ir.statements(function.body) for e in ir.expressions(stmt)]
    return any(checkpoints.says_where_to_start(path.rpartition(".")[2]) for e in read for path in ir.paths_in(e))


transfer("scheduler")(builds(Scheduler))
