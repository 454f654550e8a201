"""What is recorded by hooks that can fail independently of each other. A failed one is named in the stream, and no rule that needs it is judged."""

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
    "live graphs",
    "scales",
    "final values",
]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
