"""The channels: groups of hooks that can fail independently. The stream names a failed channel, and rules that need it get no verdict."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Channel: TypeAlias = Literal[
    "optimizers",
    "steps",
    "clears",
    "backwards",
    "forwards",
    "modes",
    "moves",
    "parts",
    "scalers",
    "clips",
    "schedules",
    "loaders",
    "seeds",
    "files",
    "states",
    "losses",
    "dropouts",
    "autocasts",
    "loggers",
    "probes",
    "costs",
    "processes",
    "limits",
    # Single measurements: an event without one is an event still.
    "norms",
    "changes",
    "loss values",
    "inputs",
    "outputs",
    "live graphs",
    "scales",
    "final values",
]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
