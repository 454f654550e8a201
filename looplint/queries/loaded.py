"""Models that get trained weights before they are applied: what a program that does not train them itself makes of them is an evaluation."""

from __future__ import annotations

from looplint.domain.objects import Module, Obj
from looplint.domain.values import Atom, Const, External, constant_of
from looplint.flow.events import Backward, Construct, Forward, LoadState, Step
from looplint.queries.data_loops import over_loader, untrained_loop
from looplint.queries.program import Program


def loaded_before(program: Program, module: Obj, event: Forward) -> LoadState | None:
    """Where a model, or the one that it is a part of, has got its weights before a forward, on every path."""
    loads = [e for e in program.of(LoadState) if e.certain and e.index < event.index and e.root == event.root]
    return next((e for e in reversed(loads) if not e.subjects.isdisjoint(module.lineage())), None)


def trained_before(program: Program, module: Obj, event: Forward) -> LoadState | Construct | None:
    """Where a model has got the weights of a file before a forward, or is built by a library with those that it was trained to."""
    loaded = loaded_before(program, module, event)
    if loaded is not None:
        return loaded if loaded.files else None
    built = (e for e in program.of(Construct) if module in e.subjects and e.certain and e.root == event.root)
    return next(built, None) if _is_built_trained(module) else None


def _is_built_trained(module: Obj) -> bool:
    """Whether a library's function that builds a model is told to give it trained weights: `resnet50(pretrained=True)`, `resnet50(weights="DEFAULT")`."""
    if not isinstance(module, Module) or module.cls is not None or module.arguments is None:
        return False
    given = module.arguments.keywords
    asked = constant_of(given.get("pretrained", frozenset()))
    return (asked is not None and asked.value is True) or any(map(_names_weights, given.get("weights", ())))


def _names_weights(atom: Atom) -> bool:
    """Whether an argument names trained weights: "DEFAULT", `ResNet50_Weights.IMAGENET1K_V2`."""
    return isinstance(atom.value, str) if isinstance(atom, Const) else isinstance(atom, External) and "_Weights." in atom.qualname


def built_for_an_evaluation(program: Program, module: Obj, event: Forward) -> LoadState | None:
    """Where a model has got its weights that is built in sight and stays there, if the forward is one of an evaluation; None for others."""
    built = any(module in e.subjects and e.certain and e.root == event.root for e in program.of(Construct))
    own = built and not module.symbolic and not module.escaped and not module.many
    evaluates = event.key in program.uses.compared or _only_applies(program, event)
    return loaded_before(program, module, event) if own and evaluates else None


def _only_applies(program: Program, event: Forward) -> bool:
    """Whether a forward goes over a loader in a program that trains nothing, and keeps what it gives."""
    loop = untrained_loop(program, event)
    return loop is not None and over_loader(loop) and event.key not in program.uses.handed_on and not program.of(Backward, Step)


def gives_out(program: Program, event: Forward) -> bool:
    """Whether what a forward puts out leaves torch as an array or a list, not in each turn of a loop that trains: targets may be made of that out of sight."""
    if event.key not in program.uses.fetched - program.uses.differentiated:
        return False
    loop = program.batch_loop(event)
    return loop is None or not program.every_iteration(event, loop)
