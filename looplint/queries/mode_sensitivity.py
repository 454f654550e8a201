"""Mode-sensitive layers: whether a model computes otherwise in train mode than in eval mode, and what of it does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from looplint.domain.objects import Container, Engine, Module, Obj
from looplint.domain.values import Atom, Ref, Unknown, Value
from looplint.flow.events import Forward
from looplint.interpreter.objects import ANY_PART
from looplint.knowledge.layers import BATCH_NORM_MODELS, BUILT_OF_LAYERS, DROPPING, DROPPING_MODELS, MODE_SENSITIVE
from looplint.queries.dropouts_set_off import is_of_another_library, set_off_in

# Under what a module has a part of which it is not known which it is.
_ANY_OF_THEM = frozenset({ANY_PART, "[]"})


def mode_matters(module: Obj, besides: Collection[Obj] = ()) -> bool | None:
    """Whether train and eval mode differ for a module, `besides` some of its parts: None where its parts are not all known, or chosen."""
    besides = {*besides, *set_off_in(module)}
    layers, known = _layers_with_modes(module, besides)
    if not layers:
        return False if known else None
    return True if _surely_has_modes(module, besides, {}) else None


def mode_matters_at(event: Forward, module: Obj, besides: Collection[Obj] = ()) -> bool | None:
    """Whether the modes differ for what a module is at a forward: of a model that is one of several, a method runs on those of its class alone."""
    if not 0 < len(event.one_of) < len(module.one_of):
        return mode_matters(module, besides)
    outcomes = {mode_matters(each, besides) for each in event.one_of}
    return outcomes.pop() if len(outcomes) == 1 else None


def mode_matters_for_some(event: Forward, module: Obj, besides: Collection[Obj] = ()) -> bool:
    """Whether the modes differ for one of the models that a model may be at a forward: those of a factory, by the name of an option."""
    return any(mode_matters(each, besides) for each in event.one_of or module.one_of)


def runs_its_forward(module: Obj, event: Forward) -> bool:
    """Whether it is its forward by which a module of a class in sight is applied, and no other method of the class, which is not followed."""
    match event.site.node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=called))) if not event.applied and module.cls is not None:
            return called not in module.cls.cls.methods or called == "forward"
    return True


def _surely_has_modes(obj: Obj, besides: Collection[Obj], seen: dict[Obj, bool]) -> bool:
    """Whether train and eval mode differ for a module, whichever of several layers a part of it is."""
    if obj not in seen:
        seen[obj] = False  # while it is asked: what holds itself tells nothing of itself
        seen[obj] = obj not in besides and (_has_modes(obj) or _a_part_surely_has_modes(obj, besides, seen))
    return seen[obj]


def _a_part_surely_has_modes(obj: Obj, besides: Collection[Obj], seen: dict[Obj, bool]) -> bool:
    if obj.one_of:
        return all(_surely_has_modes(each, besides, seen) for each in _alternatives(obj))
    slots = [*parts_of(obj).items(), *(("", value) for value in _given_layers(obj))]
    return any(
        # A list holds all that was put into it, an attribute one of what it can be.
        (any if slot == "[]" else all)(isinstance(a, Ref) and _surely_has_modes(a.obj, besides, seen) for a in value)
        for slot, value in slots
        if value
    )


def _has_modes(obj: Obj) -> bool:
    """Whether what a module computes itself, its parts aside, differs between the modes; a deep copy does what its original does."""
    if isinstance(obj, Module) and obj.original is not None and not obj.modal:
        obj = obj.original
    modal = obj.modal if isinstance(obj, Module) else ""
    return modal == "yes" or (not modal and _leaf(obj) in MODE_SENSITIVE) or _is_full_of_norms(obj) or _drops_by_default(obj)


def parts_of(obj: Obj) -> Mapping[str, Value]:
    """What the attributes and elements of an object can hold; a deep copy has what its original has, but for what it got itself.

    Where all parts of a module are in sight, one by a name that is computed, or met by going over them, is one of these. An engine has its model.
    """
    if isinstance(obj, Engine):
        return {"module": obj.model}
    if isinstance(obj, Module) and obj.original is not None:
        return {**parts_of(obj.original), **obj.heap}
    if isinstance(obj, Module) and obj.in_sight:
        return {slot: value for slot, value in obj.heap.items() if slot not in _ANY_OF_THEM or not all(map(_is_met, value))}
    return obj.heap


def _is_met(atom: Atom) -> bool:
    """Whether something is a part of a module by its use alone: nothing in sight has put it there."""
    return isinstance(atom, Ref) and isinstance(atom.obj, Module) and atom.obj.symbolic and atom.obj.part


def _is_full_of_norms(obj: Obj) -> bool:
    """Whether an object is a ready-made model that normalises over the batch, with no other layers asked for in their place."""
    library, _, leaf = obj.qualname.rpartition(".")
    given = obj.arguments if isinstance(obj, Module) else None
    ready = library.startswith("torchvision.models") and (leaf.startswith(BATCH_NORM_MODELS) or leaf.endswith("_bn"))
    return ready and (given is None or not (given.starred or "norm_layer" in given.keywords))


def _drops_by_default(obj: Obj) -> bool:
    """Whether an object is a model of transformers that drops as it is configured by default, and is given no other rate where it is built."""
    library, *names = obj.qualname.split(".")
    if library != "transformers" or not isinstance(obj, Module):
        return False
    cls = next((name for name in names if name[:1].isupper()), "")
    family = max((each for each in DROPPING_MODELS if cls.startswith(each)), key=len, default="")
    given = obj.arguments
    rated = given is not None and (given.starred or any("drop" in keyword or keyword == "config" for keyword in given.keywords))
    return bool(family) and cls[len(family) :].startswith(("For", "Model", "LMHead", "DoubleHeads")) and not rated


def _given_layers(obj: Obj) -> Collection[Value]:
    """What a layer of torch that is built of other layers was given."""
    if isinstance(obj, Module) and obj.arguments and obj.qualname.startswith("torch.nn.") and _leaf(obj) in BUILT_OF_LAYERS:
        return obj.arguments.values()
    return ()


def _leaf(obj: Obj) -> str:
    return obj.qualname.rpartition(".")[2]


def mode_effects(*modules: Obj, dropout: str, norm: str) -> str:
    """What a mode does to some modules: the words for dropout, for batch norm, or for both; no more is said than is known of the layers of each."""
    effects = set[str]()
    for module in modules:
        layers, _ = _layers_with_modes(module, set_off_in(module))
        drops, norms = [layer for layer in layers if layer in DROPPING], [layer for layer in layers if "Norm" in layer]
        if not layers or len(layers) != len(drops) + len(norms):
            return f"{dropout}, and {norm}, if {'it has' if len(modules) == 1 else 'they have'} such layers"
        effects |= {*([dropout] if drops else []), *([norm] if norms else [])}
    return ", and ".join(words for words in (dropout, norm) if words in effects)


def _layers_with_modes(module: Obj, besides: Collection[Obj]) -> tuple[set[str], bool]:
    """The classes of those parts of a module that differ between the modes, "" where code of its own does, and whether all parts are known."""
    layers: set[str] = set()
    seen: set[int] = set()
    work = [module]
    known = True
    while work:
        obj = work.pop()
        if id(obj) in seen or obj in besides:
            continue
        seen.add(id(obj))
        leaf = _leaf(obj)
        if _has_modes(obj):
            told = "BatchNorm2d" if _is_full_of_norms(obj) else "Dropout" if _drops_by_default(obj) else ""
            layers.add(leaf if obj.qualname.startswith("torch.nn.") else told)
        known = known and not (isinstance(obj, Module) and obj.modal == "maybe")
        if (isinstance(obj, Module) and obj.parameter) or leaf in ("ParameterList", "ParameterDict"):
            continue
        of_torch = obj.qualname.startswith("torch.nn.")
        parts = [
            *(a.obj for value in (*parts_of(obj).values(), *_given_layers(obj)) for a in value if isinstance(a, Ref)),
            *filter(_can_be_called, _alternatives(obj)),
        ]
        if isinstance(obj, Module) and (not parts or is_of_another_library(obj)) and (not of_torch or leaf in BUILT_OF_LAYERS):
            known = known and obj.cls is not None and not obj.symbolic
        if isinstance(obj, Module) and (obj.symbolic or obj.many) and obj.part:
            known = False
        if isinstance(obj, Engine) and (not obj.model or any(not isinstance(a, Ref) for a in obj.model)):
            known = False
        # `nn.Sequential(*layers)`, whatever these are. What is in a list of Python's is no part: as a rule, it is widths, strides or names.
        if isinstance(obj, Module) and obj.length is None and any(isinstance(a, Unknown) for a in obj.heap.get("[]", ())):
            known = False
        work.extend(o for o in parts if isinstance(o, Module | Container))
    return layers, known


def _alternatives(obj: Obj) -> Sequence[Obj]:
    """The objects of which one is one; a model that was saved whole is like that which another branch builds in its place."""
    built = [each for each in obj.one_of if not each.symbolic]
    return [each for each in obj.one_of if each in built or not each.unpickled] if built else obj.one_of


def _can_be_called(obj: Obj) -> bool:
    """Whether an alternative can be what a call is of: a list or a dict of modules is none."""
    return obj.qualname not in ("torch.nn.ModuleList", "torch.nn.ModuleDict")
