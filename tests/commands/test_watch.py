"""`--watch`: a run after every change, until it is interrupted."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import looplint
from programs import BROKEN, CLEAN, RULE

pytestmark = pytest.mark.slow

pytest.importorskip("watchfiles")
READY = "Watching for changes; Ctrl-C ends."
# A clock, and what has changed; a clock, what was found, and how long it took.
CHANGED = re.compile(r"\[\d\d:\d\d:\d\d\] (.+) changed")
ENDED = re.compile(rf"\[\d\d:\d\d:\d\d\] (.+), \d+\.\d s\. {READY}")


class Watch:
    """A command line that watches, and what it prints."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-u", "-m", "looplint", *arguments, "--watch", "--output-format", "concise"]
        # What starts the tests may have told its processes to ignore interrupts, as a shell does in the background.
        ours = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        signal.signal(signal.SIGINT, ours)
        self.changed = self.summary = ""
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def next(self) -> list[str]:
        """What the next run prints, up to that the next change is waited for."""
        printed = []
        while not (ended := ENDED.fullmatch(line := self._lines.get(timeout=60))):
            if changed := CHANGED.fullmatch(line):
                self.changed = changed[1]
            else:
                printed.append(line)
        self.summary = ended[1]
        return [" ".join(line.split()[:3]) for line in printed]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(CLEAN)
    return tmp_path


@pytest.fixture
def watch(folder: Path) -> Iterator[Watch]:
    watching = Watch(folder, "train.py")
    yield watching
    watching.process.kill()
    watching.process.wait()


def test_every_change_is_linted_until_it_is_interrupted(folder: Path, watch: Watch) -> None:
    assert watch.next() == []
    assert (watch.changed, watch.summary) == ("", "no findings")
    (folder / "train.py").write_text(BROKEN)
    assert watch.next() == ["train.py:8:5: error: LL102"]
    assert (watch.changed, watch.summary) == ("train.py", "1 error (1 more than before)")
    (folder / "looplint.toml").write_text('ignore = ["LL102"]\n')
    assert watch.next() == []
    assert (watch.changed, watch.summary) == ("looplint.toml", "no findings (1 fewer than before)")
    (folder / "looplint.toml").write_text("ignore = 1\n")
    assert watch.next()[-1].startswith("error: ") and watch.summary == "nothing was linted"
    (folder / "looplint.toml").unlink()
    assert watch.next() == ["train.py:8:5: error: LL102"]
    (folder / "notes.txt").write_text("what is no program changes nothing\n")
    (folder / "train.py").write_text("from clears import clear\n" + CLEAN.replace("opt.zero_grad()", "clear(opt)"))
    assert watch.next() == []
    (folder / "clears.py").write_text("def clear(opt):\n    pass\n")
    assert watch.next() == ["train.py:10:5: error: LL102"], "a file that the linted one imports has changed"
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(timeout=20) == 0


def test_what_cannot_be_watched_is_said(folder: Path) -> None:
    done = looplint("--watch", "-", cwd=folder)
    assert done.returncode == 2 and b"standard input never changes" in done.stderr
    done = looplint("--watch", "tran.py", cwd=folder)
    assert done.returncode == 2 and b"did you mean train.py?" in done.stderr


READING = RULE.replace('CODE = "ACME1"', 'CODE = "ACME1"\nREADS = ("../words.txt",)')


def test_rules_of_ones_own_are_watched_with_what_they_read(tmp_path: Path) -> None:
    for name in ("work", "acme/rules"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "looplint.toml").write_text('rules = ["acme/rules"]\nselect = ["ACME1"]\n')
    (tmp_path / "work" / "train.py").write_text(CLEAN)
    rule, words = tmp_path / "acme" / "rules" / "no_steps.py", tmp_path / "acme" / "words.txt"
    rule.write_text(READING)
    words.write_text("first")
    watching = Watch(tmp_path / "work", "train.py", "--allow-rules")
    try:
        found = watching.next()
        assert [line.rsplit(" ", 1)[1] for line in found] == ["ACME1"]
        words.write_text("second")
        assert watching.next() == found and watching.changed == os.path.join("..", "acme", "words.txt")
        rule.write_text(READING.replace("yield Report", "return\n        yield Report"))
        assert watching.next() == [] and watching.changed == os.path.join("..", "acme", "rules", "no_steps.py")
    finally:
        watching.process.kill()
        watching.process.wait()
