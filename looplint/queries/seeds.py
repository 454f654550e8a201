"""Where seeds stand: which weights are drawn before the seed that their training starts from."""

from __future__ import annotations

from looplint.domain.objects import Engine, Module, Optimizer
from looplint.flow.events import Construct, Escape, Event, Forward, Load, Step
from looplint.flow.remarks import Initialize, Seed
from looplint.queries.program import Program
from looplint.queries.relations import held_by, related
from looplint.semantics.parameters import draws_when_run


def drawn_unseeded(program: Program, module: Module) -> tuple[Event, Event] | None:
    """Where a module's first values are drawn before anything sets a seed, and the seed that is set before it is trained; None where that is not sure.

    A seed after its training begins another part of the program: that of other models, whatever names they have.
    """
    draws = Forward if draws_when_run(module) else Construct
    built = next((e for e in program.of(draws) if module in e.subjects and e.certain), None)
    seeds = program.of(Seed)
    if built is None or built.loops or not seeds or module.escaped or module.symbolic or module.part:
        return None
    late = min(seeds, key=lambda e: e.index)
    if any(e.root != built.root for e in seeds) or late.index <= built.index or late.loops:
        return None
    again = [e for e in program.of(Initialize) if e.index > late.index and (not e.subjects or related(e.subjects, [module]))]
    given = [e for e in program.of(Load, Escape) if not e.subjects or related(e.subjects, [module])]
    steps = [e for e in program.of(Step) if e.loops and _may_train(e, module)]
    trained = bool(steps) and all(e.root != built.root or e.index > late.index for e in steps)
    return (built, late) if trained and not again and not given else None


def _may_train(step: Step, module: Module) -> bool:
    """Whether a step changes the parameters of a module, as far as is known whose it changes."""
    known = all(isinstance(o, Engine) or (isinstance(o, Optimizer) and (o.holds or o.of_tensors)) for o in step.subjects)
    return not step.subjects or not known or related(held_by(step.subjects) | {o for o in step.subjects if isinstance(o, Engine)}, [module])
