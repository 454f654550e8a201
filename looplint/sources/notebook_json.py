"""Where the source of each cell stands in a notebook's JSON text, so that an edit can touch it and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from looplint.dataclass import dataclass
from looplint.finding import Location

_SPACE = " \t\n\r"


class NotebookError(ValueError):
    """A file that is no notebook: why, and where in its JSON text when that is known."""

    def __init__(self, message: str, location: Location | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell: its 1-based number, its kind, its source, and the span of the source's JSON value.

    `items` are the spans of the strings of a source that is a list, None for a source that is one string.
    """

    number: int
    kind: str
    source: tuple[str, ...]
    start: int
    end: int
    items: tuple[tuple[int, int], ...] | None


@dataclass(frozen=True, slots=True)
class RawNotebook:
    """A notebook as it was read: its JSON text, its cells, and its metadata."""

    text: str
    cells: tuple[RawCell, ...]
    metadata: dict[str, Any]


def scan(raw: bytes) -> RawNotebook:
    """Read a notebook.

    Raises:
        NotebookError: the bytes are no JSON, or no notebook of format 4.
    """
    from json import JSONDecodeError, JSONDecoder

    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotebookError(f"cannot be decoded as utf-8: byte {raw[error.start]:#04x}") from None
    if not text.strip():
        raise NotebookError("is empty, not a notebook")
    bom = len(text) - len(text.removeprefix("\ufeff"))
    reader = _Reader(text, JSONDecoder().raw_decode)
    try:
        top, spans, end = reader.top(reader.skip(bom))
        if reader.skip(end) != len(text):
            raise JSONDecodeError("Extra data", text, reader.skip(end))
    except JSONDecodeError as error:
        message = f"is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise NotebookError(message, Location(error.lineno, error.colno)) from None
    except RecursionError:
        raise NotebookError("is nested too deeply to be read") from None
    return RawNotebook(text, _cells(top, spans), _dict(top.get("metadata")))


_Spans = list[tuple[int, int, "tuple[tuple[int, int], ...] | None"]]


class _Reader:
    """Walks down to the sources of the cells and lets the decoder read everything else."""

    def __init__(self, text: str, decode: Callable[[str, int], tuple[Any, int]]) -> None:
        self._text = text
        self._decode = decode

    def skip(self, at: int) -> int:
        while at < len(self._text) and self._text[at] in _SPACE:
            at += 1
        return at

    def top(self, at: int) -> tuple[dict[str, Any], _Spans, int]:
        spans: _Spans = []

        def cell(start: int) -> tuple[Any, int]:
            # A cell without a source has an empty span; of two sources the last counts, as for every JSON reader.
            found: list[tuple[int, int, tuple[tuple[int, int], ...] | None]] = [(start, start, None)]

            def source(start: int) -> tuple[Any, int]:
                items: list[tuple[int, int]] = []
                if self._peek(start) == "[":
                    value, end = self._array(start, lambda at: self._noted(at, items))
                    found[0] = (start, end, tuple(items))
                else:
                    value, end = self._decode(self._text, start)
                    found[0] = (start, end, None)
                return value, end

            value, end = self._object(start, {"source": source})
            spans.append(found[0])
            return value, end

        def cells(start: int) -> tuple[Any, int]:
            spans.clear()
            return self._array(start, cell)

        value, end = self._object(at, {"cells": cells})
        return (value if isinstance(value, dict) else {}), spans, end

    def _noted(self, start: int, spans: list[tuple[int, int]]) -> tuple[Any, int]:
        value, end = self._decode(self._text, start)
        spans.append((start, end))
        return value, end

    def _peek(self, at: int) -> str:
        return self._text[at : at + 1]

    def _object(self, at: int, readers: dict[str, Callable[[int], tuple[Any, int]]]) -> tuple[Any, int]:
        if self._peek(at) != "{":
            return self._decode(self._text, at)
        found: dict[str, Any] = {}
        at = self.skip(at + 1)
        while self._peek(at) != "}":
            if found:
                at = self._expect(",", at)
            if self._peek(at) != '"':
                self._fail("Expecting property name enclosed in double quotes", at)
            key, at = self._decode(self._text, at)
            at = self._expect(":", self.skip(at))
            found[key], at = readers[key](at) if key in readers else self._decode(self._text, at)
            at = self.skip(at)
        return found, at + 1

    def _array(self, at: int, read: Callable[[int], tuple[Any, int]]) -> tuple[Any, int]:
        if self._peek(at) != "[":
            return self._decode(self._text, at)
        found: list[Any] = []
        at = self.skip(at + 1)
        while self._peek(at) != "]":
            if found:
                at = self._expect(",", at)
            value, at = read(at)
            found.append(value)
            at = self.skip(at)
        return found, at + 1

    def _expect(self, char: str, at: int) -> int:
        if self._peek(at) != char:
            self._fail(f"Expecting '{char}' delimiter", at)
        return self.skip(at + 1)

    def _fail(self, message: str, at: int) -> None:
        from json import JSONDecodeError

        raise JSONDecodeError(message, self._text, at)


def _cells(top: dict[str, Any], spans: _Spans) -> tuple[RawCell, ...]:
    cells = top.get("cells")
    if not isinstance(cells, list):
        if isinstance(top.get("worksheets"), list):
            raise NotebookError("is a notebook of format 3; convert it with `jupyter nbconvert --to notebook`")
        raise NotebookError('is no notebook: it has no list "cells"')
    found = []
    for number, (cell, (start, end, items)) in enumerate(zip(cells, spans), 1):
        cell = _dict(cell)
        source = cell.get("source", "")
        lines = source if isinstance(source, list) else [source]
        if not all(isinstance(line, str) for line in lines):
            raise NotebookError(f"is no notebook: the source of cell {number} is no text")
        found.append(RawCell(number, str(cell.get("cell_type")), tuple(lines), start, end, items))
    return tuple(found)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
