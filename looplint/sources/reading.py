"""Reading what is to be linted: bytes in, text out, and one clear problem where that fails."""

from __future__ import annotations

import codecs
import io
import os
import sys
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass, replace
from looplint.finding import Location, Problem
from looplint.regex import regex
from looplint.sources.frameworks import of_another_framework
from looplint.sources.languages import Language, language_of
from looplint.sources.regular import MOST_BYTES, MOST_OF_NOTEBOOK, read_regular

if TYPE_CHECKING:
    from looplint.sources.notebooks import CellRows

# What a file must contain to be worth parsing: an event of a training loop, or the object of one; a parameter that is moved where it is built.
_NEEDLES = regex(
    rb"\.\s*(?:backward|step|zero_grad|train|eval|clip_grad_norm_|prepare|parameters)\s*\(|lr_scheduler|optim\b|(?<!\))\.\s*forward\s*\(|cudnn\s*\.\s*deterministic"
    rb"|\bdef\s+(?:training_step|compute_loss)\b"
    rb"|\bParameter\s*\([^\n]{0,200}\)\s*\.\s*(?:to|cuda|half|double|bfloat16)\s*\("
)
# A loss and an activation that may come before it: a model whose own forward computes its loss is judged where it stands, whoever trains it.
_LOSSES = regex(rb"cross_entropy\w*\s*\(|CrossEntropyLoss|nll_loss\s*\(|NLLLoss|BCE(?:WithLogits)?Loss")
_ACTIVATIONS = regex(rb"(?i)softmax|sigmoid")
STDIN = "<stdin>"


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read: its bytes, its text, and how one becomes the other.

    The text of a notebook is the program that its code cells are together; `cells` says which of its rows are which cell's, and
    `problems` which cells had to be left out.
    """

    path: Path | None
    display: str
    raw: bytes
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    language: Language = "python"
    cells: tuple[CellRows, ...] = ()
    problems: tuple[Problem, ...] = ()
    # The file that standard input is a version of: it is judged as if it lay there, and written nowhere.
    stands_for: Path | None = None

    @property
    def place_of_imports(self) -> Path | None:
        """The file from whose folder imports and settings are looked for."""
        return self.path or self.stands_for

    @property
    def code(self) -> bytes:
        """The bytes that hold the program: of a notebook only what is code."""
        return self.text.encode("utf-8") if self.is_notebook else self.raw

    @property
    def is_notebook(self) -> bool:
        return self.language == "ipynb"

    def place(self, location: Location) -> tuple[int | None, Location]:
        """A place of the text as people count it: in a notebook the cell, and the place in that cell."""
        if not self.cells:
            return None, location
        from looplint.sources.notebooks import locate

        cell, row = locate(self.cells, location.row)
        return cell, Location(row, location.column)


class SourceError(Exception):
    """A file that cannot be linted."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = replace(problem, unreadable=True)


def encode(source: Source, text: str) -> bytes:
    """The bytes of a source with another text, in its encoding and with its byte order mark."""
    return text.encode(source.encoding)


def with_text(source: Source, text: str) -> Source:
    """The same file as it would be with another text.

    Raises:
        ValueError: the file cannot hold it: its encoding has no bytes for it, or would give others for what is not changed; in a notebook, an edit goes over
            the border of a cell or changes what is no Python.
    """
    if source.is_notebook:
        from looplint.sources.notebook_edit import rewrite

        return replace(_decode_notebook(rewrite(source.raw, text), source.path, source.display), stands_for=source.stands_for)
    if encode(source, source.text) != source.raw:
        raise ValueError(f"what is not changed would have other bytes in its encoding, {source.encoding}")
    raw = encode(source, text)
    if raw.decode(source.encoding) != text:
        raise ValueError(f"its encoding, {source.encoding}, cannot hold the text")
    return replace(source, raw=raw, text=text)


def could_contain_loop(raw: bytes) -> bool:
    """Whether a file can be about training at all, or start a program that is; what cannot is never parsed."""
    starts = b"torch" in raw and b"__main__" in raw
    return (starts or _NEEDLES.search(raw) is not None or _scores(raw)) and not of_another_framework(raw)


def _scores(raw: bytes) -> bool:
    return _LOSSES.search(raw) is not None and _ACTIVATIONS.search(raw) is not None


def read_source(path: Path | str, language: Language | None = None) -> Source:
    """Read a file, or standard input for "-" or the name it is reported by; that can be read again.

    Args:
        path: the file.
        language: what the file holds; by its name where it is not given.

    Raises:
        SourceError: with a problem that names the file and what is wrong with it.
    """
    if str(path) in ("-", STDIN):
        if _stdin_name:
            return read_source(_stdin_name, language)
        return decode(_standard_input(), None, STDIN)
    path = Path(path)
    display = display_name(path)
    if display == _stdin_name:
        return replace(decode(_standard_input(), None, display, language or language_of(path)), stands_for=path.resolve())
    language = language or language_of(path)
    try:
        raw = read_regular(path, MOST_OF_NOTEBOOK if language == "ipynb" else MOST_BYTES)
    except FileNotFoundError:
        from looplint.sources.import_roots import nearest

        raise SourceError(Problem(display, f"no such file{nearest(path)}")) from None
    except IsADirectoryError:
        raise SourceError(Problem(display, "is a directory")) from None
    except OSError as error:
        raise SourceError(Problem(display, f"cannot be read: {error.strerror or error}")) from None
    return decode(raw, path.resolve(), display, language)


_stdin_name = ""


def name_standard_input(path: str) -> None:
    """Let standard input be a version of a file that need not exist: it is called like it, and is read in its place."""
    global _stdin_name
    _stdin_name = display_name(Path(path))


@cache
def _standard_input() -> bytes:
    return sys.stdin.buffer.read()


def lines_of(filename: str, cell: int | None = None) -> list[str]:
    """The lines of a file, or of a cell of a notebook as it is written there, by the names that findings have for them.

    They are counted as Python counts them; none where the file cannot be read.
    """
    try:
        source = read_source(Path(filename))
    except SourceError:
        return []
    text = source.text
    if cell is not None:
        from looplint.sources.notebooks import cell_texts

        text = cell_texts(source.raw)[cell - 1]
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def decode(raw: bytes, path: Path | None, display: str, language: Language = "python") -> Source:
    """Turn bytes into a source: a notebook's program, or the text by PEP 263's rules."""
    if language == "ipynb":
        return _decode_notebook(raw, path, display)
    _check_bytes(raw, display)
    bom = raw.startswith(codecs.BOM_UTF8)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding)
    except (SyntaxError, LookupError) as error:
        raise SourceError(Problem(display, f"cannot be decoded: {error}", Location(1, 1))) from None
    except UnicodeDecodeError as error:
        row = raw.count(b"\n", 0, error.start) + 1
        raise SourceError(
            Problem(display, f"cannot be decoded as {error.encoding}: byte {raw[error.start]:#04x}", Location(row, 1))
        ) from None
    return Source(path, display, raw, text, encoding, bom, language)


def from_text(text: str, path: Path | None, display: str, language: Language = "python") -> Source:
    """A script or a document as an editor holds it: characters, in whatever encoding the file is written.

    Raises:
        SourceError: the text cannot be linted.
    """
    raw = text.encode("utf-8", "surrogatepass")
    _check_bytes(raw, display)
    return Source(path, display, raw, text, language=language)


def _check_bytes(raw: bytes, display: str) -> None:
    if len(raw) > MOST_BYTES:
        raise SourceError(Problem(display, f"is too large to be analysed ({len(raw) // 1_000_000} MB)"))
    null = raw.find(b"\0")
    if null >= 0:
        row = raw.count(b"\n", 0, null) + 1
        raise SourceError(Problem(display, "contains a null byte; it is not Python source", Location(row, 1)))


def programs_of(source: Source) -> Iterator[Source]:
    """The programs that a file holds: itself, or the blocks of a document, each with the rows it has there."""
    if source.language != "markdown":
        yield source
        return
    from looplint.sources.markdown import blocks

    for block in blocks(source.text):
        yield replace(source, raw=block.text.encode("utf-8"), text=block.text, encoding="utf-8", bom=False)


def texts_of(sources: Iterable[Source]) -> dict[str, str]:
    """The text of each file; of a document its programs, one below the other."""
    found: dict[str, str] = {}
    for source in sources:
        before = found.get(source.display)
        found[source.display] = source.text if before is None else _overlaid(before, source.text)
    return found


def text_of(path: Path) -> str:
    """The text of a file; none where it cannot be read."""
    try:
        return read_source(path).text
    except SourceError:
        return ""


def _overlaid(above: str, below: str) -> str:
    from looplint.sources.magics import rows_of

    rows, more = rows_of(above), rows_of(below)
    return "".join([*rows, *more[len(rows) :]])


def _decode_notebook(raw: bytes, path: Path | None, display: str) -> Source:
    from looplint.sources.notebook_json import NotebookError
    from looplint.sources.notebooks import combine

    try:
        program = combine(raw)
    except NotebookError as error:
        raise SourceError(Problem(display, error.message, error.location)) from None
    if len(program.text) > MOST_BYTES:
        raise SourceError(Problem(display, f"is too large to be analysed ({len(program.text) // 1_000_000} MB)"))
    problems = tuple(
        Problem(display, f"syntax error: {b.message}; the cell is left out", b.location, b.number, unreadable=True) for b in program.broken
    )
    return Source(path, display, raw, program.text, language="ipynb", cells=program.cells, problems=problems)


def display_name(path: Path) -> str:
    """The path as people want to read it: relative to here where it is below here."""
    try:
        relative = os.path.relpath(path)
    except ValueError:
        return str(path)
    return relative if not relative.startswith("..") else str(path)


def shown_as(path: str) -> str:
    """What a path that the user named is called in findings."""
    return _stdin_name or STDIN if path == "-" else display_name(Path(path))
