"""The language server: its state, and the handlers of the protocol's requests and notifications."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from looplint import __version__
from looplint.errors import UserError
from looplint.server.actions import KINDS, Abilities, Actions
from looplint.server.checking import Checked, Checker
from looplint.server.client_settings import read_client_settings
from looplint.server.documents import Documents
from looplint.server.messages import at_position, diagnostics, hover
from looplint.server.pulling import Pulls
from looplint.settings.trust import trust

T = TypeVar("T")

# Seconds without typing before a changed document is analysed.
_PAUSE = 0.25
_CELLS = types.NotebookDocumentFilterWithNotebook(
    notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook"), cells=[types.NotebookCellLanguage("python")]
)
_WATCHED = ("**/pyproject.toml", "**/looplint.toml", "**/.looplint.toml", "**/*.py")
_TRUST, _NOT_NOW = "Trust and run them", "Not now"
_log = logging.getLogger(__name__)


class Server(LanguageServer):
    """A language server and the state of its editor."""

    def __init__(self) -> None:
        super().__init__("looplint", __version__, notebook_document_sync=types.NotebookDocumentSyncOptions([_CELLS]))
        self.documents = Documents()
        self.checker = Checker()
        self.checked: Checked | None = None
        # One thread analyses: the analysis is not thread-safe.
        self._judging = ThreadPoolExecutor(1, "looplint")
        self._serial = 0
        self._pending: asyncio.Task[None] | None = None
        self._stale = False
        self._shown: dict[str, types.PublishDiagnosticsParams] = {}
        self._complaint = ""
        self._pulls = Pulls()
        self._actions: tuple[Checked, Actions] | None = None
        # The folders of project rules for which the user was asked for trust, and the open questions.
        self._asked_for: set[str] = set()
        self._questions: set[asyncio.Task[None]] = set()

    @property
    def encoding(self) -> str:
        return str(self.workspace.position_encoding)

    def configure(self, sent: object) -> None:
        """Apply the settings of the editor; if they are wrong, an error is shown and none of them is used."""
        try:
            settings = read_client_settings(sent)
        except UserError as error:
            self._complain(str(error))
            settings = read_client_settings(None)
        self.checker = Checker(settings.overrides, settings.configuration, settings.allow_rules)

    def enable_pull(self) -> bool:
        """Whether the editor pulls diagnostics. It must support refreshes too, because a change in one file can bring findings in another."""
        capabilities = self.client_capabilities
        documents, workspace = capabilities.text_document, capabilities.workspace
        can_pull = documents is not None and documents.diagnostic is not None
        refresh = workspace.diagnostics if workspace is not None else None
        self._pulls.enabled = can_pull and refresh is not None and bool(refresh.refresh_support)
        return self._pulls.enabled

    def watch(self) -> None:
        """Register for changes of files on which findings depend."""
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is None or not watching.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(pattern) for pattern in _WATCHED])
        registration = types.Registration("looplint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([registration]))

    def changed(self, pause: float = 0.0) -> None:
        """Analyse again after a pause, because something has changed on which findings depend; the next change restarts the pause."""
        self._serial += 1
        self._stale = True
        if self._pending is not None:
            self._pending.cancel()
        self._pending = asyncio.get_running_loop().create_task(self._after(pause))

    async def _after(self, pause: float) -> None:
        await asyncio.sleep(pause)
        try:
            await self._analyse()
        except Exception as error:  # noqa: BLE001 - reported, never hidden
            self._complain(f"internal error ({type(error).__name__}: {error}); please report it")
            _log.exception("the analysis failed")

    async def fresh(self) -> Checked | None:
        """The findings in the documents as they are now; None where the configuration is wrong."""
        while self._stale:
            await self._analyse()
        return self.checked

    async def _analyse(self) -> None:
        serial = self._serial
        snapshot = self.documents.snapshot()
        try:
            checked = await self.in_thread(self.checker.check, snapshot, lambda: self._serial != serial)
        except UserError as error:
            self._complain(str(error))
            if self._serial == serial:
                self.checked, self._stale = None, False
                self._publish({})
            return
        if checked is None or self._serial != serial:
            return
        self._complain("")
        self.checked, self._stale = checked, False
        self._publish(diagnostics(checked, self.encoding))
        self._ask_for_trust(checked.selections.refused_folders)

    def _ask_for_trust(self, folders: tuple[str, ...]) -> None:
        """Ask the user once whether project rules, which are code, may be executed; they are not run until then."""
        new = tuple(folder for folder in folders if folder not in self._asked_for)
        if not new:
            return
        self._asked_for.update(new)
        question = (
            f"looplint: the configuration names rules of its own, Python code that is executed when files are linted: {', '.join(new)}"
        )
        actions = [types.MessageActionItem(_TRUST), types.MessageActionItem(_NOT_NOW)]
        request = types.ShowMessageRequestParams(types.MessageType.Warning, question, actions)
        self._questions.add(task := asyncio.get_running_loop().create_task(self._trust_after_answer(new, request)))
        task.add_done_callback(self._questions.discard)

    async def _trust_after_answer(self, folders: tuple[str, ...], request: types.ShowMessageRequestParams) -> None:
        try:
            answer = await self.window_show_message_request_async(request)
            if answer is None or answer.title != _TRUST:
                return
            for folder in folders:
                trust(Path(folder))
        except JsonRpcException:  # for editors that cannot show questions there is a setting
            return
        except UserError as error:
            self._complain(str(error))
        self.changed()

    async def actions(self) -> Actions | None:
        """The code actions for the current findings; None where the configuration is wrong."""
        checked = await self.fresh()
        if checked is None:
            return None
        if self._actions is None or self._actions[0] is not checked:
            self._actions = checked, Actions(checked, self.encoding, self._abilities())
        return self._actions[1]

    def _abilities(self) -> Abilities:
        workspace, documents = self.client_capabilities.workspace, self.client_capabilities.text_document
        edits = workspace.workspace_edit if workspace is not None else None
        actions = documents.code_action if documents is not None else None
        resolves = actions is not None and actions.resolve_support is not None and "edit" in actions.resolve_support.properties
        return Abilities(bool(edits and edits.document_changes), resolves and bool(actions and actions.data_support))

    async def in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        """Call a function in the thread of the analysis."""
        return await asyncio.get_running_loop().run_in_executor(self._judging, function, *arguments)

    async def pulled(self, uri: str, known: str | None) -> types.DocumentDiagnosticReport:
        """The diagnostics of a document for an editor that pulls them; `known` names those that it has."""
        with self._pulls.answering(uri):
            checked = await self.fresh()
        # Diagnostics of cells are pushed: a change in one cell affects the whole program.
        found = diagnostics(checked, self.encoding) if checked is not None and uri in self.documents.files() else {}
        return self._pulls.answer(uri, found.get(uri, []), known)

    def _publish(self, found: dict[str, list[types.Diagnostic]]) -> None:
        """Push the diagnostics that have changed, empty ones of open documents too. Where the editor pulls, request a refresh."""
        pulled = self.documents.files() if self._pulls.enabled else frozenset()
        if self._pulls.outdated(pulled, found):
            self.workspace_diagnostic_refresh(None)
        shown: dict[str, types.PublishDiagnosticsParams] = {}
        for uri in sorted({*self._shown, *found, *self.documents.uris()} - pulled):
            document = self.documents.get(uri)
            params = types.PublishDiagnosticsParams(uri, found.get(uri, []), document.version if document is not None else None)
            if params != self._shown.get(uri):
                self.text_document_publish_diagnostics(params)
            if document is not None or params.diagnostics:
                shown[uri] = params
        self._shown = shown

    def _complain(self, message: str) -> None:
        """Show a user's mistake, once."""
        if message and message != self._complaint:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"looplint: {message}"))
        self._complaint = message


def create() -> Server:
    """A language server that is ready to be started."""
    server = Server()
    _follow_editor(server)
    _follow_documents(server)
    _follow_notebooks(server)
    _answer(server)
    return server


def _follow_editor(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        ls.configure(params.initialization_options)
        if ls.enable_pull():
            ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, False, "looplint"))(pulled)

    async def pulled(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return await ls.pulled(params.text_document.uri, params.previous_result_id)

    @server.feature(types.INITIALIZED)
    def initialized(ls: Server, _: types.InitializedParams) -> None:
        ls.documents.encoding = ls.encoding
        ls.watch()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
        # Editors also send this without settings; those sent at the start then remain.
        if params.settings:
            ls.configure(params.settings)
            ls.changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def touched(ls: Server, _: types.DidChangeWatchedFilesParams) -> None:
        ls.changed(_PAUSE)


def _follow_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.documents.open(params.text_document)
        ls.changed()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def typed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        ls.documents.change(params.text_document, params.content_changes)
        ls.changed(_PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, _: types.DidSaveTextDocumentParams) -> None:
        ls.changed()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.documents.close(params.text_document.uri)
        ls.changed()


def _follow_notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
        ls.documents.open_notebook(params)
        ls.changed()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def typed(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
        ls.documents.change_notebook(params)
        ls.changed(_PAUSE)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(ls: Server, _: types.DidSaveNotebookDocumentParams) -> None:
        ls.changed()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        ls.documents.close_notebook(params)
        ls.changed()


def _answer(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(ls: Server, params: types.HoverParams) -> types.Hover | None:
        checked = await ls.fresh()
        if checked is None:
            return None
        place = types.Range(params.position, params.position)
        return hover(checked, at_position(checked, ls.encoding, params.text_document.uri, place))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(list(KINDS), resolve_provider=True))
    async def offered(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
        actions = await ls.actions()
        if actions is None:
            return []
        automatic = params.context.trigger_kind is types.CodeActionTriggerKind.Automatic
        return await ls.in_thread(actions.offer, params.text_document.uri, params.range, params.context.only, automatic)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def chosen(ls: Server, action: types.CodeAction) -> types.CodeAction:
        actions = await ls.actions()
        return action if actions is None else await ls.in_thread(actions.resolve, action)
