"""Measurements on a running training loop. None draws random numbers, builds an autograd graph or changes a tensor.

Callers mark the tape busy around them, so that the hooks stay silent.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

MOST_NODES = 20_000
MOST_COPIED = 4_000_000  # elements of a tensor that is read to be recognized again
MOST_MOVED = 1 << 17  # elements, about, by which it is measured how far a step moves the parameters
MOST_DIGESTED = 50_000_000
SMALL = 2048  # elements, up to which tensors are rather copied into one than read one by one
_BLOCK = 64  # elements
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_COMPRESSED = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)
_SAVED_NAMES: dict[str, tuple[str, ...]] = {}
_SCALED = "looplint scaler"
_SUM = 2  # how torch stores a loss's reduction
SCALE = "Scale"  # the multiplication by a scaler, among a loss's last operations


def local(tensor: torch.Tensor) -> torch.Tensor | None:
    """The values of a tensor that this process holds: of a distributed tensor, the local shard. None where its class stores them in another way.

    Reading the whole of a distributed tensor would be a collective operation, in which all processes would have to take part.
    """
    kind = type(tensor)
    if kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        part = getattr(tensor, "_local_tensor", None)
        return local(part) if isinstance(part, torch.Tensor) else None
    return None if tensor.is_meta else tensor


def locals_of(tensors: Iterable[torch.Tensor | None]) -> list[torch.Tensor]:
    """Those of the tensors whose values can be read."""
    return [part for tensor in tensors if tensor is not None and (part := local(tensor)) is not None]


def entries(tensor: torch.Tensor) -> torch.Tensor:
    """The stored entries of a sparse tensor, those of one position not added up; another tensor as it is."""
    if tensor.layout is torch.strided:
        return tensor
    if tensor.is_sparse:
        return tensor._values()
    return tensor.values() if tensor.layout in _COMPRESSED else tensor.to_dense()


def value(name: str, tensor: torch.Tensor) -> dict[str, float]:
    """A fact with the number in a tensor of one element; empty for a distributed tensor."""
    return {name: float(tensor.detach())} if local(tensor) is tensor else {}


def mark_scaled(loss: torch.Tensor, scaler: int, enabled: bool) -> None:
    """Marks a loss's graph as scaled. The mark lives as long as the graph, also as part of a larger one."""
    if loss.grad_fn is not None:
        _notes(loss.grad_fn)[_SCALED] = (scaler, enabled)


def _notes(node: torch.autograd.graph.Node) -> dict[str, Any]:
    """A dictionary that lives as long as the node of the graph, whichever Python objects represent it."""
    return node.metadata  # type: ignore[return-value]  # torch's stub takes the attribute for a method


def scaler_of(loss: torch.Tensor, most: int = 16) -> dict[str, int | bool]:
    """As facts, the scaler that a loss, or what it was computed from last, went through; and that it was off, where it was."""
    pending, seen = [loss.grad_fn], 0
    while pending and seen < most:
        node, seen = pending.pop(0), seen + 1
        if node is None:
            continue
        if _SCALED in _notes(node):
            scaler, enabled = _notes(node)[_SCALED]
            return {"scaler": scaler} if enabled else {"scaler": scaler, "scaler_off": True}
        pending.extend(following for following, _ in node.next_functions)
    return {}


def parameters_of(optimizer: Any) -> list[torch.Tensor]:
    """What an optimizer updates. One that is no subclass of torch's keeps its parameters in lists, under any name."""
    groups = getattr(optimizer, "param_groups", None)
    if isinstance(optimizer, torch.optim.Optimizer) and type(groups) is list:
        return [p for group in groups for p in group["params"]]  # which it has checked itself
    if not isinstance(groups, (list, tuple)):
        groups = getattr(optimizer, "params", None)
    if not isinstance(groups, (list, tuple)) or not groups:
        lists = (value for value in getattr(optimizer, "__dict__", {}).values() if isinstance(value, (list, tuple)) and _trained(value))
        return list({id(p): p for value in lists for p in value}.values())
    return [p for group in groups for p in (group["params"] if isinstance(group, dict) else (group,)) if isinstance(p, torch.Tensor)]


def _trained(values: Sequence[Any]) -> bool:
    """Whether they are what gradients are for; averages of them are not."""
    return bool(values) and all(issubclass(type(value), torch.Tensor) and value.requires_grad and value.is_leaf for value in values)


def learning_rates(optimizer: Any) -> list[float | None]:
    """The learning rate of each group; a rate kept as a tensor is read only where reading it does not wait for a device."""
    groups = getattr(optimizer, "param_groups", None)
    if not isinstance(groups, (list, tuple)):
        groups = ({"lr": getattr(optimizer, "lr", None)},)
    rates = [group.get("lr") for group in groups if isinstance(group, dict)]
    return [float(r) if isinstance(r, (int, float)) or (isinstance(r, torch.Tensor) and r.device.type == "cpu") else None for r in rates]


def with_gradient(parameters: Sequence[torch.Tensor]) -> int:
    """How many hold a gradient (on very large models, of a sample)."""
    return sum([p.grad is not None for p in _sampled(parameters)])


def zeros_left(parameters: Sequence[torch.Tensor], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, int]:
    """How many gradients a clear has filled with zeros, and their bytes; empty where it sets them to None."""
    if (args[0] if args else kwargs.get("set_to_none", True)) is not False:
        return {}
    left = [p.grad for p in parameters if p.grad is not None]
    return {"kept": len(left), "kept_bytes": sum(g.numel() * g.element_size() for g in left)}


def gradient_marks(parameters: Sequence[torch.Tensor]) -> list[tuple[int, int] | None]:
    """Marks that differ from a later reading where a backward has written to the gradients (on very large models, of a sample)."""
    return [(id(g), g._version) if (g := p.grad) is not None else None for p in _sampled(parameters)]


def _sampled(parameters: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    return parameters if len(parameters) <= 256 else [*parameters[:128], *parameters[-128:]]


def loss_chain(loss: torch.Tensor, most: int = 6) -> list[str]:
    """The operations that a loss went through last, as long as each has a single input with a graph."""
    names: list[str] = []
    node = loss.grad_fn
    while node is not None and len(names) < most:
        scaled = _notes(node).get(_SCALED)
        summed = " sum" if getattr(node, "_saved_reduction", 0) == _SUM else ""
        names.append(SCALE if scaled is not None and scaled[1] else type(node).__name__ + summed)
        inputs = [following for following, _ in node.next_functions if following is not None]
        node = inputs[0] if len(inputs) == 1 else None
    return names


@torch.no_grad()
def norm(tensors: Iterable[torch.Tensor | None]) -> float:
    """The Euclidean norm of all entries together, in single precision at least."""
    total = 0.0
    by_device: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
    for tensor in locals_of(tensors):
        if tensor.is_sparse:
            tensor = tensor.coalesce()
        tensor = entries(tensor)
        by_device.setdefault((tensor.device, tensor.dtype), []).append(tensor)
    for group in by_device.values():
        values = [t.float() for t in group] if group[0].dtype in (torch.float16, torch.bfloat16) else group
        if len(values) > 4 and sum(t.numel() for t in values) <= SMALL * len(values):
            values = [_joined(values)]
        total += sum(float(value) ** 2 for value in torch.stack(torch._foreach_norm(values)).tolist())
    return float(total**0.5)


@torch.no_grad()
def largest(tensors: Iterable[torch.Tensor | None]) -> float:
    """The largest absolute entry."""
    held = (entries(tensor.detach()) for tensor in locals_of(tensors))
    return max((float(values.abs().max()) for values in held if values.numel()), default=0.0)


def _joined(tensors: list[torch.Tensor]) -> torch.Tensor:
    """A copy of all entries in one tensor: operations on that take a fraction of those on many small ones."""
    if len(tensors) == 1:
        return tensors[0].detach().flatten().clone()
    return torch._C._nn.flatten_dense_tensors(tensors)


class Copy(NamedTuple):
    """Parameters of one device and type, with their values at a time: of large ones, each so many-th block."""

    parameters: list[torch.Tensor]
    every: int
    values: torch.Tensor

    def now(self) -> torch.Tensor:
        """The same elements as they are now."""
        return _drawn(self.parameters, self.every)


def _drawn(parameters: list[torch.Tensor], every: int) -> torch.Tensor:
    return _joined([_blocks(p, every) for p in parameters])


def _blocks(parameter: torch.Tensor, every: int) -> torch.Tensor:
    """Each so many-th block of elements, which are read together; all elements of small parameters."""
    span = every * _BLOCK
    whole = parameter.numel() // span
    if every == 1 or whole < 2:
        return parameter
    return parameter.flatten()[: whole * span].view(whole, span)[:, :_BLOCK]


@torch.no_grad()
def copies(parameters: Sequence[torch.Tensor]) -> list[Copy]:
    """The values of parameters now: to allocate and to read all of large ones would take longer than a step."""
    chosen: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
    elements = 0
    for parameter in locals_of(parameters):
        if parameter.layout is torch.strided:
            elements += parameter.numel()
            chosen.setdefault((parameter.device, parameter.dtype), []).append(parameter)
    every = -(-elements // MOST_MOVED) or 1
    return [Copy(group, every, _drawn(group, every)) for group in chosen.values()]


@torch.no_grad()
def relative_change(before: Sequence[Copy]) -> float | None:
    """How far the parameters moved since they were copied, relative to their norm."""
    same = [c for c in before if all(p.device == c.values.device and p.dtype == c.values.dtype for p in c.parameters)]
    pairs = [(new, copy.values) for copy in same if (new := copy.now()).numel() == copy.values.numel()]
    if not pairs:
        return None
    size = norm(old for _, old in pairs)
    moved = norm(new.sub_(old) for new, old in pairs)  # in place: what is allocated costs more than what is computed
    return moved / size if size else moved


def digest(tensor: torch.Tensor) -> str:
    """A fingerprint of a tensor's exact contents."""
    own = local(tensor)
    if own is None:
        return "unreadable"
    values = own.detach()
    if values.is_sparse or values.is_quantized:
        values = values.to_dense() if values.is_sparse else values.int_repr()
    raw = values.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


def digests(tensors: Sequence[torch.Tensor]) -> list[str]:
    """Fingerprints of all, or none where that would take long."""
    if sum(t.numel() for t in locals_of(tensors)) > MOST_DIGESTED:
        return []
    return [digest(t) for t in tensors]


def tensors_in(value: Any, depth: int = 3) -> Iterator[torch.Tensor]:
    """The tensors of a module's output: itself, or in its containers."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth - 1)


def live_graph(hold: bool) -> dict[str, int]:
    """The autograd nodes that some living tensor keeps, how many tensors have a graph, and the bytes those nodes hold for a backward.

    The tensors are found through the garbage collector; the recorder froze what existed before the script, so there is little to search.
    """
    # The tensors that a compiler traces with stay in its caches, with graphs of their own; `type` because `isinstance` wakes lazy objects.
    # There are many objects and few classes.
    things = gc.get_objects()
    kinds = {kind for kind in set(map(type, things)) if issubclass(kind, torch.Tensor) and not kind.__module__.startswith("torch._")}
    roots = [t for t in things if type(t) in kinds and t.grad_fn is not None]
    del things
    seen: dict[int, Any] = {}
    pending = [t.grad_fn for t in roots]
    while pending and len(seen) < MOST_NODES:
        node = pending.pop()
        if node is None or id(node) in seen:
            continue
        seen[id(node)] = node  # the wrapper must live on: its identity is the node's only while it does
        pending.extend(following for following, _ in node.next_functions)
    result = {"nodes": len(seen), "graph_tensors": len(roots)}
    if hold:
        result["held_bytes"] = _held_bytes(seen.values())
    return result


def _held_bytes(nodes: Iterable[Any]) -> int:
    """The bytes of tensors saved for a backward; parameters do not count, they live anyway."""
    found: dict[int, int] = {}
    for node in nodes:
        kind = type(node).__name__
        names = _SAVED_NAMES.get(kind)
        if names is None:
            names = _SAVED_NAMES[kind] = tuple(n for n in dir(type(node)) if n.startswith("_saved_"))
        for name in names:
            try:
                saved = getattr(node, name)
            except RuntimeError:  # freed by a backward, or changed in place since
                continue
            if (
                isinstance(saved, torch.Tensor)
                and not isinstance(saved, torch.nn.Parameter)
                and not (saved.is_leaf and saved.requires_grad)
            ):
                storage = saved.untyped_storage()
                found[storage._cdata] = storage.nbytes()
    return sum(found.values())


def memory(own: int = 0) -> dict[str, int]:
    """The process's resident bytes without the recorder's `own`, and the allocator's where CUDA is in use."""
    result = {}
    try:
        with open("/proc/self/statm", "rb") as stream:
            result["rss"] = int(stream.read().split()[1]) * _PAGE - own
    except OSError:  # no such file but on Linux
        result["rss"] = 0
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]  # torch's own gap
        result["cuda"] = torch.cuda.memory_allocated()
    return result
