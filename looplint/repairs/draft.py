"""Text edits on the statements of one file: insert, remove, move, wrap, replace.

Whatever an edit does not name stays byte for byte. An edit that cannot be written down well raises `Infeasible`.
"""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from looplint.finding import Edit
from looplint.regex import regex
from looplint.repairs.layout import Block, Layout, Statement
from looplint.sources.interactive import displayed

_COMMENT = regex(r"[ \t\f]*#")
_BLANK = regex(r"[ \t\f]*(?:\r\n|\r|\n)")
_LINE_END = regex(r"(?:\r\n|\r|\n)\Z")
_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_WORD = regex(r"[a-z]{4,}")


class Infeasible(Exception):
    """Why a repair cannot be made here, as a user would want to read it."""


class Change(NamedTuple):
    """Replace the text between two offsets."""

    start: int
    end: int
    text: str


class Chunk(NamedTuple):
    """Code on its way to another place: its lines as they stand now with their indentation, or bare code without line ends."""

    text: str
    indent: str
    inline: bool
    protected: tuple[tuple[int, int], ...] = ()


class Draft:
    """The changes that one repair makes to one file."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.changes: list[Change] = []
        # From where to where statements were put under a header.
        self.wrapped: list[tuple[int, int]] = []

    def edits(self) -> tuple[Edit, ...]:
        """The changes as edits in the order of the text; changes at one place are put together."""
        merged: list[Change] = []
        for change in sorted(self.changes, key=lambda c: (c.start, c.end)):
            if merged and change.start < merged[-1].end:
                raise Infeasible("its edits overlap")
            if merged and change.start == merged[-1].end:
                last = merged.pop()
                change = Change(last.start, change.end, last.text + change.text)
            merged.append(change)
        place, filename = self.layout.location, self.layout.info.filename
        return tuple(Edit(filename, place(c.start), place(c.end), c.text) for c in merged)

    def put_under(self) -> int:
        """How much code is put under headers."""
        return sum(end - start for start, end in self.wrapped)

    def add(self, other: Draft) -> None:
        """Make the changes of another draft of the file as well; what both do is done once.

        Raises:
            Infeasible: the other one puts some of the same code under a header, and more.
        """
        if other.wrapped and all(any(a <= start and end <= b for a, b in self.wrapped) for start, end in other.wrapped):
            return  # it stands under the same header
        if any(a < end and start < b for a, b in self.wrapped for start, end in other.wrapped):
            raise Infeasible("its edits overlap")
        self.wrapped += other.wrapped
        self.changes += [change for change in other.changes if change not in self.changes]

    # -- the operations

    def replace(self, node: cst.CSTNode, text: str) -> None:
        self.changes.append(Change(*self.layout.extent(node), text))

    def insert(self, offset: int, text: str) -> None:
        self.changes.append(Change(offset, offset, text))

    def line_before(self, target: Statement, code: str) -> None:
        """Insert a statement before another one."""
        self._put(Chunk(code, "", inline=True), target, after=False)

    def line_after(self, target: Statement, code: str) -> None:
        """Insert a statement after another one."""
        self._put(Chunk(code, "", inline=True), target, after=True)

    def line_at_top(self, block: Block, code: str) -> None:
        """Insert a statement as the first of a block, below a docstring."""
        target, after = first_place(block)
        self._put(Chunk(code, "", inline=True), target, after=after)

    def move_before(self, statement: Statement, target: Statement) -> None:
        self._put(self._take(statement), target, after=False)

    def move_after(self, statement: Statement, target: Statement) -> None:
        self._put(self._take(statement), target, after=True)

    def remove(self, statement: Statement) -> None:
        """Remove a statement, and not the comments above it: what they say is their author's."""
        self._take(statement, commented=False)

    def wrap(self, first: Statement, last: Statement, header: str) -> None:
        """Put consecutive statements of a block under a header such as `with torch.no_grad():`."""
        layout = self.layout
        if first.joined or last.joined:
            raise Infeasible("the code shares its line with other statements")
        shown = displayed(layout.info.code.tree) if layout.info.code is not None and first.block.owner is None else frozenset()
        if any(s.node in shown for s in first.block.statements[first.index : last.index + 1]):
            raise Infeasible("the cell shows the value of an expression in it")
        indent = layout.indent(first)
        start, end = _comments_above(layout, first), _end_of(layout, last)
        self.wrapped.append((start, end))
        step = _step(layout, first)
        protected = layout.strings(start, end)
        self.insert(start, f"{indent}{header}{layout.newline}")
        offset = start
        while offset < end:
            stop = layout.row_end(offset)
            inside = any(a < offset < b for a, b in protected)
            if not inside and not _BLANK.match(layout.text, offset):
                self.insert(offset + len(indent) if layout.text.startswith(indent, offset) else offset, step)
            offset = stop

    def remove_argument(self, call: cst.Call, index: int) -> None:
        """Remove one argument of a call with the comma that goes with it."""
        extents = [self._argument(a) for a in call.args]
        start, end = extents[index]
        if index:
            start = extents[index - 1][1]
        elif len(extents) > 1:
            end = extents[1][0]
        self.changes.append(Change(start, end, ""))

    def add_argument(self, call: cst.Call, code: str) -> None:
        """Add an argument after the last one of a call, on a line of its own where each of them has one."""
        text, layout = self.layout.text, self.layout
        if not call.args:
            self.insert(layout.extent(call)[1] - 1, code)
            return
        last = call.args[-1]
        start, end = self._argument(last)
        own_line = not text[layout.row_start(start) : start].strip()
        between = f",{layout.newline}{text[layout.row_start(start) : start]}" if own_line else ", "
        self.insert(end, f"{between}{code}")

    def _argument(self, arg: cst.Arg) -> tuple[int, int]:
        """The offsets of an argument with its name, its stars and the parentheses around its value."""
        start, end = self.layout.extent(arg.value)
        text = self.layout.text
        for _ in arg.value.lpar:
            start, end = text.rindex("(", 0, start), text.index(")", end) + 1
        if arg.keyword is not None:
            start = self.layout.extent(arg.keyword)[0]
        return start - len(arg.star), end

    # -- taking and putting

    def _take(self, statement: Statement, *, commented: bool = True) -> Chunk:
        layout, text = self.layout, self.layout.text
        if statement.joined:
            self._cut(statement)
            return Chunk(text[statement.start : statement.end], "", inline=True)
        start = _comments_of(layout, statement) if commented else layout.row_start(statement.start)
        end = _end_of(layout, statement)
        code = text[start:end]
        protected = tuple((a - start, b - start) for a, b in layout.strings(statement.start, statement.end))
        indent = layout.indent(statement)
        if len(statement.block.statements) == 1:
            self.changes.append(Change(start, end, f"{indent}pass{layout.newline}"))
        else:
            self.changes.append(Change(*self._with_blank(start, end), ""))
        return Chunk(code, indent, inline=False, protected=protected)

    def _cut(self, statement: Statement) -> None:
        """Remove a statement that shares its line."""
        after = statement.after
        before = statement.before
        if after is not None and after.line == statement.line:
            self.changes.append(Change(statement.start, after.start, ""))
        elif before is not None and before.line == statement.line:
            self.changes.append(Change(before.end, statement.end, ""))
        else:
            self.changes.append(Change(statement.start, statement.end, "pass"))

    def _with_blank(self, start: int, end: int) -> tuple[int, int]:
        """Of the blank lines on both sides of what goes, one stays."""
        text, layout = self.layout.text, self.layout
        if end >= len(text) and start and not text.endswith(("\n", "\r")):
            line_end = _LINE_END.search(text, 0, start)
            return line_end.start() if line_end else start, end
        above = start == 0 or _BLANK.match(text, layout.row_start(start - 1)) is not None
        below = _BLANK.match(text, end)
        return (start, below.end()) if above and below else (start, end)

    def _put(self, chunk: Chunk, target: Statement, *, after: bool) -> None:
        layout = self.layout
        neighbour = target.after if after else target.before
        shares = target.block.one_line or (neighbour is not None and neighbour.line == target.line)
        if shares:
            code = chunk.text.strip()
            if "\n" in code or "\r" in code or "#" in code or not chunk.inline and _is_compound(code):
                raise Infeasible("the place it belongs to is in the middle of a line")
            self.insert(target.end if after else target.start, f"; {code}" if after else f"{code}; ")
            return
        indent, newline = layout.indent(target), layout.newline
        text = f"{indent}{chunk.text}{newline}" if chunk.inline else _indented(chunk, indent)
        if after:
            offset = _end_of(layout, target)
            if offset and not layout.text[:offset].endswith(("\n", "\r")):
                text = newline + text.removesuffix(newline)
        else:
            offset = _comments_of(layout, target)
        if not text.endswith(("\n", "\r")) and offset < len(layout.text):
            text += newline
        self.insert(offset, text)


def first_place(block: Block) -> tuple[Statement, bool]:
    """Where the first line of a block goes: before its first statement, or after its docstring."""
    first = block.statements[0]
    node = first.node
    docstring = isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)
    return first, docstring and block.owner is not None and isinstance(block.owner.node, cst.FunctionDef)


def _is_compound(code: str) -> bool:
    return code.split(None, 1)[0].rstrip(":") in ("if", "for", "while", "with", "try", "def", "class", "match", "async")


def _indented(chunk: Chunk, indent: str) -> str:
    """The chunk's lines at another indentation; the insides of strings stay."""
    if chunk.indent == indent:
        return chunk.text
    lines, offset = [], 0
    for line in _LINE.findall(chunk.text):
        inside = any(a < offset < b for a, b in chunk.protected)
        lines.append(indent + line[len(chunk.indent) :] if not inside and line.startswith(chunk.indent) and line.strip() else line)
        offset += len(line)
    return "".join(lines)


def _end_of(layout: Layout, statement: Statement) -> int:
    """The end of the last line of a statement, with the comments that stand deeper below it."""
    end = layout.row_end(max(statement.end - 1, statement.start))
    if not statement.blocks:
        return end
    indent = len(layout.indent(statement).expandtabs())
    while end < len(layout.text) and _COMMENT.match(layout.text, end):
        line = layout.text[end : layout.row_end(end)].expandtabs()
        if len(line) - len(line.lstrip()) <= indent:
            break
        end = layout.row_end(end)
    return end


def _comments_above(layout: Layout, statement: Statement) -> int:
    """The start of the comment lines directly above a statement, at its own indentation."""
    start = layout.row_start(statement.start)
    indent = layout.indent(statement)
    while start:
        above = layout.row_start(start - 1)
        # The mark of a cell belongs to the cell, not to its first statement.
        if not layout.text.startswith(f"{indent}#", above) or layout.text.startswith("# %%", above):
            break
        start = above
    return start


def _comments_of(layout: Layout, statement: Statement) -> int:
    """The start of the comments that belong to a statement.

    A comment above several lines without a blank one belongs to all of them, unless it shares a word with this one.
    """
    start, line = _comments_above(layout, statement), layout.row_start(statement.start)
    if start == line:
        return line
    end = _end_of(layout, statement)
    after = statement.after
    alone = after is None or _BLANK.match(layout.text, end) is not None
    words = set(_WORD.findall(layout.text[start:line].lower()))
    code = layout.text[line : statement.end].lower()
    return start if alone or any(word.removesuffix("s") in code for word in words) else line


def _step(layout: Layout, statement: Statement) -> str:
    """One level of indentation, as the file has it."""
    indent = layout.indent(statement)
    if "\t" in indent:
        return "\t"
    for inner in (s for s in layout.by_node.values() if s.block.owner is not None and not s.block.one_line):
        owner = inner.block.owner
        assert owner is not None
        deeper = layout.indent(inner)
        outer = layout.indent(owner)
        if deeper.startswith(outer) and deeper != outer:
            return deeper[len(outer) :]
    return "    "
