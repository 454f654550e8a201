"""Texts as editors count them: lines from 0, columns in the units that client and server agreed on."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise

from lsprotocol import types

from looplint.finding import Location

# The line ends of the protocol and of Python; form feeds and Unicode separators end no line.
_LINE_END = re.compile(r"\r\n|\r|\n")


class Text:
    """A text, and how its places are counted on both sides."""

    def __init__(self, text: str, encoding: str) -> None:
        """Split a text into its lines.

        Args:
            text: the text.
            encoding: "utf-8", "utf-16" or "utf-32": what a column counts.
        """
        self.text = text
        self._encoding = encoding
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(m.end() for m in ends)]
        self._ends = [*(m.start() for m in ends), len(text)]

    def position(self, place: Location) -> types.Position:
        """A location as the editor counts it. Locations outside the text are moved to its border."""
        row = place.row - 1
        if row < 0:
            return types.Position(0, 0)
        if row >= len(self._starts):
            return self.position(Location(len(self._starts), self._ends[-1] - self._starts[-1] + 1))
        before = self.text[self._starts[row] : min(self._starts[row] + place.column - 1, self._ends[row])]
        return types.Position(row, self._units(before))

    def range(self, start: Location, end: Location) -> types.Range:
        return types.Range(self.position(start), self.position(end))

    def offset(self, position: types.Position) -> int:
        """The offset of an editor's position. Beyond the end of a line it is the line's end, as the protocol requires."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._ends[position.line]
        line = self.text[start:end]
        if line.isascii():
            return min(start + position.character, end)
        passed = 0
        for index, char in enumerate(line):
            if passed >= position.character:
                return start + index
            passed += self._units(char)
        return end

    def location(self, offset: int) -> Location:
        """The location of an offset."""
        row = bisect_right(self._starts, offset) - 1
        return Location(row + 1, offset - self._starts[row] + 1)

    def _units(self, text: str) -> int:
        match self._encoding:
            case "utf-8":
                return len(text.encode("utf-8", "surrogatepass"))
            case "utf-32":
                return len(text)
        return len(text) + sum(char > "\uffff" for char in text)


def changed(text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: str) -> str:
    """The text after a sequence of changes."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            before = Text(text, encoding)
            text = text[: before.offset(change.range.start)] + change.text + text[before.offset(change.range.end) :]
        else:
            text = change.text
    return text


def line_edits(old: str, new: str, encoding: str) -> list[types.TextEdit]:
    """Edits of whole lines that turn one text into another, and leave unchanged lines alone."""
    from difflib import SequenceMatcher

    before, after = _lines(old), _lines(new)
    place = Text(old, encoding)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    edits = []
    for kind, first, last, new_first, new_last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            span = place.range(place.location(starts[first]), place.location(starts[last]))
            edits.append(types.TextEdit(span, "".join(after[new_first:new_last])))
    return edits


def _lines(text: str) -> list[str]:
    starts = [0, *(m.end() for m in _LINE_END.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(starts) if a < b]
