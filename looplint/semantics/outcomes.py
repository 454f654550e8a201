"""What a tensor came out of last: followed through the forwards of modules when a loss needs it.

A forward is not followed where it is called. Its result only remembers which module made it; the loss that needs to know resolves that.
"""

from __future__ import annotations

from functools import reduce

from looplint.dataclass import replace
from looplint.domain.objects import Dict, List, Module, Obj
from looplint.domain.outcomes import entry, of_value
from looplint.domain.tags import NO_TAGS, Mark, Multiplied, Summed, Tags
from looplint.domain.tensors import detached
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    Const,
    External,
    Func,
    Iter,
    Number,
    Outcome,
    Outcomes,
    Partial,
    Ref,
    Tensor,
    Tuple,
    Value,
    constant_of,
    join,
    ref,
    refs,
)
from looplint.interpreter import classes, functions, hooks, objects
from looplint.interpreter.elements import last_of
from looplint.interpreter.frames import Trace
from looplint.interpreter.interpreter import Interpreter, OutOfFuel
from looplint.knowledge.layers import ACTIVATED, ACTIVATIONS, CLASSIFIERS, HEADS, LAST_LAYERS, NO_CLASSIFIERS, SHAPING_LAYERS, TENSOR_LAYERS
from looplint.knowledge.pytorch import LAST_FUNCTIONS, SHAPING
from looplint.semantics import structures
from looplint.syntax import ir
from looplint.syntax.site import Site

# What following one forward may cost, and how deep modules stand in modules.
_FUEL = 10_000
_DEPTH = 6
# Through how many forwards an entry is passed on.
_ENTRIES = 3
# So many arguments of a segmentation model stand before its activation.
_BEFORE_ACTIVATION = 6
# What is noted of a loss on its way.
_OF_A_LOSS = frozenset({Mark.LOSS, Mark.MEAN, Mark.SUM, Mark.SUM_REDUCTION})
_NOTHING: Outcomes = frozenset()


def of_function(interp: Interpreter, name: str, given: Value, node: ir.Expr, *, own: bool = False) -> Outcomes:
    """The outcome of a function of torch, or of a tensor's own method."""
    if name in SHAPING:
        return of_value(given) or _NOTHING
    op = LAST_FUNCTIONS.get(name) or _undone(interp, name, given)
    return frozenset({Outcome(op, interp.site(node.node), own=own)}) if op else _NOTHING


def _undone(interp: Interpreter, name: str, given: Value) -> str | None:
    """What an exponential or a logarithm makes of a softmax: `exp(log_softmax(x))` is one."""
    inner, made = {"exp": ("log_softmax", "softmax"), "log": ("softmax", "log_softmax")}.get(name, ("", ""))
    outcomes = resolve(interp, of_value(given)) if inner else None
    return made if outcomes and all(o.op == inner for o in outcomes) else None


def of_forward(interp: Interpreter, obj: Obj, args: Arguments, node: ir.Expr) -> Outcomes:
    """The outcome of a module's call: itself, to be resolved on demand; layers that change no number are looked through."""
    if not interp.alive or not (
        _is_written(obj) or obj.one_of or obj.qualname.startswith(("torch.nn.", *ACTIVATED)) or _is_classifier(obj)
    ):
        return _NOTHING
    if not _is_written(obj) and _leaf(obj) in SHAPING_LAYERS:
        return (of_value(args.positional[0]) if args.positional else None) or _NOTHING
    key = (interp.frame.ctx, id(node.node), "applied")
    interp.applications.arguments[key] = args
    return frozenset({Outcome("forward", interp.site(node.node), obj, key=key)})


@hooks.unpacked
def entry_of_value(interp: Interpreter, value: Value, key: int | str | None) -> Value:
    return frozenset(_entry(interp, a, key) if isinstance(a, Tensor) else a for a in value)


def _entry(interp: Interpreter, whole: Tensor, key: int | str | None) -> Atom:
    if structures.is_set_aside(whole, key):
        return Tensor()
    if Mark.RETURNED in whole.tags:
        further = {Mark.ENTRY} if isinstance(key, int) and key else NO_TAGS
        return replace(entry(whole, key), tags=whole.tags - {Mark.RETURNED} | further)
    return _told(interp, entry(whole, key))


def _told(interp: Interpreter, tensor: Tensor) -> Atom:
    """An entry of what a module returns: a number (lengths that came with the batch, a count), or a tensor without a graph, where its forward says so."""
    places = _places(interp, tensor) if tensor.graph != "no" and not interp.aside else None
    if not places:
        return tensor
    if all(isinstance(a, Number) or (isinstance(a, Const) and isinstance(a.value, int | float)) for a in places):
        return Number()
    if all(isinstance(a, Tensor) and a.graph == "no" for a in places):
        return detached(tensor)
    return tensor if all(isinstance(a, Tensor) and a.graph == "yes" for a in places) else replace(tensor, graph="maybe")


def is_without_graph(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a value is what forwards in sight return, and all of them return it cut off: `return self.layer(x).detach().cpu().numpy()`."""
    if interp.aside or not tensor.outcomes:
        return False
    found: set[Atom] = set()
    for outcome in (each for given in tensor.outcomes for each in _alternatives(given)):
        if outcome.op != "forward" or outcome.path or outcome.module is None or not _is_written(outcome.module):
            return False
        found |= _returned(interp, outcome.module, outcome) or UNKNOWN
    return all(isinstance(a, Number | Const) or (isinstance(a, Tensor) and a.graph == "no") for a in found)


def _places(interp: Interpreter, tensor: Tensor, depth: int = _ENTRIES) -> Value | None:
    """What stands at an entry's place in what each of the modules returns that it may come from; None where that is not known."""
    found: set[Atom] = set()
    for outcome in (each for given in tensor.outcomes for each in _alternatives(given)):
        if outcome.op != "forward" or not outcome.path or outcome.module is None or not _is_written(outcome.module):
            return None
        place = _place(_returned(interp, outcome.module, outcome), outcome.path)
        if not place:
            return None
        for atom in place:
            # What the forward has itself taken out of what a part of the module returns.
            inner = (
                _places(interp, atom, depth - 1) if isinstance(atom, Tensor) and atom.graph != "no" and depth and atom.outcomes else None
            )
            found |= inner or {atom}
    return frozenset(found)


def is_tensor(interp: Interpreter, tensor: Tensor, depth: int = _DEPTH) -> bool:
    """Whether a value is a tensor for certain, and no structure of tensors: an operation of torch made it, or modules of which that is known."""
    if tensor.made:
        return True
    return bool(tensor.outcomes) and depth > 0 and all(_is_tensor(interp, each, depth) for each in tensor.outcomes)


def _is_tensor(interp: Interpreter, outcome: Outcome, depth: int) -> bool:
    obj = outcome.module
    if outcome.op != "forward" or obj is None:
        return not outcome.path
    if obj.one_of and not _is_given_forward(obj):
        return all(_is_tensor(interp, replace(outcome, module=each), depth) for each in obj.one_of)
    if _is_sequential(interp, obj) and not _is_given_forward(obj):
        last = last_of(ref(obj))
        modules = _modules(last) if last is not None else []
        return bool(modules) and all(_is_tensor(interp, replace(outcome, module=each, key=None), depth - 1) for each in modules)
    if not _is_written(obj):
        return _leaf(obj) in TENSOR_LAYERS
    place = _place(_returned(interp, obj, outcome), outcome.path)
    return bool(place) and all(isinstance(a, Tensor) and is_tensor(interp, a, depth - 1) for a in place or ())


def tags_of_forward(interp: Interpreter, tensor: Tensor) -> Tags:
    """What was done to a loss that a module's own forward returns; nothing where that is not known."""
    found = set()
    for outcome in (each for given in tensor.outcomes for each in _alternatives(given)):
        if outcome.op != "forward" or outcome.module is None or not _is_written(outcome.module):
            return NO_TAGS
        place = _place(_returned(interp, outcome.module, outcome), outcome.path) or frozenset()
        told = [a for a in place if not (isinstance(a, Const) and a.value is None)]  # what goes backward is not None
        if not told or not all(isinstance(a, Tensor) for a in told):
            return NO_TAGS
        for atom in told:
            tags = atom.tags if isinstance(atom, Tensor) else NO_TAGS
            found.add(frozenset(tag for tag in tags if tag in _OF_A_LOSS or isinstance(tag, Summed | Multiplied)))
    return found.pop() if len(found) == 1 else NO_TAGS


def _alternatives(outcome: Outcome) -> list[Outcome]:
    """An outcome for each of the modules that may be applied, where it is one of several."""
    modules = outcome.module.one_of if outcome.module is not None and not _is_given_forward(outcome.module) else ()
    return [replace(outcome, module=each) for each in modules] or [outcome]


def resolve(interp: Interpreter, outcomes: Outcomes | None, depth: int = _DEPTH) -> Outcomes | None:
    """The layers and operations behind some outcomes; None where one of them is not known."""
    found: set[Outcome] = set()
    for outcome in outcomes or ():
        inner = frozenset({outcome}) if outcome.op != "forward" else _of_module(interp, outcome, depth)
        if not inner:
            return None
        found |= inner
    return frozenset(found) or None


def _of_module(interp: Interpreter, outcome: Outcome, depth: int) -> Outcomes | None:
    obj = outcome.module
    if obj is None or not depth:
        return None
    if obj.one_of and not _is_given_forward(obj):
        return resolve(interp, frozenset(replace(outcome, module=each, site=_place_of(each, outcome)) for each in obj.one_of), depth - 1)
    if _is_given_forward(obj) or (obj.cls is not None and not _is_sequential(interp, obj)):
        value = _returned(interp, obj, outcome)
        return resolve(interp, _selected(value, outcome.path), depth - 1)
    if _is_classifier(obj):
        return _of_classifier(interp, obj, outcome, depth)
    if (ended := _ended_in(obj)) and not outcome.path:
        return frozenset({replace(outcome, op=ended, site=_place_of(obj, outcome))})
    op = LAST_LAYERS.get(_leaf(obj))
    if op is not None:
        return frozenset({replace(outcome, op=op, path=())})
    parts = [obj.heap[f"[{n}]"] for n in range(obj.length or 0)] if isinstance(obj, Module) else []
    if not parts and isinstance(obj, Module) and obj.last is not None:
        parts = [obj.last]
    return _of_parts(interp, parts, depth) if _is_sequential(interp, obj) and not outcome.path else None


def _is_written(obj: Obj) -> bool:
    """Whether the program says what a call of a module computes: in its class, or in a function that it sets as its forward."""
    return obj.cls is not None or _is_given_forward(obj)


def _is_given_forward(obj: Obj) -> bool:
    """Whether the program has put a function of its own in the place of a module's forward: `model.forward = lambda x: ...`.

    One of several modules may have got its own before it is one of them.
    """
    return "forward" in obj.heap and not any("forward" in each.heap for each in obj.one_of)


def _is_sequential(interp: Interpreter, obj: Obj) -> bool:
    """Whether the forward of a module is that of torch's `Sequential`."""
    if obj.cls is None:
        return _leaf(obj) == "Sequential"
    own = classes.find_member(interp, obj.cls, "forward") or classes.find_member(interp, obj.cls, "__call__")
    return own is None and "torch.nn.Sequential" in classes.external_bases(interp, obj.cls)


def _place_of(obj: Obj, outcome: Outcome) -> Site:
    """Where one of several modules stands: where it is built."""
    return Site(obj.source, obj.node) if obj.source is not None and obj.node is not None else outcome.site


def _ended_in(obj: Obj) -> str | None:
    """What the output of a module of a library comes out of last that is given an activation: that, or its own head where there is none."""
    for prefix, (names, head) in ACTIVATED.items():
        if obj.qualname.startswith(prefix) and obj.qualname.rpartition(".")[2] in names:
            args = obj.arguments if isinstance(obj, Module) else None
            given = args.keywords.get("activation") if args is not None else None
            if (
                args is None
                or args.starred
                or "aux_params" in args.keywords
                or (given is None and len(args.positional) > _BEFORE_ACTIVATION)
            ):
                return None
            if not all(map(_untouched, obj.heap.values())):
                return None  # the program has given it parts of its own
            return _activation(given if given is not None else NONE, head)
    return None


def _activation(given: Value, head: str | None) -> str | None:
    """What an argument makes of an output that is applied to it, or that it names."""
    if len(given) != 1:
        return None
    match next(iter(given)):
        case Const(value=None):
            return head
        case Const(value=str(name)):
            return ACTIVATIONS.get(name)
        case Partial(func=func, args=()):
            return _activation(func, None)
        case External(qualname) if qualname.startswith("torch."):
            name = qualname.rpartition(".")[2]
            return LAST_FUNCTIONS.get(name) or LAST_LAYERS.get(name)
        case Ref(obj=Module() as module):
            return LAST_LAYERS.get(_leaf(module))
    return None


def _is_classifier(obj: Obj) -> bool:
    return obj.qualname.startswith(CLASSIFIERS) and not any(name in obj.qualname for name in NO_CLASSIFIERS)


def _of_classifier(interp: Interpreter, obj: Obj, outcome: Outcome, depth: int) -> Outcomes | None:
    """A ready-made classifier ends in a linear layer, unless the program replaces it."""
    if outcome.path:
        return None
    own = [value for name in HEADS if (value := obj.heap.get(name)) is not None]
    replaced = [_modules(value) for value in own if not _untouched(value)]
    if not replaced:
        return frozenset({replace(outcome, op="linear")})
    modules = replaced[0]
    if len(replaced) > 1 or not modules or any(o.source is None or o.node is None for o in modules):
        return None
    return resolve(
        interp,
        frozenset(Outcome("forward", Site(o.source, o.node), o) for o in modules if o.source is not None and o.node is not None),
        depth - 1,
    )


def _untouched(value: Value) -> bool:
    """Whether a part of a library's module is its own still, with all that is in it."""
    return all(
        isinstance(a, Ref)
        and isinstance(a.obj, Module)
        and a.obj.part
        and all(_untouched(v) for s, v in a.obj.heap.items() if s.startswith("["))
        for a in value
    )


def _modules(value: Value) -> list[Module]:
    """The modules that a value can be; none where it can be something else."""
    modules = [o for o in refs(value, Module) if not o.part]
    return modules if len(modules) == len(value) else []


def _of_parts(interp: Interpreter, parts: list[Value], depth: int) -> Outcomes | None:
    """The outcome of the last part that changes numbers; it stands where that part is built."""
    for part in reversed(parts):
        modules = _modules(part)
        if not modules:
            return None
        if all(o.cls is None and _leaf(o) in SHAPING_LAYERS for o in modules):
            continue
        outcomes = {Outcome("forward", Site(o.source, o.node), o) for o in modules if o.source is not None and o.node is not None}
        return resolve(interp, frozenset(outcomes), depth - 1) if len(outcomes) == len(modules) else None
    return None


def _selected(value: Value, path: tuple[int | str, ...]) -> Outcomes | None:
    """The outcome of what stands at a place of what a forward returned; of a list, whichever of its entries is taken."""
    return of_value(_any_entry(_place(value, path)))


def _any_entry(value: Value | None) -> Value | None:
    """What an entry of a list can be, of which it is not known which one is taken; a value that is no list is itself."""
    match list(value or ()):
        case [Iter(element=entries)]:
            return entries
        case [Ref(List(heap=heap))]:
            return heap.get("[]")
    return value


def _place(value: Value, path: tuple[int | str, ...]) -> Value | None:
    """What stands at a place of what a forward returned; None where that is not known."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    found: Value = frozenset()
    for atom in value:
        match atom:
            case Const(None):
                continue
            case Tensor():
                found = join(found, frozenset({entry(atom, key)}))
            case Tuple(items) if isinstance(key, int) and -len(items) <= key < len(items):
                found = join(found, items[key])
            case Ref(Dict() as obj) if isinstance(key, str) and f"={key}" in obj.heap:
                found = join(found, obj.heap[f"={key}"])
            case Ref(List(items=items)) if items and isinstance(key, int) and -len(items) <= key < len(items):
                found = join(found, items[key])
            case Ref(List(items=None)) | Iter() if isinstance(key, int):
                entries = _any_entry(frozenset({atom}))
                if entries is None:
                    return None
                found = join(found, entries)
            case _:
                return None
    return _place(found, rest)


def _returned(interp: Interpreter, obj: Obj, outcome: Outcome) -> Value:
    """What a module's forward returns, followed with the arguments of one call, beside the loop."""
    args = interp.applications.arguments.get(outcome.key) if outcome.key is not None else None
    constants = tuple(constant_of(v) for v in args.values()) if args is not None else ()
    key = (obj, outcome.key, constants)
    known = interp.applications.results.get(key)
    if known is None:
        interp.applications.results[key] = UNKNOWN  # a module that applies itself
        known = interp.applications.results[key] = _follow(interp, obj, args or Arguments())
    return known


def left(interp: Interpreter, outcome: Outcome, name: str) -> Value:
    """What a call of a module whose class is in sight leaves in an attribute; nothing where that is not known."""
    key = (outcome.module, outcome.key, name)
    if key not in interp.applications.left:
        interp.applications.left[key] = NOTHING  # a forward that reads what it leaves
        args = interp.applications.arguments.get(outcome.key) if outcome.key is not None else None
        func = _forward(interp, outcome.module) if outcome.module is not None else None
        if func is not None and outcome.module is not None:
            interp.applications.left[key] = _run(interp, outcome.module, func, args or Arguments(), name)
    return interp.applications.left[key]


def _follow(interp: Interpreter, obj: Obj, args: Arguments) -> Value:
    given = obj.heap.get("forward")
    if given is not None:
        functions_set = [a for a in given if isinstance(a, Func)]
        return reduce(join, (_run(interp, obj, f, args) for f in functions_set)) if len(functions_set) == len(given) else UNKNOWN
    func = _forward(interp, obj)
    return _run(interp, obj, func, args) if func is not None else UNKNOWN


def _forward(interp: Interpreter, obj: Obj) -> Func | None:
    """The forward of a module, bound to it, where its class is in sight."""
    found = classes.find_member(interp, obj.cls, "forward") if obj.cls is not None else None
    if found is None or not isinstance(found[0], ir.Function):
        return None
    return Func(found[0], found[1].module, found[1].closure, ref(obj), found[1])


def _run(interp: Interpreter, obj: Obj, func: Func, args: Arguments, attribute: str = "") -> Value:
    """What a forward returns, or leaves in an attribute."""
    if func.function.is_generator:
        return UNKNOWN
    before, trace = obj.heap.saved(), interp.trace
    noted, waiting = len(interp.remarks), len(interp.agenda.values)
    frame = functions.enter_alone(interp, func)
    interp.trace = Trace()
    try:
        with interp.fueled(_FUEL), interp.beside(frame), interp.gradients.unread():
            interp.aside = True
            functions.bind_parameters(interp, frame, func, args)
            value = functions.run_frame(interp, frame)
            if attribute:
                return interp.constant(obj, attribute) or obj.heap.get(attribute, NOTHING) - before[0].get(attribute, NOTHING)
            # What a loop has put into all entries is a fact of this path.
            return frozenset(Iter(objects.entries(interp, o)) if (o := _rewritten(interp, a)) is not None else a for a in value)
    except OutOfFuel:
        return UNKNOWN
    finally:
        # Nothing of this happened in the loop.
        interp.trace = trace
        del interp.agenda.values[waiting:]
        interp.forget_remarks(noted)
        obj.heap.put_back(before)


def _rewritten(interp: Interpreter, atom: Atom) -> List | None:
    return atom.obj if isinstance(atom, Ref) and isinstance(atom.obj, List) and objects.is_rewritten(interp, atom.obj) else None


def _leaf(obj: Obj) -> str:
    return obj.qualname.rpartition(".")[2] if obj.qualname.startswith("torch.nn.") else ""
