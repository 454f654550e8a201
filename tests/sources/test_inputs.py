"""Which files a run takes: named, found, piped in under a name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint
from programs import BROKEN, CLEAN

pytestmark = pytest.mark.slow

ENGINE = "def fit(net, loader, opt):\n    for x, y in loader:\n        net(x).sum().backward()\n        opt.step()\n"
SCRIPT = "import torch\nfrom engine import fit\nnet = torch.nn.Linear(1, 1)\nfit(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "engine.py").write_text(ENGINE)
    (tmp_path / "lib" / "train.py").write_text("print('as it was saved')\n")
    return tmp_path


def concise(folder: Path, text: str, *arguments: str) -> bytes:
    return looplint("-", *arguments, "--output-format", "concise", cwd=folder, stdin=text.encode()).stdout


def test_standard_input_is_a_version_of_a_file(folder: Path) -> None:
    named = ("--stdin-filename", "lib/train.py")
    assert concise(folder, BROKEN, *named).startswith(b"lib/train.py:8:5: error: LL102")
    assert concise(folder, SCRIPT) == b"", "imports are looked for in the current folder"
    assert concise(folder, SCRIPT, *named).startswith(b"lib/engine.py:3:9: error: LL102")
    assert concise(folder, BROKEN, "--stdin-filename", "lib/not_yet_saved.py").startswith(b"lib/not_yet_saved.py:8:5: error: LL102")


def test_a_name_alone_means_standard_input(folder: Path) -> None:
    said = looplint("--stdin-filename", "lib/train.py", cwd=folder, stdin=CLEAN.encode()).stdout
    assert said == b"No problems found (1 file checked).\nJudged 1 training loop in 1 file.\n"


def test_it_is_shown_as_it_was_piped_in(folder: Path) -> None:
    out = looplint("-", "--stdin-filename", "lib/train.py", cwd=folder, stdin=BROKEN.encode()).stdout
    assert b"8 |     loss.backward()" in out


def test_it_has_the_settings_of_the_file(folder: Path) -> None:
    (folder / "lib" / "looplint.toml").write_text('per-file-ignores = { "train.py" = ["LL1"] }\n')
    assert concise(folder, BROKEN, "--stdin-filename", "lib/train.py") == b""
    assert concise(folder, BROKEN, "--stdin-filename", "lib/other.py") != b""
    (folder / "lib" / "looplint.toml").write_text('extend-exclude = ["train.py"]\n')
    assert concise(folder, BROKEN, "--stdin-filename", "lib/train.py") != b""
    assert concise(folder, BROKEN, "--stdin-filename", "lib/train.py", "--force-exclude") == b""


def test_its_repair_is_printed_and_the_file_left_alone(folder: Path) -> None:
    done = looplint("-", "--fix", "--stdin-filename", "lib/train.py", cwd=folder, stdin=BROKEN.encode())
    assert b"opt.zero_grad()" in done.stdout
    assert (folder / "lib" / "train.py").read_text() == "print('as it was saved')\n"
    (folder / "lib" / "looplint.toml").write_text('force-exclude = true\nexclude = ["train.py"]\n')
    done = looplint("-", "--fix", "--stdin-filename", "lib/train.py", cwd=folder, stdin=BROKEN.encode())
    assert done.stdout == BROKEN.encode(), "an excluded file comes out as it went in"


def test_a_notebook_and_a_document_by_their_names(folder: Path) -> None:
    document = f"# How to train\n\n```python\n{BROKEN}```\n"
    assert concise(folder, document, "--stdin-filename", "README.md").startswith(b"README.md:11:5: error: LL102")


def test_only_regular_files_are_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    os.mkfifo(folder / "lib" / ".gitignore")
    (folder / "device.py").symlink_to("/dev/zero")
    (folder / "itself.py").symlink_to("itself.py")
    (folder / "lib" / "behind.ipynb").symlink_to(folder / "pipe.py")
    (folder / "large.py").touch()
    os.truncate(folder / "large.py", 20_000_001)
    (folder / "broken.py").write_text(BROKEN)
    for named in (["."], ["broken.py", "pipe.py", "device.py", "itself.py", "lib/behind.ipynb", "large.py"]):
        command = [sys.executable, "-m", "looplint", "check", "--no-cache", "--output-format", "concise", *named]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 2 and done.stdout.startswith("broken.py:8:5: ")
        said = dict(line.removeprefix("error: ").split(": ", 1) for line in done.stderr.splitlines())
        assert said.keys() == {"pipe.py", "device.py", "itself.py", "lib/behind.ipynb", "large.py"}
        assert {said[name] for name in ("pipe.py", "device.py", "lib/behind.ipynb")} == {"cannot be read: not a regular file"}
        assert said["large.py"] == "cannot be read: larger than 20 MB"


def test_an_imported_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "models.py")
    (folder / "train.py").write_text(f"import models\n{BROKEN}")
    command = [sys.executable, "-m", "looplint", "check", "--no-cache", "--output-format", "concise", "train.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1 and done.stdout.startswith("train.py:9:5: ")


def test_show_files(folder: Path) -> None:
    (folder / "a.py").write_text(CLEAN)
    (folder / "notes.txt").write_text("no")
    assert looplint("--show-files", cwd=folder).stdout.decode().splitlines() == ["a.py", "lib/engine.py", "lib/train.py"]
    (folder / "looplint.toml").write_text('extend-exclude = ["lib/"]\n')
    assert looplint(".", "notes.txt", "--show-files", cwd=folder).stdout.decode().splitlines() == ["a.py", "notes.txt"]
    done = looplint("missing.py", "--show-files", cwd=folder)
    assert done.returncode == 2 and b"missing.py: no such file" in done.stderr


@pytest.mark.parametrize("name", ["./lib/engine.py", "lib//engine.py"])
def test_a_file_is_named_however_its_path_is_written(folder: Path, name: str) -> None:
    (folder / "looplint.toml").write_text('extend-exclude = ["lib/"]\n')
    assert looplint(name, "--output-format", "concise", cwd=folder).stdout.startswith(b"lib/engine.py:3:9: error: LL102")
