"""Strings that are known in part: keys that a program makes up as it goes."""

from __future__ import annotations

from typing import NamedTuple

from looplint.domain.values import UNKNOWN, Unknown, Value, constant_of


class Affixes(NamedTuple):
    """How a string begins and ends of which the middle is not known: `f"{key}_loss"`."""

    begins: str
    ends: str

    def fit(self, text: str) -> bool:
        """Whether the string may be this one."""
        return len(text) >= len(self.begins) + len(self.ends) and text.startswith(self.begins) and text.endswith(self.ends)


_NOTHING_KNOWN = Affixes("", "")


def a_text(begins: str, ends: str) -> Value:
    """A string of which the middle is not known."""
    return frozenset({Unknown(text=Affixes(begins, ends))}) if begins or ends else UNKNOWN


def affixes_of(value: Value) -> Affixes | None:
    """How the value begins and ends, if it is a string of which that is known."""
    match list(value):
        case [Unknown(text=text)]:
            return text
    return None


def joined_text(left: Value, right: Value) -> Affixes | None:
    """How one string begins, and the other that is added to it ends, where one of that is known."""
    before, after = _affixes_or_all(left), _affixes_or_all(right)
    return Affixes(before.begins, after.ends) if before.begins or after.ends else None


def _affixes_or_all(value: Value) -> Affixes:
    """How the value begins and ends: a constant with all of its text."""
    known = constant_of(value)
    if known is not None:
        return Affixes(known.value, known.value) if isinstance(known.value, str) else _NOTHING_KNOWN
    return affixes_of(value) or _NOTHING_KNOWN
