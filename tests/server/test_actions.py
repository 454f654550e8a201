"""What an editor is offered for findings: repairs of one and of all, and comments that silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from language_client import LOOP, actions_at, after, codes, diagnostics_of, replace_all, show
from places import ROOT

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]


async def test_a_quick_fix_repairs_what_it_stands_for(every_client: LanguageClient, tmp_path: Path) -> None:
    text = LOOP.replace("import torch\n", "import torch\n\nNAME = 'é😀'\n")
    uri = show(every_client, tmp_path / "train.py", text)
    [found] = await diagnostics_of(every_client, uri)
    repair, silence = await actions_at(every_client, uri, found.range, ["quickfix"])
    assert repair.title.startswith("LL102: ") and repair.is_preferred and repair.kind == types.CodeActionKind.QuickFix
    assert list(repair.diagnostics or []) == [found]
    repaired = after(every_client, {uri: text}, repair)[uri]
    assert repaired.count("opt.zero_grad()") == 1 and "'é😀'" in repaired
    replace_all(every_client, uri, repaired, 2)
    assert await codes(every_client, uri) == []
    silenced = after(every_client, {uri: text}, silence)[uri]
    assert "loss.backward()  # looplint: ignore[LL102]\n" in silenced
    replace_all(every_client, uri, silenced, 3)
    assert await codes(every_client, uri) == []
    assert await actions_at(every_client, uri, found.range) == []


async def test_a_document_without_a_file_is_linted_and_repaired(client: LanguageClient) -> None:
    uri = "untitled:Untitled-1"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, LOOP)))
    [found] = await diagnostics_of(client, uri)
    repair, silence = await actions_at(client, uri, found.range, ["quickfix"])
    replace_all(client, uri, after(client, {uri: LOOP}, repair)[uri], 2)
    assert await codes(client, uri) == []
    replace_all(client, uri, after(client, {uri: LOOP}, silence)[uri], 3)
    assert await codes(client, uri) == []


async def test_blocks_of_a_document_are_reported_and_left_alone(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "README.md").as_uri()
    text = f"# Training\n\n```python\n{LOOP}```\n"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, text)))
    [found] = await diagnostics_of(client, uri)
    assert found.code == "LL102" and text.splitlines()[found.range.start.line].strip() == "loss.backward()"
    assert await actions_at(client, uri, found.range) == []


async def test_all_safe_repairs_of_a_document_at_once(client: LanguageClient) -> None:
    path = ROOT / "examples" / "train.py"
    uri, text = show(client, path, path.read_text()), path.read_text()
    await diagnostics_of(client, uri)
    everything = types.Range(types.Position(0, 0), types.Position(len(text.splitlines()), 0))
    [action] = await actions_at(client, uri, everything, ["source.fixAll"])
    assert action.kind == "source.fixAll.looplint"
    replace_all(client, uri, after(client, {uri: text}, action)[uri], 2)
    assert await codes(client, uri) == []
    assert await actions_at(client, uri, everything, ["source.fixAll"]) == []
    assert await actions_at(client, uri, everything, ["source.organizeImports"]) == []


async def test_all_repairs_are_offered_also_where_no_kind_is_asked_for(client: LanguageClient) -> None:
    path = ROOT / "examples" / "train.py"
    uri, text = show(client, path, path.read_text()), path.read_text()
    await diagnostics_of(client, uri)
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    [offered] = await actions_at(client, uri, start)
    assert offered.kind == "source.fixAll.looplint" and offered.edit is None, "it is worked out when it is chosen"
    chosen = await client.code_action_resolve_async(offered)
    replace_all(client, uri, after(client, {uri: text}, chosen)[uri], 2)
    assert await codes(client, uri) == []
    assert await actions_at(client, uri, start) == []
    assert (await client.code_action_resolve_async(offered)).edit is None, "nothing is left to be repaired"
