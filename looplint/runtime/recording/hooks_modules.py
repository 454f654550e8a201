"""Hooks on modules: forwards, modes, moves and replacements."""

from __future__ import annotations

import dis
import functools
import weakref
from collections.abc import Callable, Hashable, Iterator
from itertools import islice, pairwise
from types import FunctionType
from typing import Any

import torch
from torch import nn

from looplint.runtime.recording import hooks_autocast, measure
from looplint.runtime.recording.final import FinalValues
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, compiling, hook, identity, watched

# Searches at a place, after which it is searched only where something changed: the second and third show what one iteration leaves to the next.
_SEARCHES = 3
_OUTPUTS = 8  # of a forward, through which a backward may come
# Nodes of graphs that all searches together may come to at first, and more with each step: to search large graphs at many places would take most of a run.
_FIRST_NODES, _NODES_A_STEP = 20_000, 300


class Modules:
    """What is known of the modules that user code calls. It holds no reference to them."""

    def __init__(self, tape: Tape, final: FinalValues, *, outputs: bool = False) -> None:
        self.tape, self.final = tape, final
        self.outputs = outputs  # whether those of forwards are measured
        self.living: dict[int, weakref.ref[nn.Module]] = {}
        self.learning: set[int] = set()  # those with parameters
        self._parts: dict[int, tuple[list[weakref.ref[nn.Module]], list[weakref.ref[nn.Module]]]] = {}
        self.graphs = 0  # of forwards, that live
        # By place: how often living graphs were searched for there, and of how many forwards they were.
        self.searched: dict[int, tuple[int, int]] = {}
        self.nodes = 0  # that these searches came to
        self.hold_bytes = True  # reading what a graph saved would call the user's hooks where there are any
        tape.forgetting.append(self._forget)

    def _forget(self, number: int) -> None:
        self.living.pop(number, None)
        self.learning.discard(number)
        self._parts.pop(number, None)

    def number(self, module: nn.Module) -> int:
        known = self.tape.number(module)
        if known:
            return known
        parameters = list(module.parameters())
        facts: dict[str, Any] = {"parameters": len(parameters), "trainable": sum(p.requires_grad for p in parameters)}
        if any(_branches_on_its_mode(kind) for kind in set(map(type, module.modules()))):
            facts["branches"] = True
        number = self.tape.object(module, "module", facts)
        self.living[number] = weakref.ref(module)
        if parameters:
            self.learning.add(number)
        return number

    def learns(self, module: nn.Module) -> bool:
        """Whether the module has parameters; checked again from time to time, because some are initialized late."""
        number = self.number(module)
        if number in self.learning:
            return True
        if self.tape.sample("learns", number, 2) and next(module.parameters(), None) is not None:
            self.learning.add(number)
        return number in self.learning

    def with_parameters(self) -> list[nn.Module]:
        return [m for ref in list(self.living.values()) if (m := ref()) is not None and next(m.parameters(), None) is not None]

    def modes(self, module: nn.Module, number: int) -> dict[str, Any]:
        """The mode of the module and of its parts, and how many parts act differently in training."""
        known = self._parts.get(number)  # another thread may forget them
        if known is None or self.tape.sample("parts", number, 1):
            every = list(module.modules())
            known = self._parts[number] = ([weakref.ref(part) for part in every], [weakref.ref(part) for part in every if _has_mode(part)])
        parts, moody = known
        facts: dict[str, Any] = {"training": module.training}
        if not module.training and not all(p.requires_grad for part in _living(parts) for p in part._parameters.values() if p is not None):
            facts["frozen"] = True
        if "calibration" in self.tape.local.inside:
            facts["calibrates"] = True
        if moody:
            modes = [part.training for part in _living(moody)]
            facts.update(moody=len(modes), active=sum(modes))
        if len(parts) > 1 and (len(parts) <= 64 or self.tape.sample("modes", number, 4)):
            modes = [part.training for part in _living(parts)]
            if 0 < sum(modes) < len(modes):
                facts["mixed"] = [sum(modes), len(modes)]
        return facts

    def forget_parts(self) -> None:
        self._parts.clear()


def _living(parts: list[weakref.ref[nn.Module]]) -> list[nn.Module]:
    return [part for ref in parts if (part := ref()) is not None]


def _has_mode(module: nn.Module) -> bool:
    """Whether the module itself behaves differently in training: it applies dropout, or keeps running statistics."""
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    if isinstance(module, nn.modules.batchnorm._NormBase):
        return module.track_running_stats
    rate = vars(module).get("dropout")  # a module may compute its other attributes, or fail to
    return (isinstance(rate, float) and rate > 0) or _asks_for_its_mode(type(module))


_ASKING: dict[type, bool] = {}
_BRANCHING: dict[type, bool] = {}


def _asks_for_its_mode(cls: type) -> bool:
    """Whether a method of the program's own class reads `self.training`, for a functional dropout or a branch."""
    if cls not in _ASKING:
        _ASKING[cls] = any("training" in method.__code__.co_names for method in _own_methods(cls))
    return _ASKING[cls]


def _branches_on_its_mode(cls: type) -> bool:
    """Whether such a method does other things in training: a model of a detector gives its losses only there."""
    if cls not in _BRANCHING:
        _BRANCHING[cls] = _asks_for_its_mode(cls) and any(map(_branches, _own_methods(cls)))
    return _BRANCHING[cls]


def _branches(method: FunctionType) -> bool:
    instructions = list(dis.get_instructions(method))
    asked = [after.opname for before, after in pairwise(instructions) if before.opname == "LOAD_ATTR" and before.argval == "training"]
    return any(("JUMP" in name and "_IF_" in name) or name in ("UNARY_NOT", "TO_BOOL") for name in asked)


def _own_methods(cls: type) -> Iterator[FunctionType]:
    """The methods of a module's class that are the program's own."""
    for kind in cls.__mro__:
        if issubclass(kind, nn.Module) and not kind.__module__.startswith("torch."):
            yield from (value for value in vars(kind).values() if isinstance(value, FunctionType))


def install(tape: Tape, optimizers: Optimizers, modules: Modules) -> None:
    optimizers.tracked = modules.with_parameters
    kind = nn.Module
    # Only the call that user code makes is an event, not the calls inside it.
    hook(tape, "forwards", kind, "__call__", _forward(tape, optimizers, modules), "forward", ("backward",), _mode_of_call)
    hook(tape, "modes", kind, "train", _mode(tape, modules), "mode", alike=_mode_given)  # eval() calls it
    for name in ("to", "cuda", "cpu", "half", "float", "double", "bfloat16", "to_empty"):
        hook(tape, "moves", kind, name, _move(tape, optimizers, modules, name), "move")
    _install_assigning(tape, _replace(tape, optimizers, modules))
    hook(tape, "clears", kind, "zero_grad", _clear(tape, optimizers, modules), alike=identity)
    _notice_saving_hooks(tape, modules)
    hook(tape, "forwards", torch.optim.swa_utils, "update_bn", _calibrate, "calibration")


def _calibrate(*args: Any, **kwargs: Any) -> Watching:
    """Passes that gather the statistics of batch norm; the forwards inside of the call see that they are."""
    yield None


def _forward(tape: Tape, optimizers: Optimizers, modules: Modules) -> Callable[..., Watching]:
    def watch(module: nn.Module, *args: Any, **kwargs: Any) -> Watching:
        # A loss or an activation learns nothing, and is called as often as a model.
        if not modules.learns(module):
            return
        place = tape.place()
        _sample_graph(tape, modules, place)
        given = _given(tape, place, args, kwargs)
        del args, kwargs  # nothing may live longer because it is watched
        hooks_autocast.begin(tape)
        outcome = yield None
        if outcome.error is None:
            emit_forward(tape, optimizers, modules, module, outcome.result, place, given)

    return watch


def _mode_of_call(module: nn.Module, *args: Any, **kwargs: Any) -> Hashable:
    """Which module a forward is of, in which mode, and whether it may build a graph."""
    return id(module), module.__dict__.get("training"), torch.is_grad_enabled()


def _given(tape: Tape, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, str]:
    """A fingerprint of the arguments of a forward in a loop over a loader; only of the first ones at each place."""
    facts: dict[str, str] = {}
    if tape.off("inputs") or not tape.running_loops() or not tape.sample("given", place, 2):
        return facts
    with tape.reading("inputs"):
        first = next(measure.tensors_in([*args, *kwargs.values()]), None)
        if first is not None and first.numel() <= measure.MOST_COPIED:
            facts["given"] = measure.digest(first)
    return facts


def emit_forward(
    tape: Tape, optimizers: Optimizers, modules: Modules, module: nn.Module, result: Any, place: int, given: dict[str, Any]
) -> None:
    """Writes a forward that has ended, and notes whether a backward comes through its output; `given` are the facts that are known already."""
    number = modules.number(module)
    enabled = torch.is_grad_enabled()
    facts = {**modules.modes(module, number), "grad_enabled": enabled, **given, **hooks_autocast.facts(tape)}
    nodes = dict.fromkeys(node for t in islice(measure.tensors_in(result), _OUTPUTS) if (node := t.grad_fn) is not None) if enabled else {}
    if nodes:
        facts["graph"] = True
        if tape.sample("holders", number, 3):
            facts["holders"] = optimizers.holding(module.parameters())
    if modules.outputs and not tape.off("outputs") and tape.sample("output", place, 5):
        with tape.reading("outputs"):
            facts.update(_measured(result))
    event = tape.emit("forward", number, facts, at=place)
    if nodes:
        reached = _Reached(modules, event)
        for node in nodes:  # a loss may use any of them
            node.register_prehook(reached)
        if module.training:
            modules.final.add_model(module, number)


def _measured(result: Any) -> dict[str, float]:
    """The norm of what a forward puts out, but for what is too large to be read."""
    found = [t.detach() for t in islice(measure.tensors_in(result), _OUTPUTS) if t.is_floating_point() and t.numel() <= measure.MOST_COPIED]
    return {"output": measure.norm(found)} if found else {}


class _Reached:
    """Notes that a backward reached a forward's output; it does not change the gradients, and lives as long as the output's graph."""

    __slots__ = ("event", "modules")

    def __init__(self, modules: Modules, event: int) -> None:
        self.modules = modules
        self.event = event
        modules.graphs += 1

    def __call__(self, gradients: Any) -> None:
        # A backward on a device runs in a thread of its own, so the list is the tape's and not the thread's.
        self.modules.tape.reached.append(self.event)

    def __del__(self) -> None:
        self.modules.graphs -= 1


def _sample_graph(tape: Tape, modules: Modules, place: int) -> None:
    """What is alive just before a forward is what earlier iterations left behind. It is searched for anew where the graphs of more or fewer forwards live."""
    if tape.off("live graphs") or not tape.sample("graph", place, 1):
        return
    searches, graphs = modules.searched.get(place, (0, 0))
    if (searches >= _SEARCHES and graphs == modules.graphs) or modules.nodes > _FIRST_NODES + _NODES_A_STEP * tape.steps:
        return
    modules.searched[place] = searches + 1, modules.graphs
    facts: dict[str, int] = {}
    with tape.threads.guard, tape.reading("live graphs"):
        if tape.threads.foreign:
            return
        facts = {**measure.live_graph(modules.hold_bytes), **measure.memory(tape.size)}
    if facts:
        modules.nodes += facts["nodes"]
        tape.write({"record": "graph", "at": place, "time": round(tape.now(), 6), "loops": tape.running_loops(), **facts})


def _mode(tape: Tape, modules: Modules) -> Callable[..., Watching]:
    def watch(module: nn.Module, mode: bool = True) -> Watching:
        if (yield None).error is None:
            tape.emit("train" if mode else "eval", modules.number(module), {})

    return watch


def _mode_given(module: nn.Module, mode: bool = True) -> Hashable:
    return id(module), mode, module.__dict__.get("training")


def _move(tape: Tape, optimizers: Optimizers, modules: Modules, name: str) -> Callable[..., Watching]:
    def watch(module: nn.Module, *args: Any, **kwargs: Any) -> Watching:
        before = {id(p): (p, p.device, p.dtype) for p in module.parameters()}
        if (yield None).error is not None:
            return
        first = next(module.parameters(), None)
        after = [(before.get(id(p)), p.device, p.dtype) for p in module.parameters()]
        facts: dict[str, Any] = {
            "method": name,
            "replaced": sum(old is None for old, *_ in after),
            "changed": sum(old is None or old[1:] != (device, dtype) for old, device, dtype in after),
            "holders": optimizers.holding(old for old, *_ in before.values()) if before else [],
        }
        if first is not None:
            facts.update(device=str(first.device), dtype=str(first.dtype).removeprefix("torch."))
        tape.emit("move", modules.number(module), facts)

    return watch


def _install_assigning(tape: Tape, replace: Callable[..., Watching]) -> None:
    """Watches assignments of modules and parameters. Other assignments are frequent and replace nothing."""
    kind: Any = nn.Module
    original = kind.__setattr__
    watching = watched(tape, "parts", original, replace)

    @functools.wraps(original)
    def assign(self: nn.Module, name: str, value: Any) -> None:
        if compiling() or not isinstance(value, (nn.Module, nn.Parameter)):
            original(self, name, value)
            return
        watching(self, name, value)

    kind.__setattr__ = assign


def _replace(tape: Tape, optimizers: Optimizers, modules: Modules) -> Callable[..., Watching]:
    def watch(module: nn.Module, name: str, value: Any) -> Watching:
        old = module.__dict__.get("_modules", {}).get(name)
        if old is None:
            old = module.__dict__.get("_parameters", {}).get(name)
        if old is None or old is value:
            return
        lost = list(old.parameters()) if isinstance(old, nn.Module) else [old]
        if (yield None).error is None:
            modules.forget_parts()
            event = tape.emit("replace", modules.number(module), {"name": name, "holders": optimizers.holding(lost)})
            optimizers.assign(event, value.parameters() if isinstance(value, nn.Module) else [value])

    return watch


def _clear(tape: Tape, optimizers: Optimizers, modules: Modules) -> Callable[..., Watching]:
    def watch(module: nn.Module, *args: Any, **kwargs: Any) -> Watching:
        parameters = list(module.parameters())
        held = measure.with_gradient(parameters)
        if (yield None).error is not None:
            return
        holders = optimizers.holding(parameters)
        for number in holders:
            optimizers.left.pop(number, None)
        tape.emit("clear", modules.number(module), {"grads": held, "holders": holders, **measure.zeros_left(parameters, args, kwargs)})

    return watch


def _notice_saving_hooks(tape: Tape, modules: Modules) -> None:
    def watch(*args: Any, **kwargs: Any) -> Watching:
        modules.hold_bytes = False
        yield None

    kind = torch.autograd.graph.saved_tensors_hooks
    hook(tape, "live graphs", kind, "__init__", watch)
