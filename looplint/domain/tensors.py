"""How tensors are made from tensors: what they depend on, and whether the graph is kept."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.dataclass import replace
from looplint.domain.objects import Container, Distribution, Instance, List, Obj
from looplint.domain.tags import Mark, Multiplied, Rooted, SentBackward, SetAside, lasting, without_roots
from looplint.domain.values import (
    COMPUTED,
    NUMBERS,
    UNKNOWN,
    Atom,
    Const,
    External,
    Graph,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    join_tensors,
)
from looplint.knowledge.pytorch import TENSOR_ATTRIBUTES

# The slot of an object for the tensors that its base class, which is out of sight, has got of it.
OF_BASE = "[base]"


def tensors_in(values: Iterable[Value], depth: int = 3) -> list[Tensor]:
    """The tensors in some values and in the tuples and containers they hold, which may hold one another; those that a distribution has."""
    found = []
    seen: set[Obj] = set()
    level = [atom for value in values for atom in value]
    while level:
        held: list[Value] = []
        for atom in level:
            match atom:
                case Tensor():
                    found.append(atom)
                case Tuple():
                    held.extend(atom.items)
                case Ref(obj=Container() as obj) if obj not in seen:
                    seen.add(obj)
                    known = obj.items if isinstance(obj, List) and not obj.changed else None
                    held.extend(obj.heap.values() if known is None else known)
                case Ref(obj=Distribution() as obj) if obj not in seen:
                    seen.add(obj)
                    held.extend(obj.heap.values())
                case Ref(obj=Instance() as obj) if OF_BASE in obj.heap and obj not in seen:
                    seen.add(obj)
                    held.append(obj.heap[OF_BASE])
        level = [atom for value in held for atom in value] if depth else []
        depth -= 1
    return found


def comes_from_parameters(tensor: Tensor) -> bool:
    """Whether a graph goes to parameters or other leaves that some computation used itself, and to no forward of a module."""
    return tensor.graph == "yes" and (bool(tensor.sources) or Mark.LEAF in tensor.tags) and not tensor.forwards


# What is said of a value as long as nothing is computed of it.
_AS_RETURNED = frozenset({Mark.RETURNED, Mark.ENTRY})


def combine(grad: bool | None, values: Iterable[Value]) -> Tensor | None:
    """The tensor computed from some values: it depends on all of them, and has a graph if one of them has or is a parameter.

    Args:
        grad: whether gradients are on where it is computed, None where that is not known.
        values: what it is computed from.

    Returns:
        None when no tensor is among the values.
    """
    values = list(values)
    tensors = tensors_in(values)
    if not tensors:
        return None
    result = join_tensors(tensors)
    if any(isinstance(tag, SetAside) or tag in _AS_RETURNED for tag in result.tags):
        result = replace(result, tags=frozenset(t for t in result.tags if not isinstance(t, SetAside) and t not in _AS_RETURNED))
    if Mark.LEAF in result.tags and not all(_reaches_nothing(a) for value in values for a in value):
        result = replace(result, tags=result.tags - {Mark.LEAF, Mark.PROBE})
    if Mark.BEGUN in result.tags and any(isinstance(a, Unknown) for value in values for a in value):
        result = result.tagged(Mark.ADDED_TO)
    deps = frozenset().union(*(a.deps for v in values for a in v if isinstance(a, Unknown)))
    parameters = [a for v in values for a in v if isinstance(a, Params) and a.form == "one" and not a.grad]
    deps = deps.union(*(a.sources for a in parameters))
    graphs = {"yes" if parameters else "no", *(t.graph for t in tensors)}
    graph: Graph = "yes" if "yes" in graphs else "maybe" if "maybe" in graphs else "no"
    graph = under(grad, graph)
    if graph == "no":
        tags = without_roots(result.tags)
        return replace(
            result, sources=frozenset(), forwards=frozenset(), graph=graph, tags=tags, scalar=False, made=frozenset(), outcomes=frozenset()
        )
    return replace(result, sources=result.sources | deps, graph=graph, scalar=False, made=frozenset(), outcomes=frozenset())


def _reaches_nothing(atom: Atom) -> bool:
    """Whether an operand adds no graph to that of the tensors beside it."""
    return isinstance(atom, Tensor | Number | Const | External) or (isinstance(atom, Unknown) and not atom.deps)


def under(grad: bool | None, graph: Graph) -> Graph:
    """What becomes of a graph where gradients may be switched off."""
    if grad is False:
        return "no"
    if grad is None and graph == "yes":
        return "maybe"
    return graph


def guess(grad: bool | None, tensor: Tensor, deps: frozenset[Obj] = frozenset()) -> Tensor:
    """A tensor that may or may not still have the graph of another one."""
    if grad is False or (tensor.graph == "no" and not deps):
        return Tensor(origins=tensor.origins, tags=lasting(tensor.tags))
    tags = frozenset(
        tag
        for tag in tensor.tags
        if tag not in (Mark.LEAF, Mark.PROBE, Mark.LOSS, Mark.PLACE_HELD, Mark.TERM, Mark.UNSETTLED)
        and not isinstance(tag, SentBackward | SetAside)
    )
    return Tensor(tensor.sources | deps, "maybe", tensor.forwards, tags, origins=tensor.origins)


def detached(tensor: Tensor) -> Tensor:
    return Tensor(scalar=tensor.scalar, origins=tensor.origins, made=tensor.made, tags=lasting(tensor.tags))


def leaf(tensor: Tensor) -> Tensor:
    """A tensor that begins a graph: it has the values of another one, and asks for gradients."""
    begun = () if tensor.origins else (Mark.BEGUN,)
    return replace(tensor, sources=frozenset(), graph="yes", forwards=frozenset()).tagged(Mark.INPUT_GRADIENT, Mark.LEAF, *begun)


def copied_to_host(tensor: Tensor) -> Tensor:
    """What leaves torch as an array or as plain numbers: no graph, and nothing that reads it waits for a device."""
    return Tensor(origins=tensor.origins, tags=lasting(tensor.tags) | {Mark.HOST})


def is_array(tensor: Tensor) -> bool:
    """Whether a value is numbers outside of torch alone: what code out of sight makes of an action or a label is not computed from it."""
    return Mark.HOST in tensor.tags and tensor.graph == "no"


def is_loss_with_graph(tensor: Tensor) -> bool:
    """Whether a value is a loss, or is computed from one, and may still go backward."""
    return Mark.LOSS in tensor.tags and tensor.graph != "no"


def computed(tensor: Tensor) -> Tensor:
    """The tensor as the result of an operation of torch."""
    return replace(tensor, made=COMPUTED, outcomes=frozenset())


def rooted(tensor: Tensor, depth: int) -> Tensor:
    """What an operation gives inside so many loops: where it has a graph of leaves alone, that was built there."""
    if tensor.graph == "no":
        return replace(tensor, tags=without_roots(tensor.tags))
    return tensor.tagged(Rooted(depth)) if tensor.graph == "yes" and not tensor.forwards else tensor


def is_rooted(tensor: Tensor) -> bool:
    """Whether an operation has computed it from leaves alone, with their graph."""
    return tensor.graph == "yes" and not tensor.forwards and any(isinstance(tag, Rooted) for tag in tensor.tags)


def sure(values: Iterable[Value]) -> bool:
    """Whether one of some operands is a tensor beyond doubt; then what is computed from them is one too."""
    return any(isinstance(a, Tensor) and a.made for v in values for a in v)


def watched(tensor: Tensor) -> Tensor:
    """The tensor after it was asked for gradients: where it has no graph, one begins here."""
    return leaf(tensor) if tensor.graph == "no" else replace(tensor.tagged(Mark.INPUT_GRADIENT), graph="yes")


def multiplied(tensor: Tensor, op: str, by: str) -> Tensor:
    return replace(tensor.tagged(Multiplied(op, by)), scalar=tensor.scalar)


def of_input(tensor: Tensor) -> bool:
    """Whether a tensor is an input whose gradient the program asks for, and no parameter of a module."""
    return Mark.INPUT_GRADIENT in tensor.tags and not tensor.sources


def attribute_of_tensor(tensor: Tensor, name: str) -> Value:
    if name == "data" and Mark.PACKED in tensor.tags:
        return frozenset({replace(tensor, tags=tensor.tags - {Mark.PACKED})})
    if name == "data":
        return frozenset({replace(detached(tensor), outcomes=tensor.outcomes)})
    if name == "shape":
        return NUMBERS
    if name == "grad" and of_input(tensor):
        return frozenset({Tensor(made=COMPUTED)})
    if name in TENSOR_ATTRIBUTES:
        return UNKNOWN
    if name in ("loss", "losses"):
        return frozenset({replace(tensor, scalar=True, made=frozenset(), outcomes=frozenset())})
    return frozenset({tensor if name in ("T", "mT") else replace(tensor, outcomes=frozenset())})
