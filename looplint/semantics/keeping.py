"""Values that outlive the iteration in which they are made: put into a container, or added to a sum."""

from __future__ import annotations

import libcst as cst

from looplint.dataclass import replace
from looplint.domain.objects import Container, Obj
from looplint.domain.tags import Kept, Mark, Summed, is_sum, tell_of_a_graph, went_backward
from looplint.domain.tensors import combine, comes_from_parameters, is_array, tensors_in, under
from looplint.domain.values import Atom, Const, EventKey, Func, Method, Number, Ref, Tensor, Tuple, Unknown, Value, refs, tensor_of
from looplint.flow.events import Accumulate, Keep, Nature
from looplint.flow.graph import Loop
from looplint.flow.remarks import Withdraw
from looplint.interpreter import hooks
from looplint.interpreter.assignments import averages
from looplint.interpreter.interpreter import Interpreter
from looplint.semantics import outcomes, structures
from looplint.semantics.parameters import give_by_hand, set_by_hand
from looplint.semantics.tensor_uses import is_used_as_tensor, usage_at, used_or_given_as_tensor
from looplint.semantics.tensors import change_local
from looplint.syntax import ir


@hooks.stored
def keep(interp: Interpreter, node: cst.CSTNode, base: Value, value: Value, key: Const | None) -> Value:
    """A value is put into a container; where that outlives the iteration, the value remembers it.

    Returns:
        The value as the container holds it.
    """
    if key is not None and key.value == "lr":
        interp.flags.sets_rates = True
        set_by_hand(interp, base, node)
    _let_go(interp, value)
    if key is None or not isinstance(key.value, str) or key.value == "params":
        give_by_hand(base, value)
    tensors = tensors_in([value])
    kept = [
        t
        for t in tensors
        if _may_have_graph(t) and not _may_be_no_tensor(interp, t) and (t.forwards or went_backward(t.tags) or comes_from_parameters(t))
    ]
    if not kept or not interp.loops:
        return value
    kept = [t for t in kept if not outcomes.is_without_graph(interp, t)]
    if not kept:
        return value
    nature = _nature(interp, value)
    for atom in base:
        if isinstance(atom, Ref) and isinstance(atom.obj, Container) and len(born_in(atom.obj)) < len(interp.loops):
            carried = interp.loops[len(born_in(atom.obj)) :]
            event = interp.emit(
                Keep(value=kept[0], into=atom.obj, slot=key is not None, carried=carried, nature=nature), node, kept[0].sources
            )
            if event is not None:
                value = _remembering(value, event.key)
    return value


@hooks.taken_out
def take_out(interp: Interpreter, node: cst.CSTNode, base: Value) -> None:
    """Containers give up something that they hold."""
    if containers := set(refs(base, Container)):
        interp.remark(Withdraw(), node, containers)


def _may_have_graph(tensor: Tensor) -> bool:
    """Whether a tensor has a graph, where no constant has its place, or is a loss that has one if it goes backward somewhere in the iteration."""
    return tensor.graph == "yes" or (tensor.graph == "maybe" and tell_of_a_graph(tensor.tags))


def _may_be_no_tensor(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a value is an entry of what code out of sight returns, and the function does nothing with it as with a tensor by any name that it has."""
    return Mark.ENTRY in tensor.tags and not any(
        tensor in value and is_used_as_tensor(interp, name) for name, value in interp.frame.locals.items()
    )


def _may_be_a_number(interp: Interpreter, tensor: Tensor, name: str) -> bool:
    """Whether a name holds such an entry, and the function asks nothing of it that a number has not, as of a count: other entries of the output are alike."""
    usage = usage_at(interp, name)
    return Mark.ENTRY in tensor.tags and (usage is None or not (usage.methods or usage.attrs or used_or_given_as_tensor(interp, usage)))


def _nature(interp: Interpreter, value: Value) -> Nature:
    """What a value is that is kept or added up, on all paths."""
    tensors = [a for a in value if isinstance(a, Tensor)]
    others = [a for a in value if not isinstance(a, Tensor)]
    if not others and all(each.scalar and _is_sum_alone(each) for each in tensors):
        return "number"  # it may still be what it began as
    if not others:
        return "tensor" if all(outcomes.is_tensor(interp, each) for each in tensors) else "tensors"
    numbers = all(isinstance(a, Number) or (isinstance(a, Const) and isinstance(a.value, int | float)) for a in others)
    return "number" if numbers and all(each.scalar for each in tensors) else "mixed"


def _is_sum_alone(tensor: Tensor) -> bool:
    """Whether a tensor is what a loop added up, which may have had no turn, and nothing proves that it had."""
    return any(isinstance(tag, Summed) for tag in tensor.tags) and not went_backward(tensor.tags)


def _remembering(value: Value, key: EventKey, depth: int = 3) -> Value:
    """The tensors in a value, and in the tuples it holds, with the container that they were put into."""
    found: set[Atom] = set()
    for atom in value:
        match atom:
            case Tensor():
                found.add(atom.tagged(Kept(key)))
            case Tuple() if depth:
                found.add(replace(atom, items=tuple(_remembering(item, key, depth - 1) for item in atom.items)))
            case _:
                found.add(atom)
    return frozenset(found)


def _let_go(interp: Interpreter, value: Value) -> None:
    """A function or bound method in a container (`callbacks.append(scheduler.step)`) can be called by everything that the container reaches."""
    for atom in value:
        match atom:
            case Method(obj=Ref(obj=obj)):
                obj.lost = True
            case Func():
                interp.agenda.values.append(frozenset({atom}))
            case Tuple():
                for item in atom.items:
                    _let_go(interp, item)


def born_in(obj: Obj) -> tuple[Loop, ...]:
    """The loops that were running when the object was made."""
    return obj.loops or ()


@hooks.accumulated
def accumulate(interp: Interpreter, stmt: ir.Assign | ir.AugAssign, target: ir.Expr, old: Value, added: Value, result: Value) -> Value:
    """`total += loss`: noted where `total` comes from before the iteration; the sum remembers where it was made."""
    tensor = tensor_of(added)
    path = ir.path_of(target) or (ir.path_of(target.value) if isinstance(target, ir.Subscript) else None)
    if tensor is None or path is None or not interp.loops:
        return result
    carried = interp.loops[len(interp.born(target)) :]
    averaged = averages(stmt)
    if averaged and not carried:
        return result
    if isinstance(stmt, ir.AugAssign) and isinstance(stmt.value, ir.Name) and _may_be_a_number(interp, tensor, stmt.value.id):
        return result
    # A sum under no_grad has no graph, whatever its terms have.
    graph = "no" if tensor.graph == "yes" and outcomes.is_without_graph(interp, tensor) else under(interp.grad, tensor.graph)
    added_up = replace(tensor, graph=graph)
    event = interp.emit(
        Accumulate(
            value=added_up,
            target=ir.render(target),
            carried=carried,
            nature=_nature(interp, added),
            form="average" if averaged else "sum",
        ),
        stmt.node,
        tensor.sources,
    )
    if event is None:
        return result
    if _is_of_outputs(interp, target, old):
        interp.uses.added_to_outputs.add(event.key)
    kept = tensor_of(result)
    if kept is None:
        return result
    return frozenset(a for a in result if not isinstance(a, Tensor)) | {kept.tagged(Summed(event.key))}


@hooks.tensor_written
def write_into_tensor(interp: Interpreter, target: ir.Subscript, base: Value, value: Value) -> None:
    """`losses[i] = loss`: from here on the tensor has the graph of what was written into it, and of what other iterations wrote."""
    name = target.value
    written = combine(interp.grad, [value])
    structures.written_to(interp, target, value)
    if written is None or not isinstance(name, ir.Name) or name.id not in interp.frame.locals:
        return
    if written.graph == "no":
        _come_from(interp, name.id, written)
        return
    whole = combine(interp.grad, [base, value])
    assert whole is not None
    whole = whole.tagged(*structures.set_aside_in(interp.frame.locals[name.id]))
    carried = interp.loops[len(interp.born(name)) :]
    if carried and not is_sum(written.tags) and not any(isinstance(a, Tensor) and is_array(a) for a in base):
        event = interp.emit(
            Accumulate(value=written, target=name.id, carried=carried, nature=_nature(interp, value), form="tensor"),
            target.node,
            written.sources,
        )
        whole = whole.tagged(Summed(event.key)) if event is not None else whole
    interp.frame.locals[name.id] = frozenset({*(a for a in base if not isinstance(a, Tensor)), whole})


def _come_from(interp: Interpreter, name: str, written: Tensor) -> None:
    """A tensor that values without a graph are written into is computed from what put them out: the returns that a loss is measured by."""
    if written.origins:
        change_local(interp, name, lambda a: replace(a, origins=a.origins | written.origins))


def _is_of_outputs(interp: Interpreter, target: ir.Expr, old: Value) -> bool:
    """Whether a sum starts from what a forward put out, or may: rows of something that is not known."""
    start = tensor_of(old)
    if start is not None:
        return start.graph == "yes" and bool(start.forwards) and not is_sum(start.tags)
    if isinstance(target, ir.Subscript) and isinstance(target.value, ir.Name) and not isinstance(target.index, ir.Const):
        return all(isinstance(a, Unknown) for a in interp.frame.locals.get(target.value.id, ()))
    return False
