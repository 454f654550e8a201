"""The language server, driven over standard input and output by a client that is not ours and checks what it gets against the protocol."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_lsp
from click.testing import CliRunner
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from looplint.linting import lint_paths

pytestmark = pytest.mark.asyncio
ROOT = Path(__file__).parent.parent
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
MAIN = """\
from torch import nn
from torch.utils.data import DataLoader

from data import Pairs
from engine import train

train(nn.Linear(2, 1), DataLoader(Pairs()))
"""
CLEARED = LOOP.replace("        loss = ", "        opt.zero_grad()\n        loss = ")


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[sys.executable, "-m", "looplint", "server"]),
    params=["visual-studio-code", "neovim@v0.11.0"],
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[None]:
    capabilities = client_capabilities(request.param)
    answer = await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, root_uri=tmp_path.as_uri()))
    lsp_client.position_encoding = str(answer.capabilities.position_encoding)
    yield
    await lsp_client.shutdown_session()


def show(client: LanguageClient, path: Path, text: str, version: int = 1) -> str:
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(path.as_uri(), "python", version, text)))
    return path.as_uri()


def replace_all(client: LanguageClient, uri: str, text: str, version: int) -> None:
    change = types.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, uri), [change]))


async def hover_at(client: LanguageClient, uri: str, line: int, character: int) -> types.Hover | None:
    return await client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character)))


async def said(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of the document as it is now: they come before the answer to what is asked later."""
    await hover_at(client, uri, 0, 0)
    return list(client.diagnostics.get(uri, []))


async def codes(client: LanguageClient, uri: str) -> list[object]:
    return [d.code for d in await said(client, uri)]


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came true")


async def test_a_file_gets_the_findings_of_the_command_line(client: LanguageClient) -> None:
    path = ROOT / "examples" / "train.py"
    found = await said(client, show(client, path, path.read_text()))
    expected = lint_paths([str(path)]).findings
    assert [(d.code, d.message, d.range.start.line + 1, d.range.start.character + 1) for d in found] == [
        (f.code, f.message, f.location.row, f.location.column) for f in expected
    ]
    assert len(found) == 5
    for diagnostic, finding in zip(found, expected, strict=True):
        assert (diagnostic.range.end.line + 1, diagnostic.range.end.character + 1) == (finding.end_location.row, finding.end_location.column)
        notes = diagnostic.related_information or []
        assert [(n.message, n.location.uri, n.location.range.start.line + 1) for n in notes] == [
            (r.message, path.as_uri(), r.location.row) for r in finding.related
        ]
        assert diagnostic.code_description is not None
        assert diagnostic.code_description.href.endswith(f"/rules/{finding.name}/")
        assert diagnostic.severity == types.DiagnosticSeverity.Error


async def test_findings_follow_what_is_typed_and_never_saved(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "never_saved.py", CLEARED)
    assert await codes(client, uri) == []
    replace_all(client, uri, LOOP, 2)
    await until(lambda: [d.code for d in client.diagnostics[uri]] == ["LL102"])
    line = next(n for n, row in enumerate(LOOP.splitlines()) if "loss = " in row)
    place = types.Range(types.Position(line, 0), types.Position(line, 0))
    change = types.TextDocumentContentChangePartial(place, "        opt.zero_grad()\n")
    client.text_document_did_change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(3, uri), [change]))
    await until(lambda: not client.diagnostics[uri])


async def test_a_text_in_the_middle_of_typing_says_where_it_breaks_off(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "train.py", LOOP + "        print(\n")
    [broken] = await said(client, uri)
    assert "syntax error" in broken.message
    assert broken.range.start.line >= len(LOOP.splitlines())
    replace_all(client, uri, LOOP, 2)
    assert await codes(client, uri) == ["LL102"]


async def test_columns_count_what_the_client_counts(client: LanguageClient, tmp_path: Path) -> None:
    text = LOOP.replace("        loss.backward()", "        print('😀'); loss.backward()")
    [found] = await said(client, show(client, tmp_path / "train.py", text))
    before = text.splitlines()[found.range.start.line].split("loss.backward")[0]
    units = {"utf-16": len(before.encode("utf-16-le")) // 2, "utf-8": len(before.encode())}
    assert found.range.start.character == units[client.position_encoding]
    change = types.TextDocumentContentChangePartial(types.Range(found.range.start, found.range.start), "opt.zero_grad(); ")
    client.text_document_did_change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, (tmp_path / "train.py").as_uri()), [change]))
    assert await codes(client, (tmp_path / "train.py").as_uri()) == []


async def test_unsaved_files_count_where_others_import_them(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(CLEARED)
    uri = show(client, tmp_path / "main.py", MAIN)
    assert await codes(client, uri) == []
    engine = show(client, tmp_path / "engine.py", LOOP)
    assert await codes(client, engine) == ["LL102"]
    replace_all(client, engine, CLEARED, 2)
    assert await codes(client, engine) == []


async def test_a_finding_in_a_file_that_is_not_open_is_shown_there_until_its_cause_is_closed(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(LOOP)
    uri, engine = show(client, tmp_path / "main.py", MAIN), (tmp_path / "engine.py").as_uri()
    await said(client, uri)
    assert [d.code for d in client.diagnostics[engine]] == ["LL102"]
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await until(lambda: not client.diagnostics[engine])


async def test_hover_shows_the_page_of_the_rule(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "train.py", LOOP)
    [found] = await said(client, uri)
    shown = await hover_at(client, uri, found.range.start.line, found.range.start.character + 2)
    assert shown is not None and shown.range == found.range
    assert isinstance(shown.contents, types.MarkupContent) and shown.contents.kind == types.MarkupKind.Markdown
    assert "**LL102 missing-zero-grad**" in shown.contents.value
    assert "### Why it matters" in shown.contents.value
    assert await hover_at(client, uri, 0, 0) is None


async def test_comments_and_configuration_are_respected(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "train.py", LOOP.replace("loss.backward()", "loss.backward()  # noqa: LL102"))
    assert await codes(client, uri) == []
    replace_all(client, uri, LOOP, 2)
    (tmp_path / "looplint.toml").write_text('ignore = ["LL102"]\n')
    assert await codes(client, uri) == []
    (tmp_path / "looplint.toml").write_text('ignoer = ["LL102"]\n')
    replace_all(client, uri, LOOP + "\n", 3)
    assert await codes(client, uri) == []
    assert [m.type for m in client.messages] == [types.MessageType.Error]
    assert "looplint.toml:1" in client.messages[0].message and "ignore" in client.messages[0].message
    (tmp_path / "looplint.toml").write_text('exclude = ["train.py"]\n')
    replace_all(client, uri, LOOP, 4)
    assert await codes(client, uri) == []
    (tmp_path / "looplint.toml").unlink()
    replace_all(client, uri, LOOP + "\n", 5)
    assert await codes(client, uri) == ["LL102"]


async def test_without_pygls_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from looplint.errors import UserError
    from looplint.server import commands

    monkeypatch.setattr(commands, "find_spec", lambda name: None)
    result = CliRunner().invoke(commands.server_command)
    assert isinstance(result.exception, UserError)
    assert "looplint[server]" in str(result.exception)
