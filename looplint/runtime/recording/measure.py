"""Measurements on a running training loop: none draws random numbers, builds graph, or changes a tensor.

Callers mark the tape busy around them, so that the hooks stay silent.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

MOST_NODES = 20_000
MOST_COPIED = 4_000_000  # elements copied to measure how far a step moves the parameters
MOST_DIGESTED = 50_000_000
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_SAVED_NAMES: dict[str, tuple[str, ...]] = {}


def parameters_of(optimizer: Any) -> list[torch.Tensor]:
    return [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]


def learning_rates(optimizer: Any) -> list[float]:
    """The learning rate of each group; a rate kept as a tensor is read only where reading it does not wait for a device."""
    rates = []
    for group in optimizer.param_groups:
        rate = group.get("lr")
        if isinstance(rate, torch.Tensor):
            rate = float(rate) if rate.device.type == "cpu" else None
        rates.append(rate)
    return rates


def with_gradient(parameters: Sequence[torch.Tensor]) -> int:
    """How many hold a gradient (on very large models, of a sample)."""
    return sum(p.grad is not None for p in _sampled(parameters))


def zeros_left(parameters: Sequence[torch.Tensor], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, int]:
    """How many gradients a clear has filled with zeros, and their bytes; nothing for one that is not told to."""
    if (args[0] if args else kwargs.get("set_to_none", True)) is not False:
        return {}
    left = [p.grad for p in parameters if p.grad is not None]
    return {"kept": len(left), "kept_bytes": sum(g.numel() * g.element_size() for g in left)}


def gradient_marks(parameters: Sequence[torch.Tensor]) -> list[tuple[int, int] | None]:
    """What tells, compared with a later reading, whether a backward has written to the gradients (on very large models, of a sample)."""
    return [(id(g), g._version) if (g := p.grad) is not None else None for p in _sampled(parameters)]


def _sampled(parameters: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    return parameters if len(parameters) <= 256 else [*parameters[:128], *parameters[-128:]]


def loss_chain(loss: torch.Tensor, most: int = 6) -> list[str]:
    """The operations that a loss went through last, as long as each has a single input with a graph."""
    names: list[str] = []
    node = loss.grad_fn
    while node is not None and len(names) < most:
        names.append(type(node).__name__)
        inputs = [following for following, _ in node.next_functions if following is not None]
        node = inputs[0] if len(inputs) == 1 else None
    return names


@torch.no_grad()
def norm(tensors: Iterable[torch.Tensor | None]) -> float:
    """The Euclidean norm of all entries together, in single precision at least."""
    total = 0.0
    by_device: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
    for tensor in tensors:
        if tensor is None or tensor.is_meta:
            continue
        if tensor.is_sparse:
            tensor = tensor.coalesce()._values()
        by_device.setdefault((tensor.device, tensor.dtype), []).append(tensor.detach())
    for group in by_device.values():
        low = group[0].dtype in (torch.float16, torch.bfloat16)
        norms = torch._foreach_norm([t.float() for t in group] if low else group)
        total += sum(float(value) ** 2 for value in torch.stack([n.reshape(()) for n in norms]).tolist())
    return float(total**0.5)


@torch.no_grad()
def largest(tensors: Iterable[torch.Tensor | None]) -> float:
    """The largest absolute entry."""
    return max((float(t.detach().abs().max()) for t in tensors if t is not None and not t.is_meta and t.numel()), default=0.0)


@torch.no_grad()
def copies(parameters: Sequence[torch.Tensor]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Parameters with their values now, as many as the limit allows."""
    chosen, elements = [], 0
    for parameter in parameters:
        elements += parameter.numel()
        if elements > MOST_COPIED:
            break
        chosen.append((parameter, parameter.detach().clone()))
    return chosen


@torch.no_grad()
def relative_change(before: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> float | None:
    """How far the parameters moved since they were copied, relative to their norm."""
    same = [
        (p.detach(), old) for p, old in before if p.device == old.device and p.dtype == old.dtype and p.shape == old.shape and not p.is_meta
    ]
    if not same:
        return None
    size = norm(old for _, old in same)
    moved = norm(new - old for new, old in same)
    return moved / size if size else moved


def digest(tensor: torch.Tensor) -> str:
    """A fingerprint of a tensor's exact contents."""
    values = tensor.detach()
    if values.device.type == "meta":
        return "meta"
    if values.is_sparse or values.is_quantized:
        values = values.to_dense() if values.is_sparse else values.int_repr()
    raw = values.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


def digests(tensors: Sequence[torch.Tensor]) -> list[str]:
    """Fingerprints of all, or none where that would take long."""
    if sum(t.numel() for t in tensors) > MOST_DIGESTED:
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
    kinds = ((t, type(t)) for t in gc.get_objects())
    roots = [
        t for t, kind in kinds if issubclass(kind, torch.Tensor) and not kind.__module__.startswith("torch._") and t.grad_fn is not None
    ]
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


def memory() -> dict[str, int]:
    """The process's resident bytes, and the allocator's where CUDA is in use."""
    result = {}
    try:
        with open("/proc/self/statm", "rb") as stream:
            result["rss"] = int(stream.read().split()[1]) * _PAGE
    except OSError:  # no such file but on Linux
        result["rss"] = 0
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        result["cuda"] = torch.cuda.memory_allocated()
        result["cuda_peak"] = torch.cuda.max_memory_allocated()
    return result
