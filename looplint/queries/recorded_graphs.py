"""The graphs of forwards: which are recorded, for all that is known, which may go backward, and which torch refuses to turn into arrays."""

from __future__ import annotations

import libcst as cst

from looplint.domain.call_string import CallString
from looplint.domain.objects import Module, Obj
from looplint.flow.events import Backward, Escape, Forward, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import Export
from looplint.knowledge import naming
from looplint.knowledge.lookup import records_its_graph
from looplint.knowledge.pytorch import names_a_loss
from looplint.queries.data_loops import has_a_batch_a_turn, over_entries, over_loader, takes_data
from looplint.queries.feeding import over_batches
from looplint.queries.naming import callee
from looplint.queries.program import Program
from looplint.queries.relations import held_by, only_in_train_mode, related
from looplint.queries.torch_versions import switches_volatility
from looplint.syntax import ir
from looplint.syntax.nodes import walk


def records_a_graph(program: Program, event: Forward) -> bool:
    """Whether a forward records its graph, and nothing says that the program wants it."""
    if event.grad is not True:
        return False  # a decorator, a context or a caller that disables gradients
    if event.enabled or only_in_train_mode(event):
        return False  # a context that enables gradients, which are wanted then, or the branch of `if model.training:`
    if event.key in program.uses.differentiated or program.for_input_gradient(event):
        return False  # a forward that is differentiated by its inputs
    if event.frozen or event.bare:
        return False  # a model that is frozen, or a module without parameters
    if program.is_volatile(event):
        return False  # an input that is volatile, where the program may run on a torch that heeds that
    if not event.recorded and switches_volatility(program, event):
        return False  # what comes in may be volatile where nothing is trained
    if _is_left_outside(program, event):
        return False
    trained = related(program.stepped_modules, event.subjects)
    return trained or event.key not in program.uses.graphless or not _is_made_out_of_sight(event)


def may_be_trained(program: Program, event: Forward) -> bool:
    """Whether a forward's result goes backward, or may do so: the turn it is in goes on to send something backward of which nothing is known.

    What a library keeps its outputs in, or makes of them, hides where a loss comes from: `loss = criterion(engine.query(batch).logits["c"], y)`. So does
    code out of sight that gets an object in which they lie: `loss = objective(episode) + penalty(model)`.
    Where the turn steps and nothing in it is differentiated, the gradients come from a rule of learning of the program's own, or a backward is missing: so
    too where a loop in the turn puts the loss together. Where its path ends in an error, what stands behind that is not known.
    """
    if program.is_trained(event) or any(_may_be_behind(program, event, each) for each in program.of(Backward)):
        return True
    loop = event.loops[-1] if event.loops else None
    if loop is not None and not loop.repeats and loop.function is not None and program.reached.misfit(loop.function):
        return True  # what would go backward may stand behind a call that ends in an error
    untrained = [each for each in event.loops if each not in program.differentiating_loops]
    return any(each.loops and each.loops[-1] in untrained and related(held_by(each.subjects), event.subjects) for each in program.of(Step))


def _may_be_behind(program: Program, event: Forward, backward: Backward) -> bool:
    if backward.manual or backward.cut_off or backward.of_inputs or backward.of_parameters:
        return False
    lent = event.key in program.uses.lent and event.root == backward.root
    if (backward.subjects or backward.forwards) and not lent:
        return False  # it is known what goes backward there, and no part of it comes from code out of sight that has got at this forward's result
    within = (bool(backward.loops) or lent) and event.loops[: len(backward.loops)] == backward.loops
    return within and event.grad is not False and event.index < backward.index


def may_be_sent_backward_elsewhere(program: Program, event: Forward) -> bool:
    """Whether code out of sight gets a forward's result with its graph, or what holds that: a caller that is not known, or a function that is not followed."""
    return event.key in program.uses.handed_on | program.uses.lent or any(event.key in escape.forwards for escape in program.of(Escape))


def is_a_pass(program: Program, event: Forward, loop: Loop) -> bool:
    """Whether a loop is one of an evaluation, whoever gets what it computes.

    It goes over a loader, or over batches in a script or in a function named so, or takes the next batch in each turn and looks at what the model says.
    """
    named = not event.root or naming.is_for_evaluations(event.root.rpartition(".")[2].rpartition("::")[2])
    named = named or (loop.function is not None and naming.is_a_validation(loop.function.name))
    looks = loop.draws and event.key in program.uses.scored | program.uses.fetched | program.uses.detached
    return over_loader(loop) or looks or (named and over_batches(program, loop))


def depth_of_the_drop(program: Program, event: Forward, depth: int) -> int:
    """How many calls lead to the place where this program drops the graph of a forward, which is said to be so many calls deep.

    What a function of another file returns with its graph, its other callers may send backward: it is dropped where it is called. A pass over a
    loader is one for everybody.
    """
    for context in _activations(event.key[0])[len(event.calls) - depth :]:
        returned = program.applications.returned_by_call.get(context, ())
        own = any(over_loader(loop) for loop in event.loops if loop.frame is context)
        if not depth or event.chain[depth].module is event.chain[0].module or event.key not in returned or own:
            break
        depth -= 1
    return depth


def loops_around(event: Forward) -> list[Loop]:
    """The loops around the place where a forward is asked for: without those of its own class's methods, which decode or refine one output."""
    within = _activations(event.key[0])[: len(event.calls) - event.outside]
    return [loop for loop in event.loops if _activations(loop.frame)[0] not in within]


def serves_more_classes(program: Program, event: Forward, depth: int) -> bool:
    """Whether what stands so many calls deep on the way to a forward calls a method in which other classes of the same base go backward."""
    within = _activations(event.key[0])[: len(event.calls) - depth]
    return any(context in program.applications.left_to_some_that_train for context in within)


def _activations(context: CallString) -> list[CallString]:
    """The runs of functions in which a context is, from the innermost on, without the turns of unrolled loops."""
    return [each for each in context.outward() if not each.is_turn]


def takes_what_has_no_graph(program: Program, event: Forward) -> bool:
    """Whether a forward's inputs come from forwards, and none of them has recorded a graph: it is the head of what ran under `no_grad`."""
    behind = program.forwards_of(event.inputs.origins) if event.inputs is not None else []
    return bool(behind) and all(each.grad is False for each in behind)


def may_run_without_gradients(program: Program, event: Forward) -> bool:
    """Whether what is applied may be a method out of sight that disables gradients by itself, or has no parameters.

    What gives the loss of a batch by its name is there to go backward, unless it is for validation, or computes the loss of outputs.
    """
    methods = [o for o in event.subjects if program.may_be_a_method(o) and not _is_known_to_record(o)]
    of_outputs = event.inputs is not None and bool(event.inputs.origins)
    return any(
        of_outputs or program.is_untrained_method(o) or naming.gives_a_loss_of_validation(o.name.rpartition(".")[2]) for o in methods
    )


def _is_known_to_record(part: Obj) -> bool:
    """Whether what may be a method out of sight is one of a library's model that leaves gradients as they are."""
    return any(records_its_graph(whole.qualname, part.name.rpartition(".")[2]) for whole in part.lineage() if whole is not part)


def refusal(program: Program, event: Forward) -> Export | None:
    """Where the result of a forward that records its graph becomes an array as it is, if the program trains its model, which is not frozen then."""
    if not related(program.stepped_modules, event.subjects):
        return None
    return next((e for e in program.of(Export) if event.key in e.forwards and e.certain), None)


def _is_left_outside(program: Program, event: Forward) -> bool:
    """Whether a method out of sight runs beside what the program has put under `no_grad`, in the same turn, and is none of it.

    That is the model that gets what the method makes, or the model whose method it is, where that gets nothing of what the method takes, as of labels: who
    has put the one under `no_grad`, and not the other, knows that the other has no graph. A method that gives a loss by its name runs the model.
    """
    if not all(isinstance(o, Module) and o.part and o.symbolic and not o.switched for o in event.subjects):
        return False
    beside = [e for e in program.of(Forward) if e.grad is False and e.loops == event.loops]
    if any(e.inputs is not None and event.key in e.inputs.origins for e in beside):
        return True
    taken = _names_given(event)
    if not taken or any(names_a_loss(o.name.rpartition(".")[2]) for o in event.subjects):
        return False
    wholes = {whole for o in event.subjects for whole in o.lineage() if whole is not o}
    ones_own = (e for e in beside if e.applied and e.key[0] is event.key[0] and not wholes.isdisjoint(e.subjects))
    return any((given := _names_given(e)) and taken.isdisjoint(given) for e in ones_own)


def _names_given(event: Forward) -> set[str]:
    """The names in the arguments of a forward, as they stand there."""
    node = event.site.node
    args = node.args if isinstance(node, cst.Call) else ()
    return {each.value for arg in args for each in walk(arg.value) if isinstance(each, cst.Name)} - {"self", "cls"}


def _is_made_out_of_sight(event: Forward) -> bool:
    """Whether a model may be frozen where it is made, or have a method that disables gradients: it is handed in, or comes out of a file.

    What a framework restores is made by its class: it is neither, unless the text of that says so.
    """
    modules = [o for each in event.subjects for o in each.lineage() if isinstance(o, Module)]
    return any((o.symbolic or o.unpickled) and not (o.restored is not None and _records_by_its_text(o.restored.cls)) for o in modules)


def _records_by_its_text(cls: ir.Class) -> bool:
    """Whether the text of a class freezes no parameters, and switches no gradients off."""
    methods = cls.methods.values()
    called = {name for f in methods for name in (*f.called(), *(path for each in f.decorators for path in ir.paths_in(each)))}
    targets = (to for f in methods for stmt in ir.statements(f.body) if isinstance(stmt, ir.Assign) for to in stmt.targets)
    frozen = any(isinstance(to, ir.Attr) and to.attr == "requires_grad" for to in targets)
    return not frozen and not any(word in name for name in called for word in ("grad", "freeze", "inference"))


def trains_on_another_call(program: Program, event: Forward, depth: int, loop: Loop | None) -> bool:
    """Whether the function that is so many calls deep on the way to a forward, or a loop in it, calls by the same name what it trains on."""
    others = (e for e in program.of(Forward) if e.calls[:depth] == event.calls[:depth] and (loop is None or loop in e.loops))
    called = callee(event.chain[depth])
    return any(e.chain[depth] != event.chain[depth] and callee(e.chain[depth]) == called and may_be_trained(program, e) for e in others)


def evaluates_batches(program: Program, event: Forward, loop: Loop | None, measured: bool) -> bool:
    """Whether a model in eval mode, which something else may have trained, goes over batches: what it puts out is measured, or comes from a loader.

    Other turns may be the steps of one thing, as of a model that generates: they count in a program that makes them, not in a function of unknown callers.
    """
    if loop is None or may_run_without_gradients(program, event):
        return False
    if not takes_data(loop):
        return measured and not event.root and loop.repeats and not over_entries(loop)
    return measured or (has_a_batch_a_turn(loop) and not any(event.key in escape.forwards for escape in program.of(Escape)))
