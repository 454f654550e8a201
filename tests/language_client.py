"""An editor for the tests of the language server: a client that is not ours, and checks what it gets against the protocol."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakKeyDictionary

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from looplint.server.texts import changed

LOOP = """\
import torch
from torch import nn, optim


def train(net: nn.Module, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
"""
CLEARED = LOOP.replace("        loss = ", "        opt.zero_grad()\n        loss = ")
# In which units each client and its server count columns.
UNITS: WeakKeyDictionary[LanguageClient, str] = WeakKeyDictionary()
# Of a user who trusts no folder yet.
SETTINGS = TemporaryDirectory()
COMMAND = ClientServerConfig(
    server_command=[sys.executable, "-m", "looplint", "server"], server_env={**os.environ, "XDG_CONFIG_HOME": SETTINGS.name}
)


async def session(client: LanguageClient, editor: str, folder: Path) -> list[str]:
    """Begin a session as an editor does; the list fills with the registrations of the server."""
    watched: list[str] = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(_: LanguageClient, params: types.RegistrationParams) -> None:
        watched.extend(registration.method for registration in params.registrations)

    answer = await client.initialize_session(types.InitializeParams(capabilities=client_capabilities(editor), root_uri=folder.as_uri()))
    assert answer.capabilities.diagnostic_provider is None, "it does not support refreshes"
    UNITS[client] = str(answer.capabilities.position_encoding)
    return watched


def show(client: LanguageClient, path: Path, text: str, version: int = 1) -> str:
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(path.as_uri(), "python", version, text)))
    return path.as_uri()


def replace_all(client: LanguageClient, uri: str, text: str, version: int) -> None:
    change = types.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, uri), [change]))


async def hover_at(client: LanguageClient, uri: str, line: int, character: int) -> types.Hover | None:
    return await client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character)))


async def diagnostics_of(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of the document as it is now: they arrive before the answer to a later request."""
    await hover_at(client, uri, 0, 0)
    return list(client.diagnostics.get(uri, []))


async def codes(client: LanguageClient, uri: str) -> list[object]:
    return [d.code for d in await diagnostics_of(client, uri)]


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came true")


async def actions_at(client: LanguageClient, uri: str, place: types.Range, only: list[str] | None = None) -> list[types.CodeAction]:
    context = types.CodeActionContext(client.diagnostics.get(uri, []), only)
    offered = await client.text_document_code_action_async(types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context))
    assert all(isinstance(action, types.CodeAction) for action in offered or [])
    return [action for action in offered or [] if isinstance(action, types.CodeAction)]


def after(client: LanguageClient, texts: dict[str, str], action: types.CodeAction) -> dict[str, str]:
    """The texts as the editor has them when it has made an action's edits."""
    assert action.edit is not None
    made: dict[str, list[types.TextEdit]] = {uri: list(edits) for uri, edits in (action.edit.changes or {}).items()}
    for change in action.edit.document_changes or []:
        assert isinstance(change, types.TextDocumentEdit)
        made[change.text_document.uri] = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
    changed_texts = dict(texts)
    for uri, edits in made.items():
        # From the end on, so that no edit moves the place of one that is still to be made.
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            changed_texts[uri] = changed(
                changed_texts[uri], [types.TextDocumentContentChangePartial(edit.range, edit.new_text)], UNITS[client]
            )
    return changed_texts
