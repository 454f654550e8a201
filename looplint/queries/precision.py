"""The protocol of scaled gradients, and the questions that the rules on mixed precision ask."""

from __future__ import annotations

from looplint.domain.objects import Engine, Optimizer, Scaler
from looplint.domain.values import constant_of
from looplint.flow.automaton import Automaton
from looplint.flow.events import Backward, Event
from looplint.queries.program import Program
from looplint.queries.relations import related

# What a scaler has done to an optimizer's gradients since the last backward; "mixed" gradients come from losses with a scaler and without one.
SCALING = Automaton(
    start="none",
    arrows={
        ("*", "clear"): "none",
        ("*", "backward:scaled"): "scaled",
        ("plain", "backward:scaled"): "mixed",
        ("*", "backward:maybe-scaled"): "?",
        ("*", "backward"): "plain",
        ("scaled", "backward"): "mixed",
        ("unscaled", "backward"): "mixed",
        ("mixed", "backward"): "mixed",
        ("scaled", "unscale"): "unscaled",
        ("?", "unscale"): "unscaled",
        ("*", "step"): "applied",
    },
    reads=frozenset({"clip"}),
)

# In which precision the last forward of a module computed.
COMPUTING = Automaton(
    start="none",
    arrows={
        ("*", "forward:half"): "half",
        ("*", "forward"): "full",
    },
    reads=frozenset({"backward"}),
)

# Whether a scaler has been updated since its last step.
UPDATING = Automaton(
    start="fresh",
    arrows={
        ("*", "escape"): "escaped",
        ("*", "update"): "ready",
        ("*", "step:scaler"): "stepped",
        ("stepped", "iterate"): "stale",
        ("stale", "step:scaler"): "stale",
    },
)


def scaler_of(backward: Backward) -> Scaler | None:
    """The scaler that multiplied the loss of a backward; None where none did, or more than one may have."""
    return next(iter(backward.scalers)) if len(backward.scalers) == 1 else None


def disabled(scaler: Scaler) -> bool:
    """Whether a scaler is built to do nothing."""
    enabled = constant_of(scaler.enabled) if scaler.enabled else None
    return enabled is not None and not enabled.value


def switched(event: Event, scaler: Scaler) -> bool:
    """Whether what switches the scaler on or off also decides if an event happens."""
    if scaler.enabled is None or constant_of(scaler.enabled) is not None:
        return False
    switch = {name.rpartition(".")[2] for name in scaler.switch}
    return any(switch & {name.rpartition(".")[2] for name in guard.names} for guard in event.guards)


def unscaled_by_hand(program: Program, optimizer: Optimizer | Engine) -> bool:
    """Whether the program multiplies the gradients of an optimizer itself."""
    return related(optimizer.holds, program.gradients.scaled)
