"""Pull diagnostics: what was reported last for each document, so that a refresh is requested only where that has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256

from lsprotocol import types


class Pulls:
    """The last report of each document, for an editor that pulls diagnostics (`enabled`)."""

    def __init__(self) -> None:
        self.enabled = False
        self._reported: dict[str, str] = {}
        self._answering: set[str] = set()

    @contextmanager
    def answering(self, uri: str) -> Iterator[None]:
        """While a report is being computed, its document needs no refresh."""
        self._answering.add(uri)
        try:
            yield
        finally:
            self._answering.discard(uri)

    def answer(self, uri: str, found: Sequence[types.Diagnostic], known: str | None) -> types.DocumentDiagnosticReport:
        """The report on a document; `known` names the last one that the editor has."""
        self._reported[uri] = name = _name(found)
        if name == known:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(list(found), result_id=name)

    def outdated(self, documents: frozenset[str], found: Mapping[str, Sequence[types.Diagnostic]]) -> bool:
        """Whether the last report on one of these documents is outdated, and no new one is being computed.

        A document without a report does not count: the editor pulls it when it shows it.
        """
        self._reported = {uri: name for uri, name in self._reported.items() if uri in documents}
        return any(self._reported[uri] != _name(found.get(uri, [])) for uri in self._reported.keys() - self._answering)


def _name(found: Sequence[types.Diagnostic]) -> str:
    return sha256(repr(found).encode("utf-8", "surrogatepass")).hexdigest()
