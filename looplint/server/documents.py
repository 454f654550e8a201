"""The open documents with the editor's texts, and the sources made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from looplint.finding import Problem
from looplint.server.texts import Text, changed
from looplint.sources.languages import Language
from looplint.sources.reading import Source, SourceError, decode, display_name, from_text, read_source

_PYTHON: Language = "python"
_MARKDOWN: Language = "markdown"
_BY_NAME: dict[str, Language] = {".py": _PYTHON, ".md": _MARKDOWN, ".markdown": _MARKDOWN}


@dataclass(frozen=True, slots=True)
class Document:
    """One text of the editor: a file, or a cell of a notebook."""

    uri: str
    text: str
    version: int
    language: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The open documents at one moment.

    Sources, and problems of files that are none, are by file; `uris` gives the document of a file, or of a cell of a notebook by its number.
    """

    sources: tuple[Source, ...]
    problems: tuple[Problem, ...]
    uris: dict[tuple[str, int | None], str]
    documents: dict[str, Document]

    def uri(self, filename: str, cell: int | None = None) -> str | None:
        """The document in which a place of a finding is; None for cells of notebooks that are not open."""
        found = self.uris.get((filename, cell))
        return found if found or cell is not None else from_fs_path(str(Path(filename).absolute()))

    def text(self, filename: str, cell: int | None = None) -> str | None:
        """The text of a file or cell, in the editor or on the disk."""
        uri = self.uris.get((filename, cell))
        if uri is not None:
            return self.documents[uri].text
        try:
            return read_source(Path(filename)).text
        except SourceError:
            return None

    def version(self, uri: str) -> int | None:
        """The version of a document at that moment; None for one that is not open."""
        document = self.documents.get(uri)
        return document.version if document is not None else None


@dataclass(slots=True)
class Documents:
    """The open documents and notebooks."""

    encoding: str = "utf-16"
    _open: dict[str, Document] = field(default_factory=dict)
    _notebooks: dict[str, list[types.NotebookCell]] = field(default_factory=dict)

    def open(self, item: types.TextDocumentItem) -> None:
        self._open[item.uri] = Document(item.uri, item.text, item.version, item.language_id)

    def change(self, document: types.VersionedTextDocumentIdentifier, changes: Iterable[types.TextDocumentContentChangeEvent]) -> None:
        before = self._open.get(document.uri)
        if before is not None:
            self._open[document.uri] = replace(before, text=changed(before.text, changes, self.encoding), version=document.version)

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        self._notebooks[params.notebook_document.uri] = list(params.notebook_document.cells)
        for item in params.cell_text_documents:
            self.open(item)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Apply changes of the order, the kinds and the texts of cells."""
        cells = self._notebooks.get(params.notebook_document.uri)
        changes = params.change.cells
        if cells is None or changes is None:
            return
        if changes.structure is not None:
            array = changes.structure.array
            cells[array.start : array.start + array.delete_count] = array.cells or []
            for item in changes.structure.did_open or []:
                self.open(item)
            for gone in changes.structure.did_close or []:
                self.close(gone.uri)
        for new in changes.data or []:
            for number, cell in enumerate(cells):
                if cell.document == new.document:
                    cells[number] = new
        for text in changes.text_content or []:
            self.change(text.document, text.changes)

    def close_notebook(self, params: types.DidCloseNotebookDocumentParams) -> None:
        self._notebooks.pop(params.notebook_document.uri, None)
        for cell in params.cell_text_documents:
            self.close(cell.uri)

    def get(self, uri: str) -> Document | None:
        return self._open.get(uri)

    def uris(self) -> list[str]:
        return list(self._open)

    def files(self) -> frozenset[str]:
        """The open documents that are no cells of a notebook."""
        return frozenset(self._open) - self._cell_uris()

    def lines(self, uri: str) -> Text | None:
        """A document's text, ready to count its places."""
        document = self._open.get(uri)
        return Text(document.text, self.encoding) if document is not None else None

    def snapshot(self) -> Snapshot:
        """The open documents as sources."""
        sources: list[Source] = []
        problems: list[Problem] = []
        uris: dict[tuple[str, int | None], str] = {}
        for uri, cells in self._notebooks.items():
            path, display = _named(uri)
            uris.update({(display, number): cell.document for number, cell in enumerate(cells, 1)})
            raw = self._notebook(cells)
            try:
                sources.append(decode(raw, path, display, "ipynb"))
            except SourceError as error:
                problems.append(error.problem)
        in_cells = self._cell_uris()
        for document in self._open.values():
            if document.uri in in_cells:
                continue
            path, display = _named(document.uri)
            language = _language(document, path)
            if language is None:
                continue
            uris[display, None] = document.uri
            try:
                sources.append(from_text(document.text, path, display, language))
            except SourceError as error:
                problems.append(error.problem)
        return Snapshot(tuple(sources), tuple(problems), uris, dict(self._open))

    def _cell_uris(self) -> frozenset[str]:
        return frozenset(cell.document for cells in self._notebooks.values() for cell in cells)

    def _notebook(self, cells: Sequence[types.NotebookCell]) -> bytes:
        """The JSON text of a notebook with these cells."""
        written = [{"cell_type": kind, "metadata": {}, "source": text} for kind, text in self._cells(cells)]
        notebook = {"cells": written, "metadata": {"language_info": {"name": _PYTHON}}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(notebook).encode("ascii")

    def _cells(self, cells: Sequence[types.NotebookCell]) -> Iterator[tuple[str, str]]:
        for cell in cells:
            document = self._open.get(cell.document)
            code = cell.kind == types.NotebookCellKind.Code and document is not None and document.language == _PYTHON
            yield "code" if code else "raw", document.text if document is not None else ""


def _language(document: Document, path: Path | None) -> Language | None:
    """The language of a document, by the editor or else by the file's name; None where it is not linted as a text."""
    if not document.language:
        return _BY_NAME.get(path.suffix.lower()) if path is not None else None
    return _PYTHON if document.language == _PYTHON else _MARKDOWN if document.language == _MARKDOWN else None


def _named(uri: str) -> tuple[Path | None, str]:
    """The file of a document, and its display name; a document that was never saved has no file."""
    fs_path = to_fs_path(uri) if uri.startswith("file:") else None
    if fs_path is None or "\0" in fs_path:  # no file can be called so
        return None, uri
    path = Path(fs_path)
    return path.resolve(), display_name(path)
