"""Code actions for findings: repairs, each verified before it is offered, and comments that silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from looplint.finding import Finding
from looplint.linting.fixing import Session
from looplint.linting.noqa import NotSilenced, add_noqa
from looplint.linting.results import FileResult
from looplint.linting.unused import CODE as UNUSED
from looplint.server.checking import Checked
from looplint.server.messages import at_position, to_diagnostic
from looplint.server.texts import line_edits
from looplint.sources.notebooks import cell_texts
from looplint.sources.reading import Source, SourceError, with_text

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.looplint"
# The kinds of code actions that this server announces.
KINDS = (types.CodeActionKind.QuickFix.value, FIX_ALL, f"notebook.{FIX_ALL}")

Edits = dict[str, list[types.TextEdit]]
_ALL = "looplint: Apply all safe repairs"


class Abilities(NamedTuple):
    """What an editor supports: edits for a certain version of a document, and actions whose edits it requests when they are chosen."""

    versioned: bool
    resolves: bool


class Actions:
    """The actions for the findings in one state of the open documents. Computed repairs are kept."""

    def __init__(self, checked: Checked, encoding: str, abilities: Abilities) -> None:
        """Prepare to offer actions.

        Args:
            checked: the open documents with their findings.
            encoding: the unit in which columns are counted.
            abilities: what the editor supports.
        """
        self._checked = checked
        self._encoding = encoding
        self._abilities = abilities
        self._repairs: dict[Finding, Edits | None] = {}

    def offer(self, uri: str, place: types.Range, only: Sequence[str] | None, automatic: bool = False) -> list[types.CodeAction]:
        """The actions for a place of a document.

        Args:
            uri: the document.
            place: the selection in it.
            only: the kinds of actions that are requested; without it those for the place, and one for the whole document.
            automatic: whether the editor sent the request by itself, as it does with every movement of the cursor.
        """
        found = []
        if _is_requested(KINDS[0], only):
            found += list(self._for_place(uri, place))
        # All repairs together cost more than one: they are computed where they are requested by name, or when they are chosen.
        for kind in KINDS[1:]:
            if only is not None and _is_requested(kind, only):
                found += list(self._for_document(uri, kind))
        if only is None and self._repairable(uri):
            if self._abilities.resolves:
                found.append(types.CodeAction(_ALL, FIX_ALL, data={"uri": uri}))
            elif not automatic:
                found += list(self._for_document(uri, FIX_ALL))
        return found

    def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """Adds the edits to an action that was offered without them."""
        uri = action.data.get("uri") if isinstance(action.data, dict) else None
        made = next(self._for_document(uri, FIX_ALL), None) if isinstance(uri, str) else None
        if made is not None:
            action.edit = made.edit
        return action

    def _repairable(self, uri: str) -> bool:
        """Whether a finding in a document has a safe repair."""
        name = self._name(uri)
        return any(
            found.raw.filename == name and found.raw.fix is not None and found.raw.fix.applicability == "safe"
            for found in self._checked.findings
        )

    def _name(self, uri: str) -> str | None:
        return next((display for (display, _), known in self._checked.snapshot.uris.items() if known == uri), None)

    def _for_place(self, uri: str, place: types.Range) -> Iterator[types.CodeAction]:
        silencing = []
        for found, at in at_position(self._checked, self._encoding, uri, place):
            shown = to_diagnostic(self._checked, found.placed, at, self._encoding)
            fix = found.raw.fix
            if fix is not None and fix.applicability != "display-only":
                edits = self._repair(found.raw)
                if edits:
                    safe = fix.applicability == "safe"
                    title = fix.message if safe else f"{fix.message} (unsafe: review it)"
                    yield self._action(f"{found.raw.code}: {title}", KINDS[0], edits, [shown], preferred=safe)
            edits = self._silence(found.raw) if found.raw.code != UNUSED else None
            if edits:
                silencing.append(self._action(f"{found.raw.code}: Silence it on this line", KINDS[0], edits, [shown]))
        yield from silencing

    def _for_document(self, uri: str, kind: str) -> Iterator[types.CodeAction]:
        name = self._name(uri)
        if name is None:
            return
        session = self._session()
        session.work(lambda finding: finding.filename == name and self._checked.selections.reports(finding))
        edits = self._edits(session.changed())
        if edits:
            yield self._action(_ALL, kind, edits)

    def _repair(self, finding: Finding) -> Edits | None:
        """The edits of a repair that was verified; None where it failed."""
        if finding not in self._repairs:
            session = self._session([Path(e.filename) for e in finding.fix.edits] if finding.fix else [])
            self._repairs[finding] = self._edits(session.changed()) if session.make(finding) is None else None
        return self._repairs[finding]

    def _silence(self, finding: Finding) -> Edits | None:
        source = next((s for s in self._sources() if s.display == finding.filename), None)
        if source is None or source.language == "markdown":
            return None
        try:
            return self._edits([(source, with_text(source, add_noqa(source.text, [finding])))])
        except (NotSilenced, ValueError, SourceError):
            return None

    def _session(self, given: Sequence[Path] = ()) -> Session:
        sources = self._sources()
        nothing = FileResult((), (), frozenset())
        results = [*self._checked.results, *(nothing for _ in sources[len(self._checked.results) :])]
        return Session(sources, results, self._checked.selections, False, given)

    def _sources(self) -> list[Source]:
        """The analysed sources, and after them other open ones: a repair may edit those too."""
        programs = self._checked.programs
        names = {p.display for p in programs}
        return [*programs, *(s for s in self._checked.snapshot.sources if s.display not in names and s.language != "markdown")]

    def _edits(self, pairs: Iterator[tuple[Source, Source]] | list[tuple[Source, Source]]) -> Edits:
        found: Edits = {}
        for old, new in pairs:
            for cell, before, after in _texts(old, new):
                uri = self._checked.snapshot.uri(old.display, cell)
                if uri is not None and before != after:
                    found[uri] = line_edits(before, after, self._encoding)
        return found

    def _action(
        self, title: str, kind: str, edits: Edits, diagnostics: list[types.Diagnostic] | None = None, preferred: bool = False
    ) -> types.CodeAction:
        return types.CodeAction(title, kind, diagnostics=diagnostics, is_preferred=preferred or None, edit=self._workspace_edit(edits))

    def _workspace_edit(self, edits: Edits) -> types.WorkspaceEdit:
        if not self._abilities.versioned:
            return types.WorkspaceEdit(changes=edits)
        version = self._checked.snapshot.version
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version(uri)), list(made))
                for uri, made in edits.items()
            ]
        )


def _texts(old: Source, new: Source) -> Iterator[tuple[int | None, str, str]]:
    """A file's text before and after; of a notebook each cell's, by its number."""
    if not old.is_notebook:
        yield None, old.text, new.text
        return
    for number, (before, after) in enumerate(zip(cell_texts(old.raw), cell_texts(new.raw), strict=True), 1):
        yield number, before, after


def _is_requested(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a kind is among the requested ones: the names of kinds go from the general to the particular."""
    return only is None or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)
