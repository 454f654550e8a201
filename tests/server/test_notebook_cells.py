"""Notebooks in an editor: their cells are one program."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from language_client import actions_at, after, codes, diagnostics_of, hover_at, until

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]
CELLS = (
    "%matplotlib inline\nimport torch\nfrom torch import nn, optim",
    "net = nn.Linear(2, 1)\nopt = optim.SGD(net.parameters(), lr=0.1)",
    "for x, y in loader:\n    loss = nn.functional.mse_loss(net(x), y)\n    loss.backward()\n    opt.step()",
)


def open_notebook(client: LanguageClient, path: Path, cells: tuple[str, ...]) -> list[str]:
    uris = [f"vscode-notebook-cell:{path}#{number}" for number in range(len(cells))]
    notebook = types.NotebookDocument(
        path.as_uri(), "jupyter-notebook", 1, [types.NotebookCell(types.NotebookCellKind.Code, cell) for cell in uris]
    )
    items = [types.TextDocumentItem(uri, "python", 1, text) for uri, text in zip(uris, cells, strict=True)]
    client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
    return uris


async def test_cells_of_a_notebook_are_one_program(client: LanguageClient, tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    first, middle, last = open_notebook(client, path, CELLS)
    [found] = await diagnostics_of(client, last)
    assert (found.code, found.range.start.line) == ("LL102", 2)
    assert not client.diagnostics.get(first) and not client.diagnostics.get(middle)
    texts = dict(zip((first, middle, last), CELLS, strict=True))
    repair, _ = await actions_at(client, last, found.range, ["quickfix"])
    repaired = after(client, texts, repair)
    assert [uri for uri in texts if repaired[uri] != texts[uri]] == [last]
    shown = await hover_at(client, last, 2, 6)
    assert shown is not None and shown.range == found.range
    change = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, last), [types.TextDocumentContentChangeWholeDocument(repaired[last])]
    )
    changes = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[change]))
    named = types.VersionedNotebookDocumentIdentifier(2, path.as_uri())
    client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(named, changes))
    assert await codes(client, last) == []


async def test_a_cell_that_is_added_moves_the_others(client: LanguageClient, tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    *_, last = open_notebook(client, path, CELLS)
    new = f"vscode-notebook-cell:{path}#new"
    added = types.NotebookCellArrayChange(0, 0, [types.NotebookCell(types.NotebookCellKind.Code, new)])
    structure = types.NotebookDocumentCellChangeStructure(added, [types.TextDocumentItem(new, "python", 1, "import os\n\n\n")])
    changes = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(structure))
    named = types.VersionedNotebookDocumentIdentifier(2, path.as_uri())
    client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(named, changes))
    [found] = await diagnostics_of(client, last)
    assert (found.code, found.range.start.line) == ("LL102", 2)
    gone = [types.TextDocumentIdentifier(last)]
    client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(path.as_uri()), gone))
    await until(lambda: not client.diagnostics[last])
