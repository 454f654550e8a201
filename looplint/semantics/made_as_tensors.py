"""Names that get nothing but what only tensors give: `v = state[key].detach()`, `for k, v in net.state_dict().items()`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from looplint.domain.values import External, Func
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.lookup import call_effect, is_function_on_images, is_image_transform
from looplint.knowledge.pytorch import TENSOR_ONLY
from looplint.semantics.moved_again import unconverted
from looplint.semantics.tensor_uses import is_of_media, of_own_fields, usage_at, used_or_given_as_tensor, value_at
from looplint.syntax import ir
from looplint.syntax.ranges import given_once

if TYPE_CHECKING:
    import libcst as cst


def is_made_as_tensors_are(interp: Interpreter, name: str, of_dict: bool) -> bool:
    """Whether a name gets nothing but what only tensors give, or entries of a state: `v = state[key].detach()`, `for k, v in net.state_dict().items()`.

    What comes first to the statement that runs was put there by one above it: those below, which a loop leads back from, do not count.
    Where the name is known to be of a batch (`of_dict`), an entry that is taken by its key is a tensor too: `mask = batch["mask"]`, `batch.get("mask")`;
    anywhere one that is named as pictures are, as a name of these is.
    """
    made = False
    for stmt in _until(interp.frame.function, interp.statement):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=given)], value=value) if given == name:
                source, _ = unconverted(value)
                key = key_of(source)
                if _only_tensors_give(interp, source) or (key is not None and (of_dict or is_of_media(key))):
                    made = True
                elif not (isinstance(source, ir.Name) and source.id == name):
                    return False
            case ir.Assign(targets=[ir.Display() as target], value=ir.Call() as call) if name in ir.paths_in(target):
                if not _gives_edges(interp, call):
                    return False
                made = True
            case ir.For(target=target, iter=iterated) if name in ir.paths_in(target):
                if not _is_entry_of_state(target, ir.render(iterated), name):
                    return False
                made = True
    return made


def _until(function: ir.Function, statement: cst.CSTNode | None) -> Iterator[ir.Stmt]:
    """The statements of a function above one; all of them where it is not one of them."""
    return itertools.takewhile(lambda stmt: stmt.node is not statement, ir.statements(function.body))


def _only_tensors_give(interp: Interpreter, source: ir.Expr) -> bool:
    match source:
        case ir.Call(func=ir.Attr(attr=method)) if method in TENSOR_ONLY or method in ("detach", "clone"):
            return True
        case ir.Call(func=ir.Attr(attr="encode"), args=args) if any(a.keyword == "return_tensors" for a in args):
            return True  # the tokenizers of transformers give the numbers alone, and no batch of several entries
        case ir.Subscript(value=ir.Call() as call, index=ir.Const(value=int())):
            return _gives_edges(interp, call)  # `subgraph(nodes, edge_index)[0]`
        case ir.Name(id=other):
            usage = usage_at(interp, other)  # another name of what is computed with
            return usage is not None and not usage.called and not of_own_fields(usage) and used_or_given_as_tensor(interp, usage)
        case ir.Call() as call:
            return _is_of(interp, call, ("variable", "edges")) or _transforms(interp, call.func) or _gives_what_it_computes(interp, call)
    return False


def _transforms(interp: Interpreter, called: ir.Expr) -> bool:
    """Whether what is called is a transform of torchvision, which gives a tensor for a tensor: the images that it takes as well cannot be moved."""
    path = ir.path_of(called.func if isinstance(called, ir.Call) else called)
    if path is None:
        return False
    if not isinstance(called, ir.Call) and (maker := _maker_of(interp, path)) is not None:
        return _transforms(interp, maker)
    made = value_at(interp, path)
    known = is_image_transform if isinstance(called, ir.Call) else is_function_on_images
    return bool(made) and all(isinstance(a, External) and known(a.qualname) for a in made)


def _maker_of(interp: Interpreter, name: str) -> ir.Call | None:
    """The call that gives a name what it stands for, where the function, or the top of its module, binds it once."""
    function = interp.frame.function
    code = interp.frame.module.lowered()
    within = function if code is None or name in ir.bound_names(function) else code.top
    given = given_once(within).get(name)
    return given if isinstance(given, ir.Call) else None


def _gives_what_it_computes(interp: Interpreter, call: ir.Call) -> bool:
    """Whether a function of the program is called that returns what methods of tensors alone compute: `flat = x.view(-1, x.size(-1))`, `return flat[mask]`."""
    path = ir.path_of(call.func)
    callees = value_at(interp, path) if path is not None else frozenset()
    return bool(callees) and all(
        isinstance(a, Func) and not a.function.decorators and not a.function.is_generator and _returns_computed(a.function) for a in callees
    )


@ir.kept_with_code
def _returns_computed(function: ir.Function) -> bool:
    returned = [stmt.value for stmt in ir.statements(function.body) if isinstance(stmt, ir.Return)]
    return bool(returned) and all(value is not None and _is_computed(function, value, frozenset()) for value in returned)


def _is_computed(function: ir.Function, value: ir.Expr, asked: frozenset[str]) -> bool:
    """Whether a method of tensors alone computes a value, or what it is an entry of; `asked` are the names on the way there."""
    source, _ = unconverted(value)
    match source:
        case ir.Call(func=ir.Attr(attr=method)):
            return method in TENSOR_ONLY
        case ir.Subscript(value=whole):
            return _is_computed(function, whole, asked)
        case ir.Name(id=name) if name not in asked:
            given = [stmt for stmt in ir.statements(function.body) if name in ir.binds(stmt)]
            return bool(given) and all(
                isinstance(stmt, ir.Assign)
                and any(isinstance(target, ir.Name) and target.id == name for target in stmt.targets)
                and _is_computed(function, stmt.value, asked | {name})
                for stmt in given
            )
    return False


def _gives_edges(interp: Interpreter, call: ir.Call) -> bool:
    """Whether a call gives tensors alone, as a library of graphs does that works on edges: `edge_index, _ = subgraph(nodes, edge_index)`."""
    return _is_of(interp, call, ("edges",))


def _is_of(interp: Interpreter, call: ir.Call, effects: Sequence[str]) -> bool:
    """Whether a call is one of a library's function, of one of some effects."""
    path = ir.path_of(call.func)
    makers = value_at(interp, path) if path is not None else frozenset()
    return bool(makers) and all(isinstance(a, External) and call_effect(a.qualname) in effects for a in makers)


def key_of(source: ir.Expr) -> str | None:
    """The key by which an expression takes an entry, where it is written there."""
    match source:
        case ir.Subscript(index=ir.Const(value=str(key))):
            return key
        case ir.Call(func=ir.Attr(attr="get" | "pop"), args=[ir.Arg(value=ir.Const(value=str(key))), *_]):
            return key
    return None


def _is_entry_of_state(target: ir.Expr, iterated: str, name: str) -> bool:
    """Whether a loop over states gives a name the entries, and not their keys."""
    values = ".state_dict().values()" in iterated and ".items()" not in iterated
    keyed = (
        isinstance(target, ir.Display) and len(target.items) == 2 and isinstance(target.items[1], ir.Name) and target.items[1].id == name
    )
    return values or (keyed and iterated.endswith(".state_dict().items()"))
