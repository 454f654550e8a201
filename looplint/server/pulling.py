"""Diagnostics for editors that ask for them: what each was told last, so that it is told to ask again only where that has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256

from lsprotocol import types


class Pulls:
    """What an editor has been told of each document, once `wanted` says that it asks."""

    def __init__(self) -> None:
        self.wanted = False
        self._told: dict[str, str] = {}
        self._answering: set[str] = set()

    @contextmanager
    def answering(self, uri: str) -> Iterator[None]:
        """While an answer is worked out, its document needs no other question."""
        self._answering.add(uri)
        try:
            yield
        finally:
            self._answering.discard(uri)

    def answer(self, uri: str, found: Sequence[types.Diagnostic], known: str | None) -> types.DocumentDiagnosticReport:
        """The answer to an editor that was told last what goes by the name `known`."""
        self._told[uri] = name = _name(found)
        if name == known:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(list(found), result_id=name)

    def outdated(self, documents: frozenset[str], found: Mapping[str, Sequence[types.Diagnostic]]) -> bool:
        """Whether the editor has to ask again for one of these documents, and is not just doing so.

        A document that it has not asked for yet is none of them: it does so when it shows it.
        """
        self._told = {uri: told for uri, told in self._told.items() if uri in documents}
        return any(self._told[uri] != _name(found.get(uri, [])) for uri in self._told.keys() - self._answering)


def _name(found: Sequence[types.Diagnostic]) -> str:
    return sha256(repr(found).encode("utf-8", "surrogatepass")).hexdigest()
