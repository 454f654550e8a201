"""The language server, driven over standard input and output: findings, hovers and settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from lsprotocol import types
from pytest_lsp import LanguageClient

from language_client import CLEARED, LOOP, SETTINGS, UNITS, actions_at, codes, diagnostics_of, hover_at, replace_all, show, until
from looplint.linting.files import lint_paths
from places import ROOT
from programs import RULE

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]
MAIN = """\
from torch import nn
from torch.utils.data import DataLoader

from data import Pairs
from engine import train

train(nn.Linear(2, 1), DataLoader(Pairs()))
"""


async def test_a_file_gets_the_findings_of_the_command_line(every_client: LanguageClient) -> None:
    path = ROOT / "examples" / "train.py"
    found = await diagnostics_of(every_client, show(every_client, path, path.read_text()))
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
    [broken] = await diagnostics_of(client, uri)
    assert "syntax error" in broken.message
    assert broken.range.start.line >= len(LOOP.splitlines())
    replace_all(client, uri, LOOP, 2)
    assert await codes(client, uri) == ["LL102"]


async def test_columns_count_what_the_client_counts(every_client: LanguageClient, tmp_path: Path) -> None:
    text = LOOP.replace("        loss.backward()", "        print('😀'); loss.backward()")
    [found] = await diagnostics_of(every_client, show(every_client, tmp_path / "train.py", text))
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
    await diagnostics_of(client, uri)
    assert [d.code for d in client.diagnostics[engine]] == ["LL102"]
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await until(lambda: not client.diagnostics[engine])


async def test_hover_shows_the_page_of_the_rule(client: LanguageClient, tmp_path: Path) -> None:
    uri = show(client, tmp_path / "train.py", LOOP)
    [found] = await diagnostics_of(client, uri)
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
    [left] = await diagnostics_of(client, uri)
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


async def test_diagnostics_that_are_pulled_are_not_pushed(pulling_client: LanguageClient, tmp_path: Path) -> None:
    async def pull(uri: str, known: str | None = None) -> types.DocumentDiagnosticReport:
        return await pulling_client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), "looplint", known)
        )

    main, engine = tmp_path / "main.py", tmp_path / "engine.py"
    engine.write_text(CLEARED)
    main.write_text(MAIN)
    (tmp_path / "data.py").write_text("class Pairs: ...\n")
    first = show(pulling_client, main, MAIN)
    nothing = await pull(first)
    assert isinstance(nothing, types.RelatedFullDocumentDiagnosticReport) and not nothing.items
    assert isinstance(await pull(first, nothing.result_id), types.RelatedUnchangedDocumentDiagnosticReport)
    second = show(pulling_client, engine, LOOP)
    report = await pull(second)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert [item.code for item in report.items] == ["LL102"] and report.items[0].related_information is not None
    assert pulling_client.diagnostic_refresh_count == 0, "it had asked itself"
    assert second not in pulling_client.diagnostics
    replace_all(pulling_client, second, CLEARED, 2)
    await until(lambda: pulling_client.diagnostic_refresh_count == 1)
    last = await pull(second, report.result_id)
    assert isinstance(last, types.RelatedFullDocumentDiagnosticReport) and not last.items


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


async def test_own_rules_that_are_edited_are_loaded_again(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "lint").mkdir()
    rule = tmp_path / "lint" / "no_steps.py"
    rule.write_text(RULE)
    (tmp_path / "looplint.toml").write_text('rules = ["lint"]\n')
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"looplint": {"allowRules": True}}))
    uri = show(client, tmp_path / "train.py", LOOP)
    assert await codes(client, uri) == ["LL102", "ACME1"]
    for code in ("ACME2", "ACME3"):  # each of the same size, and within a second
        rule.write_text(RULE.replace("ACME1", code))
        changed = types.FileEvent(rule.as_uri(), types.FileChangeType.Changed)
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
        await until(lambda code=code: [d.code for d in client.diagnostics.get(uri, [])] == ["LL102", code])


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
