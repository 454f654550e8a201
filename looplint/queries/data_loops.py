"""What a loop goes over, and which loops validate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import libcst as cst

from looplint.domain.objects import Instance, List, Module
from looplint.domain.values import Atom, Const, Iter, Number, Params, Ref, Tensor, Tuple, is_over_loader, refs
from looplint.flow.events import Backward, Escape, Event, Forward, Step
from looplint.flow.graph import Loop
from looplint.knowledge import naming
from looplint.queries.program import Program
from looplint.queries.relations import related
from looplint.regex import regex
from looplint.syntax import ir
from looplint.syntax.drained import is_drained

# How many turns a loop may have that looks at some examples.
_FEW = 10
_SETTINGS = regex(r"(self\.)?(args|cfg|conf|config|opts?|hparams|FLAGS)(\.(?!\w*(load|data|batch|iter))\w+)+")
_COUNTED = regex(r"range\((\d{1,4})\)")


def validation_loop(program: Program, event: Event) -> Loop | None:
    """The innermost loop over data around an event in which nothing is trained; one that always ends in its first turn tries a batch, and is no pass.

    A loop that counts, such as the steps of a decoder, belongs to the turn of the loop around it.
    """
    return next((loop for loop in _passes_around(program, event) if over_data(loop) or _is_drained(loop)), None)


def measuring_loop(program: Program, event: Event) -> Loop | None:
    """The validation loop around an event, or the one over chunks of data that a function counts which validates by its name."""
    counting = (loop for loop in _passes_around(program, event) if _validates_by_its_name(loop) and over_chunks(loop))
    return validation_loop(program, event) or next(counting, None)


def tries_out(program: Program, event: Forward) -> Loop | None:
    """The loop of a function that validates by its name, and of no data, in which a forward without gradients gives what leaves torch: a policy's episodes."""
    if event.grad is not False or event.key not in program.uses.fetched or validation_loop(program, event) is not None:
        return None
    return next(filter(_validates_by_its_name, _passes_around(program, event)), None)


def _passes_around(program: Program, event: Event) -> Iterator[Loop]:
    """The loops around an event, the innermost first, up to one that trains or ends in its first turn."""
    return takewhile(lambda loop: loop.repeats and not _trains(program, loop), reversed(event.loops))


def _is_drained(loop: Loop) -> bool:
    return isinstance(loop.stmt, ir.While) and is_drained(loop.stmt)


def _validates_by_its_name(loop: Loop) -> bool:
    return loop.function is not None and naming.is_a_validation(loop.function.name)


def untrained_loop(program: Program, event: Event) -> Loop | None:
    """The innermost loop around an event, where nothing is trained in it.

    A loop that does something with each batch of a loader, as for several scales or models, belongs to the pass over that, if nothing is trained there.
    """
    if not event.loops or _trains(program, event.loops[-1]):
        return None
    innermost = event.loops[-1]
    if takes_data(innermost) or (over_parts(innermost) and isinstance(event, Forward) and event.inputs is None):
        return innermost
    around = validation_loop(program, event)
    return around if around is not None and over_loader(around) else innermost


def _trains(program: Program, loop: Loop) -> bool:
    return any(loop in e.loops for e in program.of(Backward, Step, Escape) if e.kind != "escape" or e.certain)


def of_a_few(program: Program, event: Forward, loop: Loop | None) -> bool:
    """Whether a forward that is measured by no target is of one item each, or of a few that the text counts after an epoch: pictures to look at.

    Args:
        program: the program.
        event: the forward.
        loop: what it is a pass of, if anything. One over data has many items; the settings of a run list a few.
    """
    if loop is not None and (event.key in program.uses.compared or (takes_data(loop) and not _is_of_settings(loop))):
        return False
    few = bool(event.loops) and _has_few_turns(event.loops[-1]) and not _trains(program, event.loops[-1])
    return event.of_one_item or (
        few and all(_has_few_turns(loop) or _is_of_objects(loop) or _trains(program, loop) for loop in event.loops)
    )


def _is_of_settings(loop: Loop) -> bool:
    """Whether a loop goes over an entry of a run's settings: `config.analysis_pair`, `args.images`."""
    return _SETTINGS.fullmatch(loop.iterates) is not None


def _is_of_objects(loop: Loop) -> bool:
    """Whether a loop goes over objects that the program builds, as its callbacks."""
    return any(
        refs(atom.obj.heap.get("[]", frozenset()), Instance) for atom in loop.over if isinstance(atom, Ref) and isinstance(atom.obj, List)
    )


def _has_few_turns(loop: Loop) -> bool:
    counted = _COUNTED.fullmatch(loop.counting)
    return counted is not None and int(counted[1]) <= _FEW


def samples(program: Program, event: Forward) -> bool:
    """Whether one input is run again and again, as Monte-Carlo dropout does; not where something is trained in between."""
    trains = bool(event.loops) and any(event.loops[-1] in e.loops for e in program.of(Step))
    return event.repeated and not trains


def repeats_since(program: Program, switch: Event, event: Forward) -> bool:
    """Whether the same pass is made again and again after a switch, and nothing is trained in between: what differs then is chance.

    A number that nothing reads counts the passes: `for _ in range(10): scores.append(score(net, loader))`.
    """
    if any(switch.index < each.index < event.index for each in program.of(Step, Backward)):
        return False
    again = [loop for loop in event.loops[:-1] if loop not in switch.loops and loop.counting and not _reads_its_number(loop)]
    return any(not any(loop in each.loops for each in program.of(Step, Backward)) for loop in again)


def _reads_its_number(loop: Loop) -> bool:
    body = loop.stmt.body if loop.stmt is not None else []
    return any(not loop.targets.isdisjoint(ir.paths_in(expr)) for stmt in ir.statements(body) for expr in ir.expressions(stmt))


def over_data(loop: Loop) -> bool:
    """Whether a loop goes over batches rather than counts, entries or parts of a model: over a loader, or over something that is no range."""
    return bool(loop.over) and not over_entries(loop) and not any(_counts(atom) or _is_of_modules(atom) for atom in loop.over)


def word_for_turn(program: Program, loop: Loop, event: Event) -> str:
    """What a turn of a loop around an event is: a "batch", an "epoch", or a "turn" where it is neither, such as a task or a client."""
    batches = program.batch_loop(event)
    if program.counts_epochs(loop):
        return "epoch"
    if loop is batches:
        return "batch" if over_data(loop) or loop.draws else "turn"
    around_batches = batches is not None and batches.parent is loop and not over_data(loop)
    return "epoch" if around_batches and not any(map(program.counts_epochs, loop.lineage())) else "turn"


def records(program: Program, loop: Loop, made: Sequence[Forward | Backward]) -> bool:
    """Whether what a loop collects of some forwards is a record, turn after turn: the loop trains, or goes over a loader, or the program trains the model.

    In other code a loop over something, such as the tiles of an image, puts together what one call computes.
    """
    if over_loader(loop) or any(loop in e.loops for e in program.of(Backward, Step)):
        return True
    return any(related(program.stepped_modules, e.subjects) for e in made)


def computes_terms(program: Program, loop: Loop, made: Sequence[Forward | Backward]) -> bool:
    """Whether some forwards in a loop that counts compute the terms of one quantity of the same data, and nothing is trained or taken from data in it."""
    if takes_data(loop) or any(loop in e.loops for e in program.of(Backward, Step)):
        return False
    terms = [e for e in made if isinstance(e, Forward) and e.loops[-1:] == (loop,) and e.fed_again]
    known = {e.key for e in terms}
    others = [e for e in made if loop in e.loops and e not in terms]
    return bool(terms) and all(isinstance(e, Forward) and e.bare and e.inputs is not None and e.inputs.forwards <= known for e in others)


def over_chunks(loop: Loop) -> bool:
    """Whether a loop counts where the chunks of something begin, of a size that has a name: `range(0, len(x), size)`, or the chunks."""
    return any(isinstance(atom, Iter) and any(map(_begins_chunk, atom.element)) for atom in loop.over) or _cuts_by_number(loop)


def _cuts_by_number(loop: Loop) -> bool:
    """Whether each turn of a loop that counts takes the part of something that has its number: `x[n * size : (n + 1) * size]`."""
    if not isinstance(loop.stmt, ir.For) or not any(map(_counts, loop.over)):
        return False
    body = list(ir.statements(loop.stmt.body))
    numbers = ir.paths_in(loop.stmt.target)
    places = set[str]()
    for stmt in body:
        if isinstance(stmt, ir.Assign) and _is_multiple(stmt.value, numbers):
            places |= {path for target in stmt.targets for path in ir.paths_in(target)}
    return any(
        isinstance(index.node, cst.Slice)
        and any(_is_multiple(index, numbers) or ir.paths_in(bound) & places for bound in ir.children(index))
        for stmt in body
        for whole in ir.expressions(stmt)
        for each in ir.walk(whole)
        if isinstance(each, ir.Subscript)
        for index in ir.walk(each.index)
    )


def _is_multiple(expr: ir.Expr, numbers: set[str]) -> bool:
    """Whether an expression has the product of a number that is counted and something else in it."""
    return any(isinstance(e, ir.Binary) and e.op == "*" and bool(ir.paths_in(e) & numbers) for e in ir.walk(expr))


def _begins_chunk(atom: Atom) -> bool:
    return (isinstance(atom, Number) and "chunks" in atom.units) or (
        isinstance(atom, Tuple) and any(_begins_chunk(a) for item in atom.items for a in item)
    )


def over_entries(loop: Loop) -> bool:
    """Whether a loop goes over the entries of a dict, by name: what they are is known beforehand, and batches are not."""
    return loop.iterates.endswith((".items()", ".values()", ".keys()"))


def over_loader(loop: Loop) -> bool:
    """Whether a loop goes over the batches of a loader."""
    return is_over_loader(loop.over)


def has_a_batch_a_turn(loop: Loop) -> bool:
    """Whether each turn of a loop has a batch of a loader: it goes over one, or counts and takes the next (`for _ in range(n): x, y = next(batches)`)."""
    return over_loader(loop) or loop.draws


def takes_data(loop: Loop) -> bool:
    """Whether each turn of a loop has data of its own: it goes over data or over chunks of them, or takes the next batch of a loader."""
    return over_data(loop) or over_chunks(loop) or loop.draws


def over_parts(loop: Loop) -> bool:
    """Whether a loop goes over the parts of a model, or over their places."""
    return any(_is_of_modules(atom) for atom in (*loop.over, *loop.counted))


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
    """Whether the iterable yields numbers that are no places in data (`range(len(dataset))`), or is a collection that the text itself writes out."""
    match atom:
        case Iter(bound=bound) if any(isinstance(a, Number) and a.units & {"items", "batches"} for a in bound):
            return False
        case Iter():
            return any(isinstance(a, Number) or _is_of_numbers(a) for a in atom.element)
        case Ref(obj=List(items=items)):
            return items is not None
    return False


def _is_of_numbers(row: Atom) -> bool:
    """Whether a row has nothing but numbers and texts that are written out: `enumerate([0, 1, 2, 3])`."""
    return isinstance(row, Tuple) and all(isinstance(a, Number | Const) for item in row.items for a in item)


def _has_module(row: Atom) -> bool:
    """Whether a row is a module or its parameters, or has one, also in a row of its own: `enumerate(zip(self.down, self.up))`."""
    match row:
        case Ref(obj=Module()) | Params():
            return True
        case Tuple(items=items):
            return any(_has_module(inner) for item in items for inner in item)
    return False


def _is_of_modules(atom: Atom) -> bool:
    """Whether the iterable yields the parts of a model, alone or besides something else."""
    match atom:
        case Iter():
            return any(_has_module(row) for row in atom.element)
        case Ref(obj=List() as listed):
            return bool(refs(listed.heap.get("[]"), Module))
        case Ref():
            return isinstance(atom.obj, Module)
    return False
