"""`--fix` as a user runs it: what is written, what is printed, and what happens when writing goes wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint_text as looplint
from looplint import rule as vocabulary
from looplint.finding import Problem
from looplint.linting.catalogue import folder as data_folder
from looplint.linting.catalogue import load
from looplint.linting.edits import apply_edits, write
from looplint.linting.files import Selection
from looplint.linting.fixing import fix_paths
from looplint.rule import Repair
from looplint.sources.reading import Source
from places import EXAMPLES
from programs import USELESS

pytestmark = pytest.mark.slow

EXAMPLE = EXAMPLES / "train.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLE, tmp_path / "train.py")
    return tmp_path


def test_fix_writes_the_repairs_and_a_second_run_changes_nothing(folder: Path) -> None:
    done = looplint("train.py", "--fix", "--show-fixes", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "No problems found (1 file checked).\nJudged 1 training loop in 1 file.\n")
    assert "train.py:30:9: LL103 clip-before-backward: Move the clip" in done.stderr and "Repaired 5 problems in 1 file." in done.stderr
    text = (folder / "train.py").read_text()
    assert looplint("train.py", "--fix", cwd=folder).returncode == 0
    assert (folder / "train.py").read_text() == text != EXAMPLE.read_text()


def test_diff_prints_what_patch_understands_and_writes_nothing(folder: Path) -> None:
    done = looplint("train.py", "--diff", cwd=folder)
    assert done.returncode == 1
    assert (folder / "train.py").read_bytes() == EXAMPLE.read_bytes()
    subprocess.run(["patch", "-s", "-p0"], input=done.stdout, text=True, cwd=folder, check=True)
    assert looplint("train.py", "--diff", cwd=folder).returncode == 0


def test_fix_only_reports_nothing_that_is_left(folder: Path) -> None:
    (folder / "train.py").write_text(EXAMPLE.read_text().replace("optimizer.step()", "optimizer.step(); scheduler.step()"))
    done = looplint("train.py", "--fix-only", "--quiet", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_standard_input_comes_back_repaired(folder: Path) -> None:
    done = looplint("-", "--fix", cwd=folder, stdin=EXAMPLE.read_text())
    looplint("train.py", "--fix", cwd=folder)
    assert done.stdout == (folder / "train.py").read_text()
    assert re.match(r"Repaired [1-9]\d* problems in 1 file\.\n", done.stderr)
    assert looplint("-", "--fix", cwd=folder, stdin="print(1)\n").stdout == "print(1)\n"


def test_only_selected_rules_are_repaired(folder: Path) -> None:
    done = looplint("train.py", "--fix", "--select", "LL103", cwd=folder)
    assert done.returncode == 0
    assert "zero_grad" not in (folder / "train.py").read_text().replace("from torch", "")


UNSAFE = """\
import torch

model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i, (x, y) in enumerate(loader):
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
"""


def test_unsafe_repairs_need_their_flag(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(UNSAFE)
    done = looplint("loop.py", "--fix", cwd=tmp_path)
    assert done.returncode == 1 and "can be repaired with --fix --unsafe-fixes" in done.stdout
    assert (tmp_path / "loop.py").read_text() == UNSAFE
    assert looplint("loop.py", "--fix", "--unsafe-fixes", cwd=tmp_path).returncode == 0
    assert "(loss / 4).backward()" in (tmp_path / "loop.py").read_text()


def test_json_carries_the_edits(folder: Path) -> None:
    found = json.loads(looplint("train.py", "--output-format", "json", cwd=folder).stdout)
    text = (folder / "train.py").read_text()
    result = fix_paths([str(folder / "train.py")], Selection(select=("LL103",)))
    ((_, new),) = result.changed
    (fix,) = [f["fix"] for f in found if f["code"] == "LL103"]
    assert fix["applicability"] == "safe" and fix["message"].startswith("Move the clip")
    lines = text.splitlines(keepends=True)
    for edit in sorted(fix["edits"], key=lambda e: (e["location"]["row"], e["location"]["column"]), reverse=True):
        start, end = (sum(map(len, lines[: edit[k]["row"] - 1])) + edit[k]["column"] - 1 for k in ("location", "end_location"))
        text = text[:start] + edit["content"] + text[end:]
    assert text == new.text


def test_a_silenced_finding_is_not_repaired(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(UNSAFE.replace("loss.backward()", "loss.backward()  # noqa: LL108"))
    assert not fix_paths([str(tmp_path / "loop.py")], unsafe=True).changed


def test_a_repair_in_a_file_that_was_not_given_says_so(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(
        "def epoch(model, opt, loader, loss_fn):\n    for x, y in loader:\n        loss = loss_fn(model(x), y)\n        loss.backward()\n        opt.step()\n"
    )
    (tmp_path / "main.py").write_text(
        "import torch\nfrom engine import epoch\n\nmodel = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), 0.1)\n"
        "epoch(model, opt, loader, torch.nn.MSELoss())\n"
    )
    alone = fix_paths([str(tmp_path / "main.py")], unsafe=True)
    assert [f.unrepaired for f in alone.linted.findings] == ["its place is in a file that is not among the files to repair"]
    both = fix_paths([str(tmp_path)], unsafe=True)
    assert not both.linted.findings and [old.path.name for old, _ in both.changed if old.path] == ["engine.py"]


@pytest.mark.parametrize("output_format", ["json", "json-lines", "rdjson", "sarif"])
def test_formats_with_repairs_offer_only_those_that_fix_makes(output_format: str, folder: Path) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "useless_repair.py").write_text(USELESS)
    (folder / "looplint.toml").write_text('rules = ["lint"]\n')
    arguments = ("train.py", "--allow-rules", "always", "--exit-zero")
    offered = looplint(*arguments, "--output-format", output_format, cwd=folder).stdout
    assert "ACME2" in offered and "clip_grad_norm_(model.parameters(), max_norm=1.0)" in offered
    assert "maximize" not in offered
    assert "maximize" not in looplint(*arguments, "--diff", cwd=folder).stdout


# -- writing


def repaired(folder: Path) -> tuple[Source, Source]:
    ((old, new),) = fix_paths([str(folder / "train.py")]).changed
    return old, new


@pytest.mark.parametrize("mode", ["--diff", "--fix-only"])
def test_where_nothing_else_is_printed_what_is_left_says_why(mode: str, tmp_path: Path) -> None:
    for rule, case in (("move_after_optimizer", "learner_moves_late"), ("accumulation_unscaled", "counter_by_hand")):
        shutil.copy(data_folder("fixtures") / rule / f"{case}.py", tmp_path)
    shown = looplint("check", mode, ".", cwd=tmp_path).stderr
    assert "learner_moves_late.py:18:9: LL501 move-after-optimizer: not repaired: the optimizer is built in another function\n" in shown
    if mode == "--diff":
        assert shown.endswith("Would repair 0 problems in 0 files. 1 can be repaired with --unsafe-fixes.\n")
    assert looplint("check", mode, "--quiet", ".", cwd=tmp_path).stderr == ""


def test_a_link_is_followed_and_the_mode_kept(folder: Path) -> None:
    (folder / "train.py").rename(folder / "real.py")
    (folder / "real.py").chmod(0o755)
    (folder / "train.py").symlink_to("real.py")
    assert looplint("train.py", "--fix", cwd=folder).returncode == 0
    assert (folder / "train.py").is_symlink() and (folder / "real.py").stat().st_mode & 0o777 == 0o755
    assert (folder / "real.py").read_bytes() != EXAMPLE.read_bytes()


def test_a_file_that_changed_since_it_was_read_is_left(folder: Path) -> None:
    old, new = repaired(folder)
    (folder / "train.py").write_text("print('someone else')\n")
    assert write(old, new) == Problem(old.display, "has changed since it was read; it was not repaired")
    assert (folder / "train.py").read_text() == "print('someone else')\n"


def test_a_read_only_file_is_an_error_and_the_rest_goes_on(folder: Path) -> None:
    shutil.copy(EXAMPLE, folder / "other.py")
    (folder / "train.py").chmod(0o444)
    done = looplint(".", "--fix", cwd=folder)
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.startswith("error:")] == [
        "error: train.py: is read-only; it was not repaired"
    ]
    assert (folder / "train.py").read_bytes() == EXAMPLE.read_bytes() != (folder / "other.py").read_bytes()


def test_what_a_file_that_cannot_be_written_holds_is_reported_and_not_counted_as_repaired(folder: Path) -> None:
    before = json.loads(looplint(".", "--output-format", "json", cwd=folder).stdout)
    (folder / "train.py").chmod(0o444)
    done = looplint(".", "--fix", "--show-fixes", "--output-format", "json", cwd=folder)
    assert (done.returncode, done.stderr) == (2, "error: train.py: is read-only; it was not repaired\n")
    assert json.loads(done.stdout) == before
    shutil.copy(EXAMPLE, folder / "other.py")
    done = looplint(".", "--fix", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2
    assert f"Repaired {len(before)} problems in 1 file.\n" in done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["train.py"] * len(before)


KILLED = "import os, signal; os.replace = lambda *a: os.kill(os.getpid(), signal.SIGKILL)"
# A write past the limit fails as it does on a full disk: after a part of the file was written.
FULL = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))"


@pytest.mark.parametrize(("accident", "status"), [(KILLED, -9), (FULL, 2)], ids=["killed", "disk full"])
def test_an_accident_while_writing_leaves_the_file_as_it_was(folder: Path, accident: str, status: int) -> None:
    code = f"{accident}\nimport sys; sys.argv[1:] = ['--fix', '--no-cache', 'train.py']\nfrom looplint.commands.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert (folder / "train.py").read_bytes() == EXAMPLE.read_bytes()
    if status == 2:
        assert done.stderr.startswith("error: train.py: cannot be written: ") and os.listdir(folder) == ["train.py"]


# -- the machinery


def test_edits_that_overlap_are_refused() -> None:
    from looplint.finding import Edit, Location

    one = Edit("a", Location(1, 1), Location(1, 4), "x")
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef\n", [one, Edit("a", Location(1, 3), Location(1, 5), "y")])
    assert apply_edits("abcdef\n", [one, Edit("a", Location(1, 4), Location(1, 4), "y")]) == "xydef\n"


def test_every_repair_is_one_that_rules_can_import_and_one_does() -> None:
    repairs = {cls.__name__ for cls in Repair.__subclasses__() if cls.__module__.startswith("looplint.")}
    made = {name for rule in load() for name in re.findall(r"(?:repair ?= ?|return )([A-Z]\w+)\(", rule.path.read_text(encoding="utf-8"))}
    assert repairs - {"Together"} <= made  # `as_one` makes that of those of the rules
    assert repairs <= set(vocabulary.__all__)


@pytest.mark.parametrize("repair", Repair.__subclasses__(), ids=lambda cls: cls.__name__)
def test_every_field_of_a_repair_is_described(repair: type[Repair]) -> None:
    _, described = (repair.__doc__ or "").split("Attributes:\n")
    assert re.findall(r"^        (\w+): \S.*\.$", described, re.MULTILINE) == list(repair.__annotations__)
