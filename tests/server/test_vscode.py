"""The extension for Visual Studio Code: its own tests, which drive the real server with Node, and what it is packaged with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from looplint import __version__
from looplint.server.client_settings import read_client_settings
from places import ROOT

EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def test_it_has_the_version_and_the_settings_of_the_server() -> None:
    assert MANIFEST["version"] == json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))["version"] == __version__
    own = {"looplint.enable", "looplint.command", "looplint.trace.server"}
    for name in MANIFEST["contributes"]["configuration"]["properties"].keys() - own:
        read_client_settings({name.removeprefix("looplint."): None})


@pytest.mark.slow
def test_its_client_half_works_with_the_server() -> None:
    node = shutil.which("node")
    if node is None or not (EXTENSION / "node_modules" / "vscode-jsonrpc").is_dir():
        pytest.skip("not run: Node or the packages of the extension (`npm ci` in editors/vscode) are missing")
    environment = {**os.environ, "LOOPLINT_COMMAND": json.dumps([sys.executable, "-m", "looplint"]), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([node, "--test", "test/"], cwd=EXTENSION, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "\n# pass 8\n" in done.stdout, done.stdout + done.stderr
