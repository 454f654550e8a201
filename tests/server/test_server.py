"""The language server, driven over standard input and output by a client that is not ours and checks what it gets against the protocol."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakKeyDictionary

import pytest
import pytest_lsp
from click.testing import CliRunner
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from looplint.linting.files import lint_paths
from looplint.server.texts import changed
from places import ROOT
from programs import RULE

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]
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


# In which units each client and its server count columns.
UNITS: WeakKeyDictionary[LanguageClient, str] = WeakKeyDictionary()
# Of a user who trusts no folder yet.
SETTINGS = TemporaryDirectory()
COMMAND = ClientServerConfig(
    server_command=[sys.executable, "-m", "looplint", "server"], server_env={**os.environ, "XDG_CONFIG_HOME": SETTINGS.name}
)


async def session(client: LanguageClient, editor: str, folder: Path) -> list[str]:
    """Begin a session as an editor does; the list fills with what the server asks to be told about."""
    watched: list[str] = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(_: LanguageClient, params: types.RegistrationParams) -> None:
        watched.extend(registration.method for registration in params.registrations)

    answer = await client.initialize_session(types.InitializeParams(capabilities=client_capabilities(editor), root_uri=folder.as_uri()))
    assert answer.capabilities.diagnostic_provider is None, "it could not be told to ask again"
    UNITS[client] = str(answer.capabilities.position_encoding)
    return watched


@pytest_lsp.fixture(config=COMMAND)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await session(lsp_client, "visual-studio-code", tmp_path)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=COMMAND)
async def asking(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """An editor that asks for diagnostics."""
    capabilities = client_capabilities("neovim@v0.11.0")
    assert capabilities.workspace is not None and capabilities.text_document is not None
    assert capabilities.text_document.diagnostic is not None
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    answer = await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, root_uri=tmp_path.as_uri()))
    assert answer.capabilities.diagnostic_provider == types.DiagnosticOptions(True, False, "looplint")
    UNITS[lsp_client] = str(answer.capabilities.position_encoding)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=COMMAND, params=["visual-studio-code", "neovim@v0.11.0"])
async def every_client(lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[None]:
    watched = await session(lsp_client, request.param, tmp_path)
    yield
    assert watched == (["workspace/didChangeWatchedFiles"] if request.param.startswith("visual") else [])
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


async def test_a_file_gets_the_findings_of_the_command_line(every_client: LanguageClient) -> None:
    path = ROOT / "examples" / "train.py"
    found = await said(every_client, show(every_client, path, path.read_text()))
    expected = lint_paths([str(path)]).findings
    assert [(d.code, d.message, d.range.start.line + 1, d.range.start.character + 1) for d in found] == [
        (f.code, f.message, f.location.row, f.location.column) for f in expected
    ]
    assert len(found) == 5
    for diagnostic, finding in zip(found, expected, strict=True):
        assert (diagnostic.range.end.line + 1, diagnostic.range.end.character + 1) == (
            finding.end_location.row,
            finding.end_location.column,
        )
        notes = diagnostic.related_information or []
        assert [(n.message, n.location.uri, n.location.range.start.line + 1) for n in notes] == [
            (r.message, path.as_uri(), r.location.row) for r in finding.related
        ]
        assert diagnostic.code_description is not None
        assert diagnostic.code_description.href.endswith(f"/rules/{finding.name}/")
        assert (
            diagnostic.severity == {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}[finding.severity]
        )


async def test_a_document_whose_language_nobody_says_is_known_by_its_name(client: LanguageClient, tmp_path: Path) -> None:
    for name, expected in {"train.py": ["LL102"], "notes.txt": []}.items():
        uri = (tmp_path / name).as_uri()
        client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "", 1, LOOP)))
        assert await codes(client, uri) == expected


async def test_findings_follow_what_is_typed_and_never_saved(every_client: LanguageClient, tmp_path: Path) -> None:
    uri = show(every_client, tmp_path / "never_saved.py", CLEARED)
    assert await codes(every_client, uri) == []
    replace_all(every_client, uri, LOOP, 2)
    await until(lambda: [d.code for d in every_client.diagnostics[uri]] == ["LL102"])
    line = next(n for n, row in enumerate(LOOP.splitlines()) if "loss = " in row)
    place = types.Range(types.Position(line, 0), types.Position(line, 0))
    change = types.TextDocumentContentChangePartial(place, "        opt.zero_grad()\n")
    every_client.text_document_did_change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(3, uri), [change]))
    await until(lambda: not every_client.diagnostics[uri])


async def test_a_text_in_the_middle_of_typing_says_where_it_breaks_off(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "train.py", LOOP + "        print(\n")
    [broken] = await said(client, uri)
    assert "syntax error" in broken.message
    assert broken.range.start.line >= len(LOOP.splitlines())
    replace_all(client, uri, LOOP, 2)
    assert await codes(client, uri) == ["LL102"]


async def test_columns_count_what_the_client_counts(every_client: LanguageClient, tmp_path: Path) -> None:
    text = LOOP.replace("        loss.backward()", "        print('😀'); loss.backward()")
    [found] = await said(every_client, show(every_client, tmp_path / "train.py", text))
    before = text.splitlines()[found.range.start.line].split("loss.backward")[0]
    units = {"utf-16": len(before.encode("utf-16-le")) // 2, "utf-8": len(before.encode())}
    assert found.range.start.character == units[UNITS[every_client]]
    change = types.TextDocumentContentChangePartial(types.Range(found.range.start, found.range.start), "opt.zero_grad(); ")
    every_client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, (tmp_path / "train.py").as_uri()), [change])
    )
    assert await codes(every_client, (tmp_path / "train.py").as_uri()) == []


async def test_unsaved_files_count_where_others_import_them(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(CLEARED)
    uri = show(client, tmp_path / "main.py", MAIN)
    assert await codes(client, uri) == []
    engine = show(client, tmp_path / "engine.py", LOOP)
    assert await codes(client, engine) == ["LL102"]
    replace_all(client, engine, CLEARED, 2)
    assert await codes(client, engine) == []


async def test_a_finding_in_a_file_that_is_not_open_is_shown_there_until_its_cause_is_closed(
    client: LanguageClient, tmp_path: Path
) -> None:
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
    (tmp_path / "looplint.toml").write_text('extend-select = ["LL001"]\n')
    replace_all(client, uri, CLEARED.replace("loss.backward()", "loss.backward()  # noqa: LL102"), 2)
    [left] = await said(client, uri)
    assert left.code == "LL001" and list(left.tags or []) == [types.DiagnosticTag.Unnecessary]
    [removal] = await actions_at(client, uri, left.range, ["quickfix"])
    assert "LL001" in removal.title
    (tmp_path / "looplint.toml").unlink()
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


async def test_a_quick_fix_repairs_what_it_stands_for(every_client: LanguageClient, tmp_path: Path) -> None:
    text = LOOP.replace("import torch\n", "import torch\n\nNAME = 'é😀'\n")
    uri = show(every_client, tmp_path / "train.py", text)
    [found] = await said(every_client, uri)
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
    [found] = await said(client, uri)
    repair, silence = await actions_at(client, uri, found.range, ["quickfix"])
    replace_all(client, uri, after(client, {uri: LOOP}, repair)[uri], 2)
    assert await codes(client, uri) == []
    replace_all(client, uri, after(client, {uri: LOOP}, silence)[uri], 3)
    assert await codes(client, uri) == []


async def test_blocks_of_a_document_are_reported_and_left_alone(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "README.md").as_uri()
    text = f"# Training\n\n```python\n{LOOP}```\n"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, text)))
    [found] = await said(client, uri)
    assert found.code == "LL102" and text.splitlines()[found.range.start.line].strip() == "loss.backward()"
    assert await actions_at(client, uri, found.range) == []


async def test_all_safe_repairs_of_a_document_at_once(client: LanguageClient) -> None:
    path = ROOT / "examples" / "train.py"
    uri, text = show(client, path, path.read_text()), path.read_text()
    await said(client, uri)
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
    await said(client, uri)
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    [offered] = await actions_at(client, uri, start)
    assert offered.kind == "source.fixAll.looplint" and offered.edit is None, "it is worked out when it is chosen"
    chosen = await client.code_action_resolve_async(offered)
    replace_all(client, uri, after(client, {uri: text}, chosen)[uri], 2)
    assert await codes(client, uri) == []
    assert await actions_at(client, uri, start) == []
    assert (await client.code_action_resolve_async(offered)).edit is None, "nothing is left to be repaired"


async def test_an_editor_that_asks_is_answered_and_not_told_twice(asking: LanguageClient, tmp_path: Path) -> None:
    async def pull(uri: str, known: str | None = None) -> types.DocumentDiagnosticReport:
        return await asking.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), "looplint", known)
        )

    main, engine = tmp_path / "main.py", tmp_path / "engine.py"
    engine.write_text(CLEARED)
    main.write_text(MAIN)
    (tmp_path / "data.py").write_text("class Pairs: ...\n")
    first = show(asking, main, MAIN)
    nothing = await pull(first)
    assert isinstance(nothing, types.RelatedFullDocumentDiagnosticReport) and not nothing.items
    assert isinstance(await pull(first, nothing.result_id), types.RelatedUnchangedDocumentDiagnosticReport)
    second = show(asking, engine, LOOP)
    report = await pull(second)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert [item.code for item in report.items] == ["LL102"] and report.items[0].related_information is not None
    assert asking.diagnostic_refresh_count == 0, "it had asked itself"
    assert second not in asking.diagnostics
    replace_all(asking, second, CLEARED, 2)
    await until(lambda: asking.diagnostic_refresh_count == 1)
    last = await pull(second, report.result_id)
    assert isinstance(last, types.RelatedFullDocumentDiagnosticReport) and not last.items


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
    [found] = await said(client, last)
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
    [found] = await said(client, last)
    assert (found.code, found.range.start.line) == ("LL102", 2)
    gone = [types.TextDocumentIdentifier(last)]
    client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(path.as_uri()), gone))
    await until(lambda: not client.diagnostics[last])


async def test_the_editors_settings_stand_above_the_files(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "train.py", LOOP)
    assert await codes(client, uri) == ["LL102"]
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"ignore": ["missing-zero-grad"]}}))
    assert await codes(client, uri) == []
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"extendSelect": ["LL402"]}}))
    assert await codes(client, uri) == ["LL102"]
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"ignroe": []}}))
    assert await codes(client, uri) == ["LL102"]
    assert ["ignroe" in m.message for m in client.messages] == [True]


def answering(client: LanguageClient, number: int) -> list[types.ShowMessageRequestParams]:
    """Answer questions with one of their actions; the list fills with the questions."""
    asked: list[types.ShowMessageRequestParams] = []

    @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    def question(_: LanguageClient, params: types.ShowMessageRequestParams) -> types.MessageActionItem:
        asked.append(params)
        return (params.actions or [])[number]

    return asked


async def test_own_rules_are_run_once_the_user_trusts_them(client: LanguageClient, tmp_path: Path) -> None:
    asked = answering(client, 0)
    (tmp_path / "lint").mkdir()
    (tmp_path / "lint" / "no_steps.py").write_text(RULE)
    (tmp_path / "looplint.toml").write_text('rules = ["lint"]\n')
    uri = show(client, tmp_path / "train.py", LOOP)
    await until(lambda: [d.code for d in client.diagnostics.get(uri, [])] == ["LL102", "ACME1"])
    assert len(asked) == 1 and str(tmp_path / "lint") in asked[0].message
    trusted = Path(SETTINGS.name) / "looplint" / "trusted-folders"
    assert trusted.read_text() == f"{tmp_path / 'lint'}\n"


async def test_own_rules_follow_the_editors_setting(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "lint").mkdir()
    (tmp_path / "lint" / "no_steps.py").write_text(RULE)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"allowRules": False}}))
    (tmp_path / "looplint.toml").write_text('rules = ["lint"]\n')
    uri = show(client, tmp_path / "train.py", LOOP)
    assert await codes(client, uri) == ["LL102"]
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"allowRules": True}}))
    assert await codes(client, uri) == ["LL102", "ACME1"]
    asked = answering(client, 1)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"allowRules": "maybe"}}))
    assert await codes(client, uri) == ["LL102"]
    await until(lambda: len(asked) == 1)
    assert ["true or false" in m.message for m in client.messages] == [True]


async def test_an_address_that_no_file_can_have_is_survived(client: LanguageClient, tmp_path: Path) -> None:
    for uri in ("file:///tmp/a%00b.py", "file:///%00", f"{(tmp_path / 'x').as_uri()}%00.py"):
        client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, types.LanguageKind.Python, 1, LOOP)))
        assert await codes(client, uri) == ["LL102"]
    assert await codes(client, show(client, tmp_path / "train.py", LOOP)) == ["LL102"]
    assert client.messages == []


async def test_without_pygls_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from looplint.commands import server
    from looplint.errors import UserError

    monkeypatch.setattr(server, "find_spec", lambda name: None)
    result = CliRunner().invoke(server.command)
    assert isinstance(result.exception, UserError)
    assert "looplint[server]" in str(result.exception)
