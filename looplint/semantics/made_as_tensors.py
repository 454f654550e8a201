"""Names that get nothing but what only tensors give: `v = state[key].detach()`, `for k, v in net.state_dict().items()`."""

from __future__ import annotations

from collections.abc import Sequence

from looplint.domain.values import External
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.lookup import call_effect
from looplint.knowledge.pytorch import TENSOR_ONLY
from looplint.semantics.moved_again import unconverted
from looplint.semantics.tensor_uses import value_at
from looplint.syntax import ir


def is_made_as_tensors_are(interp: Interpreter, name: str, of_dict: bool) -> bool:
    """Whether a name gets nothing but what only tensors give, or entries of a state: `v = state[key].detach()`, `for k, v in net.state_dict().items()`.

    Where it is known to be of a batch (`of_dict`), an entry that is taken by its key is a tensor too: `mask = batch["mask"]`, `batch.get("mask")`.
    """
    made = False
    for stmt in ir.statements(interp.frame.function.body):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=given)], value=value) if given == name:
                source, _ = unconverted(value)
                if _only_tensors_give(interp, source) or (of_dict and _is_keyed(source)):
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


def _only_tensors_give(interp: Interpreter, source: ir.Expr) -> bool:
    match source:
        case ir.Call(func=ir.Attr(attr=method)) if method in TENSOR_ONLY or method in ("detach", "clone"):
            return True
        case ir.Call(func=ir.Attr(attr="encode"), args=args) if any(a.keyword == "return_tensors" for a in args):
            return True  # the tokenizers of transformers give the numbers alone, and no batch of several entries
        case ir.Subscript(value=ir.Call() as call, index=ir.Const(value=int())):
            return _gives_edges(interp, call)  # `subgraph(nodes, edge_index)[0]`
        case ir.Call() as call:
            return _is_of(interp, call, ("variable", "edges"))
    return False


def _gives_edges(interp: Interpreter, call: ir.Call) -> bool:
    """Whether a call gives tensors alone, as a library of graphs does that works on edges: `edge_index, _ = subgraph(nodes, edge_index)`."""
    return _is_of(interp, call, ("edges",))


def _is_of(interp: Interpreter, call: ir.Call, effects: Sequence[str]) -> bool:
    """Whether a call is one of a library's function, of one of some effects."""
    path = ir.path_of(call.func)
    makers = value_at(interp, path) if path is not None else frozenset()
    return bool(makers) and all(isinstance(a, External) and call_effect(a.qualname) in effects for a in makers)


def _is_keyed(source: ir.Expr) -> bool:
    """Whether an expression takes an entry by a key that is written there."""
    match source:
        case ir.Subscript(index=ir.Const(value=str())):
            return True
        case ir.Call(func=ir.Attr(attr="get" | "pop"), args=[ir.Arg(value=ir.Const(value=str())), *_]):
            return True
    return False


def _is_entry_of_state(target: ir.Expr, iterated: str, name: str) -> bool:
    """Whether a loop over states gives a name the entries, and not their keys."""
    values = ".state_dict().values()" in iterated and ".items()" not in iterated
    keyed = (
        isinstance(target, ir.Display) and len(target.items) == 2 and isinstance(target.items[1], ir.Name) and target.items[1].id == name
    )
    return values or (keyed and iterated.endswith(".state_dict().items()"))
