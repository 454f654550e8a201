"""A word that is nearly right: the command line names the one that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import looplint
from programs import CLEAN

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], "chek: no such file or directory, and no such command; did you mean `looplint check`?"),
        (["confg", "."], "did you mean `looplint config`?"),
        (["src/tran.py"], "src/tran.py: no such file or directory; did you mean src/train.py?"),
        (["scr/train.py"], "did you mean src/train.py?"),
        (["loop", "src/trian.py"], "src/trian.py: no such file; did you mean src/train.py?"),
        (["debug", "src/trian.py"], "did you mean src/train.py?"),
        (["config", "scr"], "did you mean src?"),
        (["rule", "missing-zerograd"], "did you mean missing-zero-grad?"),
        (["--select", "LL1O2", "src"], "did you mean LL102?"),
        (["--selct", "LL102", "src"], "'--select'"),
        (["--output-format", "jsn", "src"], "did you mean json?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_was_meant_is_named(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(CLEAN)
    done = looplint(*arguments, cwd=tmp_path)
    message = done.stderr.decode()
    assert done.returncode == 2 and message.startswith("error: ") and said in message, message


def test_nothing_is_named_where_nothing_is_near(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CLEAN)
    assert looplint("experiments", cwd=tmp_path).stderr.decode() == "error: experiments: no such file or directory\n"
    assert looplint("a/b.py", cwd=tmp_path).stderr.decode() == "error: a/b.py: no such file or directory\n"


def test_a_folder_called_nearly_like_a_command_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    assert looplint("rules", cwd=tmp_path).returncode == 0


def test_a_wrong_use_says_where_to_look(tmp_path: Path) -> None:
    done = looplint("loop", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.decode() == "error: missing argument 'PATH'\n  `looplint loop --help` says more\n"


def test_a_link_to_nothing_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "train.py").symlink_to("trian.py")
    assert looplint("train.py", cwd=tmp_path).stderr.decode() == "error: train.py: is a link that leads to no file or folder\n"
