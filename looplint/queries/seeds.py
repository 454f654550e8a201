"""Where seeds stand: which weights are drawn before the seed that their training starts from."""

from __future__ import annotations

from looplint.domain.objects import Loader, Module
from looplint.flow.events import Construct, Escape, Event, Forward, Load, Step
from looplint.flow.remarks import Initialize, Seed
from looplint.knowledge.layers import CONTAINERS
from looplint.queries.program import Pass, Program
from looplint.queries.relations import may_change, related
from looplint.semantics.parameters import draws_when_run

# What holds modules or parameters that were made before it, and draws nothing by itself.
_FILLED = CONTAINERS | {"ParameterList", "ParameterDict"}


def drawn_unseeded(program: Program, module: Module) -> tuple[Event, Event] | None:
    """Where a module's first values are drawn before anything sets a seed, and the seed that is set before it is trained; None where that is not sure.

    A seed after its training begins another part of the program: that of other models, whatever names they have.
    """
    draws = Forward if draws_when_run(module) else Construct
    built = next((e for e in program.of(draws) if module in e.subjects and e.certain), None)
    seeds = program.of(Seed)
    if built is None or built.loops or not seeds or module.escaped or module.symbolic or module.part or _is_filled_later(module):
        return None
    late = min((e for e in seeds if not e.alone), key=lambda e: e.index, default=None)
    if late is None or late.loops or any(e.root != built.root or e.index <= built.index for e in seeds):
        return None
    again = [e for e in program.of(Initialize) if e.index > late.index and (not e.subjects or related(e.subjects, [module]))]
    given = [e for e in program.of(Load, Escape) if not e.subjects or related(e.subjects, [module])]
    steps = [e for e in program.of(Step) if e.loops and may_change(e, module)]
    trained = bool(steps) and all(e.root != built.root or e.index > late.index for e in steps)
    return (built, late) if trained and not again and not given else None


def starts_over_in(program: Program, found: Pass) -> Seed | None:
    """The seed that each epoch of a training sets anew to the same, from which a loader that shuffles would draw one order each time."""
    if any(isinstance(each, Loader) and "generator" in each.options for each in found.loader.subjects):
        return None
    for event in program.of(Seed):
        if event.told is None or found.epochs not in event.loops or found.batches in event.loops:
            continue
        if program.every_iteration(event, found.epochs) and not any(program.varies(each, found.epochs) for each in event.told):
            return event
    return None


def _is_filled_later(module: Module) -> bool:
    """Whether a module is a container of torch that is built with nothing in it: what is put into it is drawn where that is made."""
    given = module.arguments
    plain = module.cls is None and module.qualname.startswith("torch.nn.") and module.qualname.rpartition(".")[2] in _FILLED
    return plain and given is not None and not given.values() and not given.starred
