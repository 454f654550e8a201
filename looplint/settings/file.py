"""Reading one configuration file: its values checked against the table of options, each with the line it stands in."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.settings.options import BY_NAME, EXPECTED, KEYS, VALUES, Option
from looplint.settings.toml_places import line_of
from looplint.settings.values import Origin
from looplint.sources.patterns import Pattern
from looplint.sources.reading import display_name

# The nearer to the front, the more a file counts among those of one folder.
NAMES = (".looplint.toml", "looplint.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Layer:
    """What one configuration file says: option name -> value as settings hold it, and where it stands."""

    values: Mapping[str, Any]
    origins: Mapping[str, Origin]
    extends: Path | None = None


def read(path: Path) -> Layer | None:
    """Read a configuration file.

    Returns:
        What it says, or None for a pyproject.toml without a section of looplint.

    Raises:
        UserError: it cannot be read, is no TOML, or holds a key or a value that means nothing; the message names file, line and remedy.
    """
    shared = path.name == "pyproject.toml"
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{display_name(path)}: cannot be read: {error.strerror or error}") from None
    if shared and b"looplint" not in raw:
        return None
    text, document = _parse(path, raw)
    section = document
    if shared:
        tool = document.get("tool")
        if not isinstance(tool, dict) or "looplint" not in tool:
            return None
        section = tool["looplint"]
    return _File(path, text, ("tool", "looplint") if shared else ()).layer(section)


def _parse(path: Path, raw: bytes) -> tuple[str, dict[str, Any]]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = raw.decode("utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        row = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{display_name(path)}:{row}: cannot be decoded; TOML is UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        row = int(place[1]) if place else text.count("\n") + 1
        raise UserError(f"{display_name(path)}:{row}: is not valid TOML: {str(error).partition(' (at ')[0]}") from None


@dataclass(frozen=True, slots=True)
class _File:
    """The file being read, for what its errors say."""

    path: Path
    text: str
    prefix: tuple[str, ...]

    def fail(self, keys: tuple[str, ...], message: str, value: str | None = None) -> NoReturn:
        raise UserError(f"{display_name(self.path)}:{self.line(keys, value)}: {message}")

    def line(self, keys: tuple[str, ...], value: str | None = None) -> int:
        return line_of(self.text, (*self.prefix, *keys), value)

    def layer(self, section: Any) -> Layer:
        if not isinstance(section, dict):
            self.fail((), f"tool.looplint has to be a table, not {_describe(section)}")
        values: dict[str, Any] = {}
        for name, value in section.items():
            option = BY_NAME.get(name)
            if option is None:
                self.fail((name,), self._unknown(name))
            values[name] = self._value(option, value)
        origins = {name: Origin(display_name(self.path), self.line((name,))) for name in values}
        extends = values.pop("extend", None)
        return Layer(values, origins, Path(extends) if extends else None)

    def _unknown(self, name: str) -> str:
        if name == "tool" and not self.prefix:
            return f"unknown option `tool`: in {self.path.name} the options stand at the top, without [tool.looplint]"
        return f"unknown option `{name}`{did_you_mean(name.replace('_', '-').lower(), list(BY_NAME))}"

    def _value(self, option: Option, value: Any) -> Any:
        checked = _READERS[option.kind](self, option, value)
        if checked is None:
            expected = EXPECTED[option.kind].format(choices=", ".join(f'"{c}"' for c in option.choices))
            near = did_you_mean(value, option.choices, "") if isinstance(value, str) and option.choices else ""
            self.fail(
                (option.name,),
                f"`{option.name}` has to be {expected}, not {_describe(value)}{near}; for example {option.name} = {option.example}",
            )
        return checked

    def absolute(self, text: str) -> str:
        return str((self.path.parent / Path(text).expanduser()).resolve())


def inline(assignments: list[str]) -> dict[str, Any]:
    """What the command line sets with `--config 'KEY = VALUE'`, by the names of options; paths and patterns are those of the current folder.

    Raises:
        UserError: one is no assignment in TOML, or sets what is no option, or to what means nothing.
    """
    values: dict[str, Any] = {}
    for number, text in enumerate(assignments, 1):
        here = Path.cwd() / f"--config (number {number})"
        _, section = _parse(here, text.encode("utf-8", "surrogateescape"))
        if "extend" in section:
            raise UserError("--config: `extend` stands in a file; --config FILE names one")
        values |= _File(here, text, ()).layer(section).values
    return values


def check_value(name: str, value: str) -> None:
    """See that a value given on the command line is one.

    Raises:
        UserError: it is not.
    """
    option = BY_NAME[name]
    if _READERS[option.kind](_File(Path(), "", ()), option, value) is None:
        raise UserError(f"--{name} must be {EXPECTED[option.kind].format(choices=', '.join(option.choices))}, not {value}")


def did_you_mean(word: str, known: list[str] | tuple[str, ...], otherwise: str | None = None) -> str:
    """The end of a message that names the nearest known word, or all of them."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1, 0.5)
    if near:
        return f"; did you mean `{near[0]}`?"
    return f"; known are {', '.join(known)}" if otherwise is None else otherwise


def _describe(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'the string "{value}"'
        case int() | float():
            return f"the number {value}"
        case list():
            wrong = next((v for v in value if not isinstance(v, str)), None)
            return "a list" if wrong is None else f"a list with {_describe(wrong)} in it"
        case dict():
            return "a table"
    return f"a {type(value).__name__}"


def _strings(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else None


def _paths(file: _File, _: Option, value: Any) -> tuple[str, ...] | None:
    found = _strings(value)
    return None if found is None else tuple(file.absolute(v) for v in found)


def _patterns(file: _File, _: Option, value: Any) -> tuple[Pattern, ...] | None:
    found = _strings(value)
    return None if found is None else tuple((str(file.path.parent.resolve()), v) for v in found)


def _rules_by_pattern(file: _File, option: Option, value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    base = str(file.path.parent.resolve())
    return tuple(((base, pattern), _words_of(file, option, pattern, words)) for pattern, words in value.items())


def _names_by_kind(file: _File, option: Option, value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    known = KEYS[option.name]
    for kind in value:
        if kind not in known:
            file.fail((option.name, kind), f"unknown table `{kind}` in `{option.name}`{did_you_mean(kind, list(known))}")
    return tuple((kind, _words_of(file, option, kind, names)) for kind, names in value.items())


def _languages_by_ending(file: _File, option: Option, value: Any) -> Any:
    found = _choices_by_key(file, option, value)
    return None if found is None else tuple((ending.removeprefix(".").lower(), language) for ending, language in found)


def _choices_by_key(file: _File, option: Option, value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    known = list(VALUES[option.name])
    for key, choice in value.items():
        if choice not in known:
            guess = did_you_mean(choice, known, "") if isinstance(choice, str) else ""
            file.fail((option.name, key), f"`{option.name}.{key}` has to be one of {', '.join(known)}, not {_describe(choice)}{guess}")
    return tuple(value.items())


def _words_of(file: _File, option: Option, key: str, value: Any) -> tuple[str, ...]:
    words = _strings(value)
    if words is None:
        file.fail((option.name, key), f"`{option.name}.{key}` has to be a list of strings, not {_describe(value)}")
    return words


_READERS: dict[str, Callable[[_File, Option, Any], Any]] = {
    "flag": lambda _, __, v: v if isinstance(v, bool) else None,
    "choice": lambda _, option, v: v if v in option.choices else None,
    "version": lambda _, __, v: v if isinstance(v, str) and re.fullmatch(r"\d+(\.\d+){0,2}", v) else None,
    "file": lambda file, _, v: file.absolute(v) if isinstance(v, str) and v else None,
    "files": _paths,
    "rules": lambda _, __, v: _strings(v),
    "patterns": _patterns,
    "rules by pattern": _rules_by_pattern,
    "names by kind": _names_by_kind,
    "languages by ending": _languages_by_ending,
    "severities by rule": _choices_by_key,
}
