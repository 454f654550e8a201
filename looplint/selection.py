"""Which rules are asked: by code, prefix or name."""

from __future__ import annotations

from collections.abc import Sequence

from looplint.catalogue import Rule
from looplint.errors import UserError


def choose(rules: Sequence[Rule], *, select: Sequence[str] = (), ignore: Sequence[str] = (), extend_select: Sequence[str] = ()) -> list[Rule]:
    """The rules a run asks.

    Args:
        rules: the catalogue.
        select: codes, prefixes of codes, or names that replace the default rules; "ALL" for every rule.
        ignore: those to leave out.
        extend_select: those to add.

    Raises:
        UserError: a word that selects nothing.
    """
    chosen = [r for r in rules if (_any(r, select, rules) if select else r.default) or _any(r, extend_select, rules)]
    for word in ignore:
        _check(word, rules)
    return [r for r in chosen if not _any(r, ignore, rules)]


def _any(rule: Rule, words: Sequence[str], rules: Sequence[Rule]) -> bool:
    for word in words:
        _check(word, rules)
    return any(selects(word, rule) for word in words)


def selects(word: str, rule: Rule) -> bool:
    return word.upper() == "ALL" or rule.name == word.lower().replace("_", "-") or rule.code.startswith(word.upper())


def _check(word: str, rules: Sequence[Rule]) -> None:
    if not word or not any(selects(word, r) for r in rules):
        from difflib import get_close_matches

        near = get_close_matches(word, [n for r in rules for n in (r.code, r.name)], 1)
        hint = f"; did you mean {near[0]}?" if near else "; `looplint rule --all` lists them"
        raise UserError(f"no rule has the code, prefix or name {word!r}{hint}")
