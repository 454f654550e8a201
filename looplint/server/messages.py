"""Findings in terms of the protocol: diagnostics and hovers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from looplint.finding import Finding, Location
from looplint.linting.catalogue import folder
from looplint.linting.files import rules_of
from looplint.linting.unused import CODE as UNUSED
from looplint.report.records import url_of
from looplint.server.checking import Checked, PlacedFinding
from looplint.server.texts import Text

if TYPE_CHECKING:
    from looplint.linting.catalogue import Rule

SOURCE = "looplint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "advice": types.DiagnosticSeverity.Information,
}


class Places:
    """The places of findings, as the editor counts them."""

    def __init__(self, checked: Checked, encoding: str) -> None:
        self._snapshot = checked.snapshot
        self._encoding = encoding
        self._texts: dict[tuple[str, int | None], Text | None] = {}

    def location(self, filename: str, cell: int | None, start: Location, end: Location) -> types.Location | None:
        """A place with its document; None where the document or its text is not known."""
        uri = self._snapshot.uri(filename, cell)
        text = self.text(filename, cell)
        return types.Location(uri, text.range(start, end)) if uri is not None and text is not None else None

    def text(self, filename: str, cell: int | None) -> Text | None:
        key = (filename, cell)
        if key not in self._texts:
            found = self._snapshot.text(*key)
            self._texts[key] = Text(found, self._encoding) if found is not None else None
        return self._texts[key]

    def of(self, finding: Finding) -> types.Location | None:
        return self.location(finding.filename, finding.cell, finding.location, finding.end_location)


def diagnostics(checked: Checked, encoding: str) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of every document with findings, by document."""
    places = Places(checked, encoding)
    found: dict[str, list[types.Diagnostic]] = {}
    for finding in checked.findings:
        at = places.of(finding.placed)
        if at is not None:
            found.setdefault(at.uri, []).append(_diagnostic(finding.placed, at, places, _has_page(_rule(checked, finding.placed))))
    for problem in checked.problems:
        start = problem.location or Location(1, 1)
        at = places.location(problem.filename, problem.cell, start, Location(start.row, start.column + 1))
        if at is not None:
            found.setdefault(at.uri, []).append(types.Diagnostic(at.range, problem.message, types.DiagnosticSeverity.Error, source=SOURCE))
    return found


def to_diagnostic(checked: Checked, finding: Finding, at: types.Location, encoding: str) -> types.Diagnostic:
    """The diagnostic of one finding."""
    return _diagnostic(finding, at, Places(checked, encoding), _has_page(_rule(checked, finding)))


def _diagnostic(finding: Finding, at: types.Location, places: Places, has_page: bool) -> types.Diagnostic:
    """The diagnostic of a finding, with its related places and, where there is one, the address of its rule's page."""
    related = [
        types.DiagnosticRelatedInformation(place, note.message)
        for note in finding.related
        if (place := places.location(note.filename, note.cell, note.location, note.location)) is not None
    ]
    return types.Diagnostic(
        at.range,
        finding.message,
        _SEVERITIES[finding.severity],
        finding.code,
        types.CodeDescription(url_of(finding)) if has_page else None,
        SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == UNUSED else None,
        related_information=related or None,
    )


def at_position(checked: Checked, encoding: str, uri: str, wanted: types.Range) -> list[tuple[PlacedFinding, types.Location]]:
    """The findings of a document that touch a place in it, with their places."""
    places = Places(checked, encoding)
    located = [(found, place) for found in checked.findings if (place := places.of(found.placed)) is not None and place.uri == uri]
    return [
        (found, place)
        for found, place in located
        if _key(place.range.start) <= _key(wanted.end) and _key(wanted.start) <= _key(place.range.end)
    ]


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def hover(checked: Checked, found: Sequence[tuple[PlacedFinding, types.Location]]) -> types.Hover | None:
    """The hover at a place with findings: the message of each, and the page of its rule."""
    if not found:
        return None
    parts = [_hovered(s.placed, _rule(checked, s.placed)) for s, _ in found]
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)), found[0][1].range)


def _hovered(finding: Finding, rule: Rule | None) -> str:
    parts = [f"**{finding.code} {finding.name}**: {_escaped(finding.message)}"]
    if finding.unrepaired:
        parts += [f"Not repaired: {_escaped(finding.unrepaired)}."]
    if rule is not None:
        # Headings of the page fit into a small window.
        parts += ["\n".join(f"#{line}" if line.startswith("## ") else line for line in rule.doc.splitlines())]
    if _has_page(rule):
        parts += [f"[The page of {finding.code}]({url_of(finding)})"]
    return "\n\n".join(parts)


def _rule(checked: Checked, finding: Finding) -> Rule | None:
    """The rule of a finding: a built-in one, or one of a folder that the settings of the file name."""
    program = next((p for p in checked.programs if p.display == finding.filename), None)
    rules = rules_of(checked.selections.of_source(program)) if program is not None else ()
    return next((rule for rule in rules if rule.code == finding.code), None)


def _has_page(rule: Rule | None) -> bool:
    return rule is not None and rule.path.parent == folder()


def _escaped(text: str) -> str:
    """A message without special characters of Markdown."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>" else char for char in text)
