"""The editor's settings: a configuration file to use, and options that override it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from looplint.errors import UserError
from looplint.finding import SEVERITIES

_LISTS = ("select", "extend-select", "ignore")
_NAMES = ("configuration", "allow-rules", "min-severity", *_LISTS)


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """A configuration file to use for everything, and options that override all configuration files."""

    configuration: str | None = None
    # Whether project rules are executed; where it is not set, the user is asked.
    allow_rules: bool | None = None
    overrides: dict[str, Any] = field(default_factory=dict)


def read_client_settings(sent: object) -> ClientSettings:
    """Read what an editor sends, by itself or under the key `looplint` or `settings`; the defaults where it sends nothing.

    Raises:
        UserError: a key is not known, or its value is of another kind.
    """
    if not isinstance(sent, dict):
        return ClientSettings()
    for key in ("looplint", "settings"):
        if isinstance(sent.get(key), dict):
            return read_client_settings(sent[key])
    overrides: dict[str, Any] = {}
    configuration = None
    allow_rules = None
    for key, value in sent.items():
        name = _dashed(key)
        if name not in _NAMES:
            raise UserError(f"the editor's settings: unknown key {key!r}; known are {', '.join(_NAMES)}")
        if name == "configuration":
            if value is not None and not isinstance(value, str):
                raise UserError("the editor's settings: 'configuration' must be a string with a path")
            configuration = value or None
        elif name == "allow-rules":
            if value is not None and not isinstance(value, bool):
                raise UserError(f"the editor's settings: {key!r} must be true or false")
            allow_rules = value
        elif name == "min-severity":
            if value is not None and value not in SEVERITIES:
                raise UserError(f"the editor's settings: {key!r} must be one of {', '.join(SEVERITIES)}")
            overrides |= {name: value} if value is not None else {}
        elif value is not None:
            if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
                raise UserError(f"the editor's settings: {key!r} must be a list of strings")
            overrides[name] = tuple(value)
    return ClientSettings(configuration, allow_rules, overrides)


def _dashed(key: str) -> str:
    """A key as configuration files write it: editors also have extendSelect."""
    return "".join(f"-{char.lower()}" if char.isupper() else char for char in key).replace("_", "-")
