"""Whether a name stands for a tensor of torch, or for something that merely has a tensor's methods.

A batch of a tokenizer or of a graph library has `to()` too, and changes in place. What the code does with a name is the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from looplint.domain.objects import Dataset, Loader, Module, Obj
from looplint.domain.tags import OfEntry, sources_of_batches
from looplint.domain.values import Arguments, External, Params, Ref, Tensor, Unknown
from looplint.flow.remarks import Discard
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import lookup
from looplint.knowledge.data import TENSOR_DATASETS
from looplint.knowledge.pytorch import (
    CONVERSIONS,
    TENSOR_METHODS,
    TENSOR_ONLY,
)
from looplint.semantics import outcomes
from looplint.semantics.collated import is_collated_as_tensor
from looplint.semantics.made_as_tensors import is_made_as_tensors_are, key_of
from looplint.semantics.made_there import is_made_there
from looplint.semantics.meeting_elsewhere import Meetings, meetings
from looplint.semantics.moved_again import is_converted_where_read, is_moved_again, unconverted
from looplint.semantics.tensor_uses import is_of_media, of_own_fields, usage_at, used_as_tensor, used_or_given_as_tensor
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

_DEPTH = 4
# What programs call batches of tokenizers and of graph libraries, which change in place.
_STRUCTURED = r"(?i)batch|data|graph|^g\d?$|encod|token|^inputs?$|sample|feature"
_IN_PLACE = r"(?i)batch|graph|^g\d?$|encod|token"
_MODULE = r"(?i)(^|_)(model|net|network|module|backbone)$"
_LABELS = r"(?i)^(labels?|targets?|y|gt|classes)$"


def note_discarded(interp: Interpreter, atom: Tensor | Params | Unknown, name: str, args: Arguments, expr: ir.Expr) -> None:
    """Remark a conversion whose result is not used, where what is converted is a tensor."""
    receiver = _dropped_by(name, expr)
    if receiver is None or (isinstance(expr, ir.Call) and is_made_there(interp.frame.function, expr)):
        return  # nothing is dropped, or what is there already
    if _is_tensor(interp, atom, receiver) and not _may_be_of_the_program(interp, receiver, name):
        kept = _is_parameter(interp, receiver)
        changes = _changes(name, args, expr)
        again = is_moved_again if changes == "device" else is_converted_where_read
        beside = isinstance(expr, ir.Call) and _is_one_of_several(interp.frame.function, expr)
        met = meetings(interp, expr) if changes == "device" and isinstance(expr, ir.Call) else Meetings(elsewhere=False, wanted=True)
        discard = Discard(
            receiver=ir.render(receiver),
            method=name,
            changes=changes,
            of_parameter=kept,
            again=again(interp.frame.function, interp.statement, ir.render(receiver)),
            beside=beside,
            meets=met.elsewhere,
            wanted=met.wanted,
        )
        interp.remark(discard, expr.node, (), told_by_text=_is_tensor(interp, Unknown(), receiver))


def _is_one_of_several(function: ir.Function, call: ir.Call) -> bool:
    """Whether another expression of a function is converted as one is, and kept: `net.to(device)`, which keeps it itself, or `y = y.to(device)`."""
    how = _how(call)
    for stmt in ir.statements(function.body):
        for part in (part for expr in ir.expressions(stmt) for part in ir.walk(expr)):
            if isinstance(part, ir.Call) and _how(part) == how and isinstance(part.func, ir.Attr):
                named = re.search(_MODULE, (ir.path_of(part.func.value) or "").rpartition(".")[2])
                if named or not part.dropped:
                    return True
    return False


def _how(call: ir.Call) -> tuple[str, list[str]] | None:
    """By which method something is converted, and to what."""
    if not isinstance(call.func, ir.Attr):
        return None
    return call.func.attr, [ir.render(arg.value) for arg in call.args if arg.keyword != "non_blocking"]


def _may_be_of_the_program(interp: Interpreter, receiver: ir.Expr, name: str) -> bool:
    """Whether what is converted may be of a class in sight that has a conversion of its own: it is on some path, or has another method of such a class."""
    usage = usage_at(interp, path) if (path := ir.path_of(receiver)) is not None else None
    own = usage.methods - TENSOR_METHODS.keys() - TENSOR_ONLY - {name} if usage is not None else frozenset[str]()
    if own and any(name in cls.methods and not own.isdisjoint(cls.methods) for cls in _classes_in_sight(interp)):
        return True
    with interp.looking():
        return bool(interp.candidates) and any(isinstance(a, Ref) and a.obj.cls is not None for a in interp.evaluate(receiver))


def _classes_in_sight(interp: Interpreter) -> Iterator[ir.Class]:
    for module in (interp.main, *interp.project.modules):
        if module.code is not None:
            yield from module.code.classes


def _is_parameter(interp: Interpreter, receiver: ir.Expr) -> bool:
    """Whether a parameter is there, or a method of the object's class puts one there: a module takes no plain tensor in its place."""
    with interp.looking():
        if any(isinstance(a, Ref) and isinstance(a.obj, Module) and a.obj.parameter for a in interp.evaluate(receiver)):
            return True
    path, owner = ir.render(receiver), interp.frame.owner
    methods = (f for each in classes.mro(interp, owner) for f in each.cls.methods.values()) if owner is not None else ()
    return any(to == path and callee.rpartition(".")[2] == "Parameter" for f in methods for callee, to in f.made)


def _dropped_by(name: str, expr: ir.Expr) -> ir.Expr | None:
    """What is converted by a call whose result is dropped, where it has a name or a place that could take the result."""
    if name not in CONVERSIONS or not isinstance(expr, ir.Call) or not expr.dropped or not isinstance(expr.func, ir.Attr):
        return None
    receiver = expr.func.value
    if not isinstance(receiver, ir.Name | ir.Attr | ir.Subscript) or _is_what_it_is(ir.render(receiver), expr.args):
        return None
    return receiver


def _is_what_it_is(receiver: str, args: Sequence[ir.Arg]) -> bool:
    """Whether a conversion asks for what the tensor is already: `x.to(x.device)`, `x.type_as(x)`."""
    own = {receiver, f"{receiver}.device", f"{receiver}.dtype"}
    return bool(args) and all(ir.render(arg.value) in own for arg in args)


def _changes(name: str, args: Arguments, expr: ir.Expr) -> Literal["device", "type"]:
    """What a conversion would change: "device" or "type"."""
    if name == "to":
        match expr:
            case ir.Call(args=[ir.Arg(value=ir.Attr(attr="dtype"))]):
                return "type"
        first = args.positional[0] if args.positional else frozenset()
        types = [a for a in first if isinstance(a, External) and a.qualname.startswith("torch.")]
        return "type" if types or (not args.positional and "dtype" in args.keywords and "device" not in args.keywords) else "device"
    return "device" if name in ("cuda", "cpu", "xpu", "npu", "pin_memory") else "type"


def _is_tensor(interp: Interpreter, atom: Tensor | Params | Unknown, receiver: ir.Expr) -> bool:
    if re.search(_MODULE, (ir.path_of(receiver) or "").rpartition(".")[2]):
        return False  # a module changes in place, and a caller may give something else in the place of one
    if isinstance(atom, Tensor) and (outcomes.is_tensor(interp, atom) or any(map(holds_tensors, sources_of_batches(atom.tags)))):
        return True
    if isinstance(atom, Tensor) and any(isinstance(tag, OfEntry) and _collates_by_itself(tag.source) for tag in atom.tags):
        return True
    path = ir.path_of(receiver)
    if path is None:
        if isinstance(atom, Tensor) and isinstance(receiver, ir.Subscript) and isinstance(receiver.index, ir.Name):
            # `for key in batch: batch[key]`
            keys = {
                source
                for a in lookup(interp, interp.frame, receiver.index.id)
                if isinstance(a, Tensor)
                for source in sources_of_batches(a.tags)
            }
            return any(map(_collates_by_itself, sources_of_batches(atom.tags) & keys))
        # `batch["labels"]`: an entry of a batch.
        key = key_of(receiver)
        known = isinstance(atom, Tensor) and any(map(_collates, sources_of_batches(atom.tags)))
        return key is not None and (known or is_of_media(key))
    usage = usage_at(interp, path)
    if usage is None or usage.called or of_own_fields(usage):
        return False
    if isinstance(atom, Tensor) and any(_collates_tensors(interp, source) for source in sources_of_batches(atom.tags)):
        return True
    if isinstance(atom, Params) and atom.exact:
        return True  # what a loop over `parameters()` gives
    if is_of_media(path.rpartition(".")[2]) or used_or_given_as_tensor(interp, usage):
        return True
    if not isinstance(receiver, ir.Name):
        return False
    if isinstance(atom, Tensor) and is_collated_as_tensor(interp, receiver.id, sources_of_batches(atom.tags)):
        return True
    of_dict = isinstance(atom, Tensor) and any(map(_collates, sources_of_batches(atom.tags))) and not re.search(_IN_PLACE, receiver.id)
    return (
        is_made_as_tensors_are(interp, receiver.id, of_dict)
        or _is_part_like_others(interp, receiver.id)
        or _gives_tensors_in_turn(interp.frame.function, receiver.id)
    )


def _gives_tensors_in_turn(function: ir.Function, name: str) -> bool:
    """Whether a loop gets tensors one by one out of a name: `for output, size in zip(outputs, sizes)`, and `output.permute(1, 2, 0)`.

    Of what holds tensors and gives them in turn, only a tensor can be moved or converted itself: lists cannot.
    """
    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.For):
            usage = next((function.usage.get(item) for item in _items_of(stmt.target, stmt.iter, name)), None)
            if usage is not None and used_as_tensor(usage) and not of_own_fields(usage):
                return True
    return False


def _items_of(target: ir.Expr, iterated: ir.Expr, name: str) -> Iterator[str]:
    """What a loop calls the items of a name."""
    match target, iterated:
        case ir.Name(id=item), ir.Name(id=given) if given == name:
            yield item
        case ir.Display(items=[_, inner]), ir.Call(func=ir.Name(id="enumerate"), args=[ir.Arg(value=value), *_]):
            yield from _items_of(inner, value, name)
        case ir.Display(items=items), ir.Call(func=ir.Name(id="zip"), args=args) if len(items) == len(args):
            for inner, arg in zip(items, args, strict=True):
                yield from _items_of(inner, arg.value, name)


def _is_part_like_others(interp: Interpreter, name: str) -> bool:
    """Whether a name stands for a part of a batch of which another part is converted and its result kept, as tensors are: `x, y = batch`, `y = y.cuda()`.

    A batch that changes in place may stand beside tensors: one that is named as such is told by another of its kind, or by the labels beside it.
    """
    written = list(ir.statements(interp.frame.function.body))
    parts: set[str] = set()
    drawn = False
    for stmt in written:
        for target in stmt.targets if isinstance(stmt, ir.Assign) else [stmt.target] if isinstance(stmt, ir.For) else ():
            beside = _beside(target, name)
            parts |= beside
            drawn = drawn or (bool(beside) and _is_drawn(stmt))
    kept = {
        target.id
        for stmt in written
        for target, value in ir.assigned(stmt)
        if isinstance(target, ir.Name) and isinstance(value, ir.Call) and _converted(value) == target.id
    }
    alike = kept & parts
    if drawn and name in kept and not re.search(_STRUCTURED, name):
        return True  # it is converted more than once, and kept elsewhere
    if re.search(_STRUCTURED, name):
        if _works_in_place(interp.frame.module):
            return False
        alike = {
            other for other in alike if re.search(_STRUCTURED, other) or (re.search(_LABELS, other) and not re.search(_IN_PLACE, name))
        }
    return bool(alike)


def _is_drawn(stmt: ir.Stmt) -> bool:
    """Whether a statement draws a batch: a loop over batches, or `next(batches)`."""
    match stmt:
        case ir.For():
            return True
        case ir.Assign(value=ir.Call(func=ir.Name(id="next") | ir.Attr(attr="next" | "__next__"))):
            return True
    return False


def _works_in_place(module: ModuleInfo) -> bool:
    """Whether a file uses a library whose batches change in place, and give themselves back."""
    code = module.lowered()
    return code is None or any(name.partition(".")[0] in ("torch_geometric", "transformers") for name in _imported(code))


@ir.kept_with_code
def _imported(code: ir.ModuleCode) -> frozenset[str]:
    written = (stmt for function in (code.top, *code.functions) for stmt in ir.statements(function.body))
    return frozenset(name.module for stmt in written if isinstance(stmt, ir.Import) for name in stmt.names)


def _converted(value: ir.Expr) -> str | None:
    """The name of what one conversion, or several one after the other, are made of: `labels` in `labels.long().cuda()`."""
    source, _ = unconverted(value)
    return source.id if isinstance(source, ir.Name) else None


def _beside(target: ir.Expr, name: str) -> set[str]:
    """The names that stand beside a name in the innermost tuple of a target."""
    if not isinstance(target, ir.Display):
        return set()
    names = {item.id for item in target.items if isinstance(item, ir.Name)}
    return names - {name} if name in names else set().union(*(_beside(item, name) for item in target.items))


def holds_tensors(source: object, depth: int = _DEPTH) -> bool:
    """Whether a loader or dataset is known to yield tensors, and nothing that holds them."""
    if not isinstance(source, Obj) or not depth:
        return False
    if source.qualname.startswith(TENSOR_DATASETS):
        return True
    given = source.arguments if isinstance(source, Loader | Dataset) else None
    inner = given.get(0, "dataset", "datasets") if given is not None else None
    return any(isinstance(a, Ref) and holds_tensors(a.obj, depth - 1) for a in inner or ())


def _collates(loader: object) -> bool:
    """Whether the entries of a loader's batches are tensors, whatever the batches are: those of graph libraries are not."""
    return isinstance(loader, Obj) and (loader.symbolic or loader.qualname.startswith("torch.utils.data."))


def _collates_by_itself(loader: object) -> bool:
    """Whether a loader is known to put batches together in torch's own way: what is in them and has a tensor's methods is one."""
    return isinstance(loader, Loader) and loader.complete and "collate_fn" not in loader.options


def _collates_tensors(interp: Interpreter, loader: object) -> bool:
    """Whether what is in a loader's batches and has a tensor's methods is one, in whatever way its dataset makes the items.

    torch's own way takes tensors, arrays, numbers, texts, and lists and mappings of them: of these, only what a tokenizer gives can be moved too.
    """
    if not _collates_by_itself(loader) or _works_in_place(interp.frame.module):
        return False
    datasets = loader.options.get("dataset", frozenset()) if isinstance(loader, Loader) else frozenset()
    return not any(isinstance(a, Ref) and a.obj.cls is not None and _works_in_place(a.obj.cls.module) for a in datasets)
