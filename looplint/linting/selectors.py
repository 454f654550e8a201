"""Which rules run: by code, prefix or name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from looplint.errors import UserError
from looplint.finding import Finding
from looplint.linting.catalogue import Entry, Rule
from looplint.settings.values import Settings

Selectable = Rule | Entry
R = TypeVar("R", Rule, Entry)
_RULE_OPTIONS = ("select", "extend-select", "ignore", "fixable", "unfixable", "extend-safe-fixes", "extend-unsafe-fixes")


def choose(rules: Sequence[R], *, select: Sequence[str] = (), ignore: Sequence[str] = (), extend_select: Sequence[str] = ()) -> list[R]:
    """The rules of a run.

    Args:
        rules: the catalogue.
        select: codes, prefixes of codes, or names that replace the default rules; "ALL" for every rule.
        ignore: those to leave out. Where a rule is both selected and ignored, the longer word wins, and `ignore` among equals.
        extend_select: those to add.

    Raises:
        UserError: a word that selects nothing.
    """
    for word in (*select, *extend_select, *ignore):
        _check(word, rules)
    return [r for r in rules if closeness(r, (*select, *extend_select), default=not select and r.default) > closeness(r, ignore)]


def closeness(rule: Selectable | Finding, words: Sequence[str], *, default: bool = False) -> int:
    """How closely the closest of some words names a rule: the length of the word, 0 for "ALL" and for a default rule, -1 where none does."""
    return max((_length(word, rule) for word in words if selects(word, rule)), default=0 if default else -1)


def _length(word: str, rule: Selectable | Finding) -> int:
    return 0 if word.upper() == "ALL" else len(word) if rule.code.startswith(word.upper()) else len(rule.code)


def selects(word: str, rule: Selectable | Finding) -> bool:
    """Whether a word names a rule, or the rule of a finding."""
    return word.upper() == "ALL" or rule.name == word.lower().replace("_", "-") or rule.code.startswith(word.upper())


def names_alone(word: str, rule: Selectable | Finding) -> bool:
    """Whether a word is the code or the name of this one rule, and no beginning that others share."""
    return word.upper() == rule.code or (selects(word, rule) and not rule.code.startswith(word.upper()) and word.upper() != "ALL")


def check_words(settings: Settings, rules: Sequence[Entry]) -> None:
    """See that every word by which settings name rules names one.

    Raises:
        UserError: one does not; the message says where it stands.
    """
    named = [(option, getattr(settings, option.replace("-", "_"))) for option in _RULE_OPTIONS]
    named += [("per-file-ignores", words) for _, words in settings.per_file_ignores]
    named.append(("severity", tuple(word for word, _ in settings.severity)))
    for option, words in named:
        for word in words:
            try:
                _check(word, rules)
            except UserError as error:
                places = settings.origin(option)
                raise UserError(f"{places[-1]}: `{option}`: {error}" if places and places[-1].line else str(error)) from None


def _check(word: str, rules: Sequence[Selectable]) -> None:
    if not word or not (word.upper() == "ALL" or any(selects(word, r) for r in rules)):
        from difflib import get_close_matches

        names = [n for r in rules for n in (r.code, r.name)]
        # Letters that look like digits: LL1O2 is nearer to LL102 than to LL112.
        meant = word[:2].upper() + word[2:].translate(str.maketrans("OoIl", "0011"))
        near = [meant] if meant in names else get_close_matches(word, names, 1)
        hint = f"; did you mean {near[0]}?" if near else "; `looplint rule --all` lists them"
        raise UserError(f"no rule has the code, prefix or name {word!r}{hint}")
