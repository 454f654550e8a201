"""What the table of options looks like to people and to editors: the settings in force, the reference, and the JSON schema."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from looplint.settings.configuration import InForce, in_force
from looplint.settings.options import BY_NAME, KEYS, OPTIONS, VALUES, Kind, Option
from looplint.settings.values import Settings
from looplint.sources.reading import display_name

SCHEMA_URL = "https://raw.githubusercontent.com/looplint/looplint/main/docs/looplint.schema.json"
_STRINGS = {"type": "array", "items": {"type": "string"}}
_SHAPES: dict[Kind, dict[str, Any]] = {
    "flag": {"type": "boolean"},
    "choice": {"type": "string"},
    "version": {"type": "string", "pattern": r"^\d+(\.\d+){0,2}$"},
    "file": {"type": "string", "minLength": 1},
    "files": _STRINGS,
    "rules": _STRINGS,
    "patterns": _STRINGS,
    "rules by pattern": {"type": "object", "additionalProperties": _STRINGS},
    "languages by ending": {"type": "object", "additionalProperties": {"enum": list(VALUES["extension"])}},
    "severities by rule": {"type": "object", "additionalProperties": {"enum": list(VALUES["severity"])}},
}


def settings_text(settings: Settings, path: Path, codes: Iterable[str]) -> str:
    """What is in force for a file or folder, as TOML, and where each value was set.

    Args:
        settings: those of the file or folder.
        path: the file or folder.
        codes: the rules that the settings select.
    """
    where = display_name(settings.file) if settings.file else "no configuration file"
    selected = sorted(codes)
    lines = [f"# {display_name(path)}: {where}", f"# {len(selected)} rule{'s' if len(selected) != 1 else ''}: {' '.join(selected)}"]
    width = max(len(option.name) for option in OPTIONS)
    shown = [(line, _value(line)) for line in in_force(settings)]
    value_width = max((len(value) for line, value in shown if line.origins), default=0)
    for line, value in shown:
        if line.value is None:
            lines.append(f"# {line.name} is not set")
            continue
        origins = ", ".join(str(origin) for origin in line.origins)
        lines.append(f"{line.name:{width}} = {value:{min(value_width, 60)}}  # {origins}" if origins else f"{line.name:{width}} = {value}")
    return "\n".join(lines) + "\n"


def _value(line: InForce) -> str:
    """A value as one would write it."""
    value = line.value
    match BY_NAME[line.name].kind:
        case "patterns":
            value = [pattern for _, pattern in value]
        case "rules by pattern":
            value = {pattern: list(words) for (_, pattern), words in value}
        case "languages by ending" | "severities by rule":
            value = dict(value)
        case "names by kind":
            value = {kind: list(names) for kind, names in value}
        case "files":
            value = [os.path.relpath(v) for v in value]
    return toml(value)


def toml(value: object) -> str:
    """A value in TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple() | list():
            return "[" + ", ".join(toml(v) for v in value) + "]"
        case dict():
            return "{ " + ", ".join(f"{_key(k)} = {toml(v)}" for k, v in value.items()) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() else json.dumps(name, ensure_ascii=False)


def schema() -> dict[str, Any]:
    """The JSON schema of `[tool.looplint]`, for editors and for validators."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_URL,
        "title": "looplint",
        "description": "The configuration of looplint: looplint.toml, .looplint.toml, or [tool.looplint] in pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": {option.name: _property(option) for option in OPTIONS},
    }


def _property(option: Option) -> dict[str, Any]:
    shape: dict[str, Any] = {"description": option.help}
    if option.kind == "names by kind":
        keys = {key: {"description": words[:1].upper() + words[1:] + ".", **_STRINGS} for key, words in KEYS[option.name].items()}
        shape |= {"type": "object", "additionalProperties": False, "properties": keys}
    else:
        shape |= _SHAPES[option.kind]
    if option.choices:
        shape["enum"] = list(option.choices)
    if option.default is not None:
        shape["default"] = _default(option)
    return shape


def _default(option: Option) -> Any:
    if option.kind in ("rules by pattern", "severities by rule", "names by kind", "languages by ending"):
        return {}
    return list(option.default) if isinstance(option.default, tuple) else option.default


def schema_text() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def reference() -> str:
    """The reference of all options, in Markdown."""
    parts = []
    for option in OPTIONS:
        default = "none" if option.default is None else f"`{toml(_default(option))}`"
        part = f"### `{option.name}`\n\n{option.help}\n\nDefault: {default}. Example:\n\n```toml\n{option.name} = {option.example}\n```\n"
        if option.choices:
            part += f"\nOne of {', '.join(f'`{c}`' for c in option.choices)}.\n"
        if option.name in KEYS:
            part += "\n| table | names |\n|---|---|\n" + "".join(f"| `{key}` | {words} |\n" for key, words in KEYS[option.name].items())
        parts.append(part)
    return "\n".join(parts)
