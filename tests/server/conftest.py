"""Editors that are connected to a language server of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities

from language_client import COMMAND, UNITS, session


@pytest_lsp.fixture(config=COMMAND)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await session(lsp_client, "visual-studio-code", tmp_path)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=COMMAND)
async def pulling_client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """An editor that pulls diagnostics."""
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
