"""Tensors: what functions and methods compute from them."""

from __future__ import annotations

from collections.abc import Callable

from looplint.dataclass import replace
from looplint.domain.tags import NO_TAGS, Chunked, Mark, OfEntry, ToldBy, sources_of_batches
from looplint.domain.tensors import combine, computed, copied_to_host, detached, guess, is_array, leaf, rooted, sure, under, watched
from looplint.domain.values import (
    COMPUTED,
    NOTHING,
    NUMBERS,
    UNKNOWN,
    Arguments,
    Atom,
    Const,
    External,
    Graph,
    Iter,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    constant_of,
    join,
)
from looplint.flow.events import Backward, Clear
from looplint.flow.remarks import Export
from looplint.interpreter import unfollowed
from looplint.interpreter.elements import element_of
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.knowledge.lookup import is_functional_loss, tensor_method
from looplint.knowledge.pytorch import CONVERTING, FETCHING, LENGTHS, MADE_BY_SIZE, TENSOR_ONLY
from looplint.knowledge.tensor_members import TENSOR_MEMBERS
from looplint.semantics import averages, devices, losses, structures
from looplint.semantics.device_copies import note_fetched, note_transfer, placed
from looplint.semantics.gradients import backward, empties_gradient, fills_gradient
from looplint.semantics.outcomes import of_function
from looplint.semantics.parameters import may_thaw
from looplint.semantics.tensor_evidence import note_discarded
from looplint.syntax import ir

_DIVIDING = frozenset({"chunk", "split"})
_SHAPING = frozenset({"view", "reshape"})
# What takes only the sizes or the type of another tensor.
_SHAPED_LIKE = frozenset({"expand_as", "view_as", "reshape_as", "type_as"})
_PAIRS = frozenset({"max", "min", "topk", "sort", "kthvalue", "mode", "median", "cummax", "cummin"})


@transfer("tensor")
def _tensor(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if is_functional_loss(qualname):
        return losses.loss(interp, None, args, expr, qualname)
    if qualname.startswith("builtins."):
        inner = [join(NOTHING, _element(interp, v)) if not any(isinstance(a, Tensor) for a in v) else v for v in args.values()]
        tensor = combine(interp.grad, inner)
        if tensor is None:
            return UNKNOWN
        return frozenset({computed(tensor) if sure(inner) else tensor})
    of_torch = qualname.startswith("torch.")
    tensor = combine(interp.grad, args.values())
    if tensor is None:
        params = [a for v in args.values() for a in v if isinstance(a, Params)]
        if params:
            return frozenset(
                {
                    Tensor(
                        frozenset().union(*(p.sources for p in params)), under(interp.grad, "no" if any(p.grad for p in params) else "yes")
                    )
                }
            )
        needs = args.keywords.get("requires_grad")
        known = constant_of(needs) if needs else None
        given = args.get(0, "input") or UNKNOWN
        outcomes = of_function(interp, qualname.rpartition(".")[2], given, expr) if of_torch else frozenset()
        made = Tensor(made=COMPUTED if of_torch else frozenset(), outcomes=outcomes)
        if interp.aside and interp.grad is not False and any(isinstance(a, Unknown) for a in given):
            made = replace(made, graph="maybe")  # what a layer out of sight has given: what is asked for here is whether that has a graph
        return (
            frozenset({replace(made, graph="yes", tags=frozenset({Mark.INPUT_GRADIENT}))}) if known and known.value else frozenset({made})
        )
    name = qualname.rpartition(".")[2]
    if of_torch:
        given = args.get(0, "input") or UNKNOWN
        tensor = replace(rooted(computed(tensor), len(interp.loops)), outcomes=of_function(interp, name, given, expr))
        if qualname in ("torch.chunk", "torch.split"):
            tensor = _divided(tensor, name, expr, expr.args[1:])
        _count(interp, qualname, expr)
        packed = name in ("pack_padded_sequence", "pack_sequence")
        tensor = replace(tensor, tags=tensor.tags | {Mark.PACKED} if packed else tensor.tags - {Mark.PACKED})
    else:
        tensor = rooted(tensor, len(interp.loops))
    if name in _PAIRS:
        interp.uses.scored |= tensor.origins
        return _reduced(tensor, name, args.positional[1:], args)
    return frozenset({tensor})


@transfer("token-ids")
def _token_ids(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`clip.tokenize(texts)`: a tensor of the numbers of tokens, and no batch of several entries."""
    return frozenset({Tensor(made=COMPUTED)})


@transfer("maker-of-token-ids")
def _maker_of_token_ids(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`open_clip.get_tokenizer(name)`: what it gives is called as the function is."""
    return frozenset({External("open_clip.tokenize")})


@transfer("edges")
def _edges(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Edges, masks and weights that a library of graphs works out: the weights alone may have a graph."""
    return unfollowed.quiet(interp, args)


def _count(interp: Interpreter, qualname: str, expr: ir.Call) -> None:
    """What torch takes as lengths are whole numbers: the name that is given there has no graph, whatever it came out of."""
    place = LENGTHS.get(qualname)
    if place is None or any(arg.star for arg in expr.args):
        return
    number, keyword = place
    given = [arg.value for i, arg in enumerate(expr.args) if arg.keyword == keyword or (arg.keyword is None and i == number)]
    for each in given:
        # Lengths have to lie on the processor: `lengths.cpu()` is of the type of `lengths`.
        match each:
            case ir.Call(func=ir.Attr(value=ir.Name(id=name), attr="cpu")) | ir.Name(id=name):
                change_local(interp, name, detached)


def _divided(tensor: Tensor, name: str, expr: ir.Call, how: list[ir.Arg]) -> Tensor:
    """What `x.chunk(k)` and `x.split(size)` give: parts of a batch, where the first dimension is divided evenly."""
    if not how or any(arg.star for arg in how) or any(isinstance(tag, Chunked) for tag in tensor.tags):
        return tensor
    along = next((arg.value for arg in how[1:] if arg.keyword in (None, "dim")), None)
    if isinstance(how[0].value, ir.Display) or along is not None and not (isinstance(along, ir.Const) and along.value == 0):
        return tensor
    text = ir.render(how[0].value)
    return tensor.tagged(Chunked(text) if name == "chunk" else Chunked(f"len({ir.render(expr)})", text))


def _is_one_item(expr: ir.Expr) -> bool:
    """Whether an expression gives something a first dimension of one: `[state]`, `state[None]`, `np.expand_dims(state, 0)`."""
    match expr:
        case ir.Display(kind="list" | "tuple", items=[only]):
            return isinstance(only, ir.Name | ir.Attr | ir.Call)
        case ir.Subscript(index=index):
            first = index.items[0] if isinstance(index, ir.Display) and index.items else index
            return isinstance(first, ir.Const) and first.value is None
        case ir.Call(func=ir.Attr(attr="expand_dims"), args=[_, along]):
            return isinstance(along.value, ir.Const) and along.value.value == 0
        case ir.Call(func=ir.Attr(attr="reshape")):
            return _has_one_row(expr)
    return False


def _has_one_row(shaping: ir.Call) -> bool:
    """Whether a call gives something a first dimension of one and further ones: `state.view(1, -1)`, `state.reshape((1, 3, 84, 84))`."""
    shape = [arg.value for arg in shaping.args]
    if len(shape) == 1 and isinstance(shape[0], ir.Display):
        shape = shape[0].items
    return len(shape) > 1 and isinstance(shape[0], ir.Const) and shape[0].value == 1


def _is_made_with_one_row(qualname: str, made: ir.Call) -> bool:
    """Whether a tensor is made with a first dimension of one and further ones: `torch.zeros(1, 3)`, `torch.randint(0, 9, size=(1, n))`."""
    if qualname.rpartition(".")[2] not in MADE_BY_SIZE:
        return False
    shape = [arg.value for arg in made.args if arg.keyword in (None, "size")]
    sized = next((each.items for each in shape if isinstance(each, ir.Display)), shape)
    return len(sized) > 1 and isinstance(sized[0], ir.Const) and sized[0].value == 1


def alone(tensor: Tensor, args: Arguments) -> Tensor:
    """A tensor that is given a new dimension; where that is the first, it is the only item of a batch."""
    dim = constant_of(args.get(0, "dim") or UNKNOWN)
    return tensor.tagged(Mark.SINGLE) if dim is not None and dim.value == 0 else tensor


def _element(interp: Interpreter, value: Value) -> Value:
    if any(isinstance(a, Ref | Tuple | Iter) for a in value):
        return element_of(interp, value)
    return value


@transfer("detached")
def _detached(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    devices.note_placed(interp, args.keywords.get("device"))
    tensor = combine(interp.grad, args.values())
    made = COMPUTED if qualname.startswith("torch.") else frozenset()
    told = NO_TAGS
    if tensor is not None and made and is_array(tensor):
        # What comes back into torch is data: a reward, a target. What is trained on it is trained on what the array was made of.
        told = frozenset({*map(ToldBy, tensor.origins), *(tag for tag in tensor.tags if isinstance(tag, ToldBy))})
        tensor = None
    if tensor is not None and qualname.rpartition(".")[2] in CONVERTING:
        return frozenset({tensor})
    if tensor is not None:
        interp.uses.scored |= tensor.origins
        if qualname.rpartition(".")[2] in ("eq", "ne", "equal"):
            interp.uses.compared |= tensor.origins
    needs = args.keywords.get("requires_grad")
    known = constant_of(needs) if needs else None
    if known is not None and known.value:
        if qualname.rpartition(".")[2] == "tensor" and tensor is not None:
            interp.uses.cut_off |= tensor.origins
        begun = leaf(tensor or Tensor())  # of the shape of another one, too
        of_value = any(isinstance(a, Number | Tensor) for v in args.positional for a in v)
        tags = begun.tags - {Mark.BEGUN} if of_value else begun.tags
        return frozenset({replace(begun, made=made, tags=tags | {Mark.PROBE} if made and qualname.endswith(".zeros_like") else tags)})
    if tensor is not None:
        return frozenset({replace(detached(tensor), made=made)})
    single = made and expr.args and (_is_one_item(expr.args[0].value) or _is_made_with_one_row(qualname, expr))
    return frozenset({Tensor(made=made, tags=told | {Mark.SINGLE} if single else told)})


@transfer("variable")
def _variable(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    value = args.positional[0] if args.positional else UNKNOWN
    needs = args.keywords.get("requires_grad")
    known = constant_of(needs) if needs else None
    interp.uses.cut_off.update(*(a.origins for a in value if isinstance(a, Tensor)))
    if known is not None and known.value:
        return frozenset({replace(leaf(combine(interp.grad, [value]) or Tensor()), made=COMPUTED)})
    volatile = args.keywords.get("volatile")
    if volatile is not None and ((told := constant_of(volatile)) is None or told.value):
        return frozenset({(combine(interp.grad, [value]) or Tensor()).tagged(Mark.VOLATILE)})
    return frozenset(_wrapped(a) for a in value)


def _wrapped(atom: Atom) -> Atom:
    """`Variable(x)` is a new tensor with the values of x since torch 0.4, and has no graph."""
    match atom:
        case Tensor(graph="yes"):
            return replace(detached(atom), outcomes=atom.outcomes).tagged(Mark.RECORDED)
        case Tensor():
            return atom.tagged(Mark.RECORDED)
        case Unknown(deps=deps) if not deps:
            return Tensor(tags=frozenset({Mark.RECORDED}))
    return atom


@transfer("number")
def _number(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    units = frozenset().union(*(a.units for v in args.values() for a in v if isinstance(a, Number)))
    known = constant_of(args.positional[0]) if len(args.positional) == 1 else None
    if known is not None and known.value in ("inf", "Infinity") and qualname == "builtins.float":
        return const(float("inf"))
    if known is not None and isinstance(known.value, int | float) and qualname == "builtins.int":
        return const(int(known.value)) if abs(known.value) < 1e15 else UNKNOWN
    for atom in args.positional[0] if args.positional and qualname in ("builtins.float", "builtins.int", "builtins.round") else ():
        if isinstance(atom, Tensor):
            note_fetched(interp, atom, ir.render(expr), expr)
            interp.uses.scored |= atom.origins
    return frozenset({Number(units)})


def on_tensor(interp: Interpreter, tensor: Tensor, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method of a tensor, or of a structure of tensors."""
    note_discarded(interp, tensor, name, args, expr)
    if name in FETCHING:
        note_fetched(interp, tensor, f"{ir.render(expr.func)}()", expr)
    elif name in ("to", "cuda"):
        if name == "cuda":
            devices.note_unconditional(interp)
        else:
            devices.note_placed(interp, args.get(0, "device"))
        note_transfer(interp, tensor, name, args, expr)
        tensor = placed(tensor, name)
    elif name == "pin_memory":
        return frozenset({placed(tensor, name)})
    elif name in ("values", "items") and not args.values() and (sources := sources_of_batches(tensor.tags)):
        # A batch that is a dict.
        tensor = tensor.tagged(*map(OfEntry, sources))
        entry: Value = frozenset({tensor})
        return frozenset({Iter(entry if name == "values" else frozenset({Tuple((UNKNOWN, entry))}))})
    elif name in ("get", "pop") and not tensor.made and (other := structures.told_by_default(args.get(1, "default"))) is not None:
        return other
    elif name in ("get", "pop") and not tensor.made and sources_of_batches(tensor.tags) and args.positional:
        return join(frozenset({tensor}), args.positional[1] if len(args.positional) > 1 else NOTHING)
    elif name in _DIVIDING:
        tensor = _divided(tensor, name, expr, expr.args)
    elif name in ("unsqueeze", "unsqueeze_"):
        tensor = alone(tensor, args)
    elif name in _SHAPING and _has_one_row(expr):
        tensor = tensor.tagged(Mark.SINGLE)
    elif empties_gradient(interp, name, args, expr):
        interp.emit(Clear(of_inputs=True), expr.node, (), certain=False)
    elif fills_gradient(name, expr):
        interp.emit(Backward(manual=True, of_inputs=True), expr.node, (), certain=False)
    match tensor_method(name):
        case "backward":
            backward(interp, expr, [frozenset({tensor})], args)
            if not args.positional and "gradient" not in args.keywords:
                _one_element(interp, expr)
            return UNKNOWN
        case "number":
            if name in ("item", "equal"):
                interp.uses.scored |= tensor.origins
            else:
                interp.uses.fetched |= tensor.origins
            if name == "numpy" and not args.values() and tensor.graph != "no":
                interp.uses.graphless |= tensor.forwards
                if tensor.graph == "yes":
                    interp.remark(Export(forwards=tensor.forwards), expr.node, (), certain=not interp.handling)
            if name in ("numpy", "tolist"):
                return frozenset({copied_to_host(tensor)})
            return frozenset({Number(averages.units_of_item(tensor) if name == "item" else frozenset())})
        case "detach":
            if name in ("detach", "detach_"):
                interp.uses.detached |= tensor.origins
                if name == "detach_" and isinstance(expr.func, ir.Attr) and isinstance(expr.func.value, ir.Name):
                    change_local(interp, expr.func.value.id, lambda a: replace(detached(a), outcomes=a.outcomes))
            elif name not in ("long", "int", "bool", "byte"):
                interp.uses.scored |= tensor.origins
            if name in ("eq", "ne"):
                interp.uses.compared |= tensor.origins
            kept = tensor.outcomes if name in ("detach", "detach_") else frozenset()
            cut_off = replace(detached(tensor), outcomes=kept)
            same_shape = name in ("detach", "detach_", "long", "int", "bool", "byte")
            return frozenset({cut_off.tagged(Mark.SINGLE) if same_shape and Mark.SINGLE in tensor.tags else cut_off})
        case "shape":
            rows = name == "size" and bool(args.positional) and (known := constant_of(args.positional[0])) is not None and known.value == 0
            return frozenset({Number(averages.units_of_size(tensor))}) if rows else sizes(args, name)
        case "pure":
            return UNKNOWN
        case "requires-grad":
            return ask_for_gradient(interp, tensor, args, expr)
        case "sum" | "mean" as reduction:
            merged = combine(interp.grad, [frozenset({tensor})]) or tensor
            whole = not args.positional and not args.keywords
            if whole and reduction == "mean":
                # A mean over everything that is left is a mean over the batch, whatever was summed up before along one dimension.
                merged = replace(merged, tags=merged.tags - {Mark.SUM})
            return frozenset(
                {replace(merged.tagged(Mark.SUM if reduction == "sum" else Mark.MEAN), scalar=whole, made=tensor.made and COMPUTED)}
            )
        case "collect":
            return UNKNOWN
    if not tensor.made and name not in TENSOR_MEMBERS:
        if name == "zero_grad":
            interp.emit(Clear(), expr.node, (), certain=False)  # what is taken for a tensor is a model or an optimizer
        return frozenset(
            {guess(interp.grad, combine(interp.grad, [frozenset({tensor}), *args.values()]) or tensor)}
        )  # no tensor's method: it may give anything
    if name in ("to", "cuda", "float", "half", "clone", "contiguous", "squeeze", "view", "reshape", "cpu", "double"):
        copied = replace(tensor, graph=under(interp.grad, tensor.graph) if name != "to" else tensor.graph)
        return frozenset({rooted(copied, len(interp.loops))})
    given = args.values() if name not in _SHAPED_LIKE else ()
    merged = combine(interp.grad, [frozenset({tensor}), *given]) or tensor
    if tensor.made or name in TENSOR_ONLY:
        merged = computed(merged)
    merged = replace(rooted(merged, len(interp.loops)), outcomes=of_function(interp, name, frozenset({tensor}), expr, own=True))
    if name in _PAIRS:
        interp.uses.scored |= tensor.origins
        return _reduced(merged, name, args.positional, args)
    if name.endswith("_") and given:
        _write_in_place(interp, expr, merged)
    return frozenset({merged})


def change_local(interp: Interpreter, name: str, change: Callable[[Tensor], Tensor]) -> None:
    """The tensors that a local name stands for become others."""
    value = interp.frame.locals.get(name)
    if value is not None:
        interp.frame.locals[name] = frozenset(change(atom) if isinstance(atom, Tensor) else atom for atom in value)


def _write_in_place(interp: Interpreter, expr: ir.Call, written: Tensor) -> None:
    """What a method writes into a tensor is in it afterwards: `sums.scatter_add_(1, index, embeddings)` gives sums the graph of the embeddings."""
    match expr.func:
        case ir.Attr(value=ir.Name(id=name)):
            change_local(interp, name, lambda _: written)


def sizes(args: Arguments, name: str) -> Value:
    """What a tensor says of its form: the numbers of all its dimensions, or one number."""
    return NUMBERS if name == "size" and not args.values() else frozenset({Number()})


def _reduced(tensor: Tensor, name: str, further: list[Value], args: Arguments) -> Value:
    """Values and indices, where a reduction goes along a dimension; indices carry no graph. `further` stands after the tensor itself.

    `max`, `min` and `median` of no dimension are one number; the others always go along one. The other argument of `max` and `min` may be a tensor too:
    then they take the larger or smaller of each two items.
    """
    if not further and "dim" not in args.keywords and name in ("max", "min", "median"):
        return frozenset({tensor if "other" in args.keywords else replace(tensor, scalar=True)})
    if "dim" in args.keywords or name not in ("max", "min") or any(isinstance(a, Const | Number) for a in further[0]):
        return frozenset({Tuple((frozenset({tensor}), frozenset({detached(tensor)})))})
    return frozenset({tensor})


def _one_element(interp: Interpreter, expr: ir.Call) -> None:
    """What goes backward without a gradient of its own is a tensor of one element: torch refuses all others."""
    match expr.func:
        case ir.Attr(value=ir.Name(id=name)):
            change_local(interp, name, lambda a: replace(a, scalar=True, made=a.made or COMPUTED, graph=_proven(interp, a)))


def _proven(interp: Interpreter, tensor: Tensor) -> Graph:
    """What goes backward has a graph, whatever made it."""
    return "yes" if interp.grad and tensor.graph == "maybe" else tensor.graph


def ask_for_gradient(interp: Interpreter, tensor: Tensor, args: Arguments, expr: ir.Call) -> Value:
    """`images.requires_grad_()`, in place: what is computed from them is differentiated by them."""
    known = constant_of(args.positional[0]) if args.positional else None
    if known is not None and not known.value:
        return frozenset({tensor})
    may_thaw(interp, tensor, expr.node)
    asked: Value = frozenset({watched(tensor)})
    if isinstance(expr.func, ir.Attr) and isinstance(expr.func.value, ir.Name) and expr.func.value.id in interp.frame.locals:
        interp.frame.locals[expr.func.value.id] = asked
    return asked
