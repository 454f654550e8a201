"""What does not count as fresh code."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.already_read import already_read, warn


def test_a_repository_is_known_by_owner_and_name_however_its_folder_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    folders = ["pytorch__examples", "pytorch+examples", "PyTorch__Examples", "somebody__examples", "examples"]
    assert already_read(folders) == folders[:3]
    warn(Path("checkouts") / name for name in folders[3:])
    assert capsys.readouterr().err == ""
    warn(Path("checkouts") / name for name in folders[2:])
    assert capsys.readouterr().err == "read before, so no fresh code: PyTorch__Examples\n"
