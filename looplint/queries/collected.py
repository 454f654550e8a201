"""What a trained model puts out for the batches of a loader and is collected as arrays: embeddings, which are measured out of torch."""

from __future__ import annotations

from looplint.domain.objects import Obj
from looplint.flow.events import Forward, Train
from looplint.queries.data_loops import over_loader, validation_loop
from looplint.queries.program import Program


def collects_arrays(program: Program, module: Obj, event: Forward) -> bool:
    """Whether what a trained model puts out for the batches of a loader is collected as arrays, without gradients.

    What it puts out for another one that trains, as a generator does for its critic, may be shown to be looked at; and a `train()` for this
    pass alone is meant. A softmax has no parameters that train.
    """
    loop = validation_loop(program, event)
    if loop is None or not over_loader(loop) or event.grad is not False or event.key not in program.uses.fetched:
        return False
    own = {e.key for e in program.of(Forward) if e.subjects & event.subjects}
    fed = [e.inputs for e in program.of(Forward) if e.key not in own and not e.bare and program.is_trained(e)]
    return not any(inputs is not None and own & inputs.origins for inputs in fed) and _in_train_mode_since_training(program, module, event)


def _in_train_mode_since_training(program: Program, module: Obj, event: Forward) -> bool:
    """Whether a model was trained before a forward, and no `train()` after that was meant for the forward, as for Monte-Carlo dropout."""
    whole = set(module.lineage())
    before = [e for e in program.of(Train, Forward) if e.index < event.index and e.root == event.root and e.subjects & whole]
    switched = max((e.index for e in before if isinstance(e, Train)), default=-1)
    return any(isinstance(e, Forward) and e.index > switched and program.is_trained(e) for e in before)
