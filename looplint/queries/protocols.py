"""The automata and questions that more than one rule asks."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from looplint.dataclass import dataclass
from looplint.domain.objects import Container, Dict, Engine, List, Loss, Module, Obj, Optimizer
from looplint.domain.values import Atom, Iter, Number, Ref, Tensor, Tuple, Value, refs
from looplint.flow.automaton import Automaton, Visit
from looplint.flow.events import Backward, Clear, Escape, Event, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import Shelve
from looplint.knowledge.pytorch import BUILT_OF_LAYERS, MODE_SENSITIVE, PARAMETERLESS
from looplint.queries.program import Program

# A clear that no step came before starts nothing: "fresh" lasts until the first step.
CLEARING = Automaton(
    start="fresh",
    arrows={
        ("?", "clear"): "fresh",
        ("fresh", "clear"): "fresh",
        ("fresh-filled", "clear"): "fresh",
        ("*", "clear"): "empty",
        ("fresh", "backward"): "fresh-filled",
        ("empty", "backward"): "filled",
        ("applied", "backward"): "stale",
        ("*", "step"): "applied",
    },
)
MODE = Automaton(start="train", arrows={("*", "eval"): "eval", ("*", "train"): "train"}, reads=frozenset({"forward"}))


@dataclass(frozen=True, slots=True)
class Uncleared:
    """A backward that adds to gradients which a step has already used, in every iteration of a loop."""

    backward: Backward
    step: Step
    loop: Loop


def uncleared(program: Program, optimizer: Optimizer | Engine) -> Uncleared | None:
    """A step of a loop that always uses gradients added to ones already applied; None where something clears them on some path."""
    if optimizer.many or not isinstance(optimizer, Optimizer):
        return None
    if optimizer.may_clear and not any(optimizer in e.subjects for e in program.of(Clear)):
        return None  # nothing tells that its step leaves the gradients
    for visit in program.run(CLEARING, optimizer):
        step = visit.event
        if not isinstance(step, Step) or not visit.certain:
            continue
        for loop in reversed(step.loops):
            states = visit.steady(loop)
            stale = next((s for s in states if s.state == "stale"), None)
            if stale is None or (
                any(s.state in ("empty", "filled", "applied", "?") for s in states) and _cleared_in(program, loop, optimizer)
            ):
                continue
            backward = stale.last(Backward) if isinstance(stale.since, Escape) else stale.since
            if isinstance(backward, Backward) and loop in backward.loops and not backward.manual:
                return Uncleared(backward, step, loop)
    return None


def _cleared_in(program: Program, loop: Loop, optimizer: Obj) -> bool:
    """Whether anything in a loop may clear the gradients."""
    return any(loop in e.loops and e.variant != "output" and program.touches(e, optimizer) for e in program.of(Clear, Escape))


def mode_states(program: Program, module: Obj, event: Event) -> Visit | None:
    """The modes in which a forward can find its module."""
    for visit in program.run(MODE, module):
        if visit.event is event:
            return visit
    return None


def validation_loop(program: Program, event: Event) -> Loop | None:
    """The innermost loop over data around an event in which nothing is trained."""
    loop = untrained_loop(program, event)
    return loop if loop is not None and over_data(loop) else None


def untrained_loop(program: Program, event: Event) -> Loop | None:
    """The innermost loop around an event, where nothing is trained in it."""
    if not event.loops:
        return None
    loop = event.loops[-1]
    trained = any(loop in e.loops for e in program.of(Backward, Step, Escape) if e.kind != "escape" or e.certain)
    return None if trained else loop


def over_data(loop: Loop) -> bool:
    """Whether a loop goes over batches rather than counts, entries or parts of a model: over a loader, or over something that is no range."""
    return bool(loop.over) and not over_entries(loop) and not any(_counts(atom) or _is_of_modules(atom) for atom in loop.over)


def over_entries(loop: Loop) -> bool:
    """Whether a loop goes over the entries of a dict, by name: what they are is known beforehand, and batches are not."""
    return loop.iterates.endswith((".items()", ".values()", ".keys()"))


def over_tensor(loop: Loop) -> bool:
    """Whether a loop goes over the first dimension of a tensor, as a recurrent network goes over the steps of a sequence.

    Several tensors that are gone through side by side may be data; they are not where a model put out one of them.
    """
    columns = [
        item
        for atom in loop.over or ()
        if isinstance(atom, Iter) and not atom.over
        for row in atom.element
        if isinstance(row, Tuple)
        for item in row.items
    ]
    return any(isinstance(atom, Tensor) for atom in loop.over or ()) or any(
        isinstance(a, Tensor) and a.forwards for item in columns for a in item
    )


def _counts(atom: Atom) -> bool:
    """Whether what is gone over gives numbers, or is a collection that the text itself writes out."""
    match atom:
        case Iter():
            return any(isinstance(a, Number) for a in atom.element)
        case Ref(obj=List(items=items)):
            return items is not None
    return False


def _is_of_modules(atom: Atom) -> bool:
    """Whether what is gone over gives the parts of a model, alone or beside something else."""
    match atom:
        case Iter():
            rows = [value for row in atom.element for value in (row.items if isinstance(row, Tuple) else (frozenset({row}),))]
            return any(refs(value, Module) for value in rows)
        case Ref(obj=List() as listed):
            return bool(refs(listed.heap.get("[]"), Module))
        case Ref():
            return isinstance(atom.obj, Module)
    return False


def mode_matters(module: Obj, besides: Collection[Obj] = ()) -> bool | None:
    """Whether train and eval mode differ for a module, `besides` some of its parts: None where its parts are not all known."""
    seen: set[int] = set()
    work = [module]
    known = True
    while work:
        obj = work.pop()
        if id(obj) in seen or obj in besides:
            continue
        seen.add(id(obj))
        leaf = obj.qualname.rpartition(".")[2]
        modal = obj.modal if isinstance(obj, Module) else ""
        if modal == "yes" or (not modal and leaf in MODE_SENSITIVE):
            return True
        known = known and modal != "maybe"
        if (isinstance(obj, Module) and obj.parameter) or leaf in ("ParameterList", "ParameterDict"):
            continue
        of_torch = obj.qualname.startswith("torch.nn.")
        given = obj.arguments.values() if isinstance(obj, Module) and of_torch and leaf in BUILT_OF_LAYERS and obj.arguments else ()
        parts = [*(a.obj for value in (*obj.heap.values(), *given) for a in value if isinstance(a, Ref)), *obj.one_of]
        if isinstance(obj, Module) and not parts and (not of_torch or leaf in BUILT_OF_LAYERS):
            known = known and obj.cls is not None and not obj.symbolic
        if isinstance(obj, Module) and (obj.symbolic or obj.many) and obj.part:
            known = False
        work.extend(o for o in parts if isinstance(o, Module | Container))
    return False if known else None


def contains_part(module: Obj, whole: Obj) -> bool:
    """Whether a module was built around a part of another one: it keeps the parameters that were there."""
    seen: set[int] = set()
    work = [module]
    while work:
        obj = work.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        part = isinstance(obj, Module) and obj.part
        if obj is not module and (part or whole in set(obj.lineage()) and module not in set(obj.lineage())):
            return True
        given = obj.arguments if isinstance(obj, Module) else None
        values = [*obj.heap.values(), *(given.values() if given is not None else ())]
        work.extend(a.obj for value in values for a in value if isinstance(a, Ref) and isinstance(a.obj, Module | Container))
    return False


def unregistered(event: Shelve) -> list[Module]:
    """The modules with parameters that an object made for itself and keeps in a plain container, where it does not know of them."""
    found = dict.fromkeys(o for o in _shelved(event) if _is_lost(o, event.constructor))
    return sorted(found, key=lambda o: (o.name, o.qualname, o.number))


def only_containers(event: Shelve) -> bool:
    """Whether an attribute that is given a plain container is never given a module instead."""
    attribute = event.name.rpartition(".")[2]
    return not any(isinstance(a, Ref) and isinstance(a.obj, Module | Loss) for o in event.subjects for a in o.heap.get(attribute, ()))


def known_elsewhere(event: Shelve) -> bool:
    """Whether something registers the modules that an object keeps in a plain container, asks for their parameters, or is handed them."""
    return event.given or any(o.registered or o.asked for o in _shelved(event))


def _shelved(event: Shelve) -> Iterator[Module]:
    """The modules in a plain container, and in the containers in it."""
    work: list[tuple[Value, int]] = [(event.value, 3)]
    while work:
        value, depth = work.pop()
        for atom in value:
            match atom:
                case Tuple() if depth and len(atom.items) > 1:
                    work.extend((item, depth - 1) for item in atom.items)
                case Ref(obj=List(items=() | (_,))):
                    continue  # a list of one, written as one, is how a module is hidden on purpose
                case Ref(obj=List() | Dict()) if depth:
                    work.extend((inner, depth - 1) for inner in atom.obj.heap.values())
                case Ref(obj=Module() as module) if depth < 3:
                    yield module


def wrapper_for(event: Shelve) -> str | None:
    """The class of torch that can hold what a plain container holds; None where it holds other things than modules."""
    for atom in event.value if len(event.value) == 1 else ():
        match atom:
            case Tuple(items=items):
                return "ModuleList" if all(_all_modules(i) for i in items) else None
            case Ref(obj=List() as listed):
                return "ModuleList" if _all_modules(listed.heap.get("[]")) else None
            case Ref(obj=Dict() as table):
                return "ModuleDict" if table.exact and not table.changed and _all_modules(table.heap.get("[]")) else None
    return None


def _all_modules(value: Value | None) -> bool:
    return bool(value) and all(isinstance(a, Ref) and isinstance(a.obj, Module | Loss) for a in value or ())


def _is_lost(module: Module, constructor: object) -> bool:
    known = not module.symbolic and constructor in module.made_in
    elsewhere = module.registered or module.asked or module.handed_over or module.frozen
    return known and not elsewhere and with_parameters(module)


def with_parameters(module: Module, depth: int = 4) -> bool:
    """Whether a module is known to hold parameters."""
    if module.cls is None and not module.heap:
        return not module.qualname.startswith("torch.nn.") or module.qualname.rpartition(".")[2] not in PARAMETERLESS | {
            "Sequential",
            "ModuleList",
            "ModuleDict",
        }
    parts = [part for value in module.heap.values() for part in refs(value, Module)]
    return depth > 0 and any(p.parameter or with_parameters(p, depth - 1) for p in parts)
