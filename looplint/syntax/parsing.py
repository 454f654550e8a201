"""Parsing and lowering, once for each text: the files of one run import the same modules.

What was used last is kept as it is. What the files of a run import is packed when it makes room for others: packed, a module takes a
twentieth of the memory, and is there again in a quarter of the time that parsing and lowering take.
"""

from __future__ import annotations

import libcst as cst

from looplint.syntax import bounds
from looplint.syntax.ir import ModuleCode
from looplint.syntax.lowering import lower
from looplint.syntax.stack import on_a_larger_stack
from looplint.syntax.tabs import tabs_as_spaces

# How many characters of source are kept lowered; a character of source takes about forty bytes as a tree.
_MOST_KEPT = 1_000_000
# How many bytes of packed modules are kept; a character of source takes about two.
_MOST_PACKED = 24 << 20
# What a module takes of which all bodies are packed, beside one that is whole.
_PACKED_PART = 0.35
_kept: dict[str, ModuleCode] = {}
_imported: set[str] = set()
# By the digest of the text.
_packed: dict[bytes, bytes] = {}


def parsed(text: str, *, imported: bool = False) -> ModuleCode:
    """The lowered module of a text. What is returned is shared, and never changed.

    Args:
        text: the source.
        imported: whether it is asked for as a module that another file imports, as more files may do.

    Raises:
        libcst.ParserSyntaxError: the text is no Python.
        TooDeep: it is nested more deeply than the parser can take.
        RecursionError: it is nested more deeply than Python's stack allows here.
    """
    code = _kept.pop(text, None)
    if code is None:
        code = _unpacked(text) or _parse(text)
        _make_room(len(text))
    _kept[text] = code
    if imported:
        _imported.add(text)
    return code


def _parse(text: str) -> ModuleCode:
    deep = bounds.check(text)
    try:
        return lower(_tree(text, deep))
    except cst.ParserSyntaxError:
        same = tabs_as_spaces(text)
        if same is None:
            raise
    return lower(_tree(same, deep))


def _tree(text: str, deep: bool) -> cst.Module:
    return on_a_larger_stack(cst.parse_module, text) if deep else cst.parse_module(text)


def _make_room(length: int) -> None:
    """Take out what was not used for longest, until a text of this length fits."""
    left = _MOST_KEPT - length - sum(_weight(*kept) for kept in _kept.items())
    while left < 0 and _kept:
        oldest = next(iter(_kept))
        code = _kept.pop(oldest)
        left += _weight(oldest, code)
        if oldest in _imported:
            _imported.discard(oldest)
            _pack(oldest, code)


def _weight(text: str, code: ModuleCode) -> int:
    """What a module counts for: as many characters as take its memory where it is whole."""
    packed = sum(function.later is not None for function in code.functions) if code.later is not None else 0
    whole = 1 - packed / len(code.functions) if packed else 1.0
    return int(len(text) * (_PACKED_PART + (1 - _PACKED_PART) * whole))


def _pack(text: str, code: ModuleCode) -> None:
    from looplint.syntax import packing  # most runs import less than is kept as it is

    digest = _digest(text)
    packed = _packed.pop(digest, None) or packing.pack(code)
    if packed is None:
        return  # it is nested deeply, and is parsed again
    left = _MOST_PACKED - len(packed) - sum(map(len, _packed.values()))
    while left < 0 and _packed:
        left += len(_packed.pop(next(iter(_packed))))
    _packed[digest] = packed


def _unpacked(text: str) -> ModuleCode | None:
    packed = _packed.get(_digest(text)) if _packed else None
    if packed is None:
        return None
    from looplint.syntax import packing

    return packing.unpack(packed)


def _digest(text: str) -> bytes:
    import hashlib

    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
