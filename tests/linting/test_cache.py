"""The cache: a warm run says the same without parsing, and nothing that has changed is believed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from command_line import looplint, looplint_text
from looplint.finding import Edit, Finding, Fix, Location, Problem, Related
from looplint.linting import analysis
from looplint.linting.analysis import analyse_file
from looplint.linting.cache import Cache, digest_of_rules
from looplint.linting.catalogue import load
from looplint.linting.files import analyse
from looplint.linting.results import FileResult
from looplint.linting.selection import Selection
from looplint.sources.reading import read_source
from looplint.sources.reads import Reads
from programs import BROKEN, CLEAN, RULE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_rules_allowed")]

ENGINE = "def fit(net, loader, opt):\n    for x, y in loader:\n        net(x).sum().backward()\n        opt.step()\n"
SCRIPT = "import torch\nfrom engine import fit\nnet = torch.nn.Linear(1, 1)\nfit(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))\n"
RUN = """\
import sys
sys.argv[1:] = {arguments!r}
from looplint.commands.cli import main
try:
    main()
except SystemExit:
    pass
print("parsed" if "libcst" in sys.modules else "warm", file=sys.stderr)
"""


def lint(folder: Path, *arguments: str) -> tuple[str, str]:
    """What a run prints, and whether it parsed anything."""

    def told(*given: Any) -> FileResult:
        print("parsed", file=sys.stderr)
        return analyse_file(*given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(analysis, "analyse_file", told)
        done = looplint_text("check", *(arguments or (".",)), "--output-format", "concise", cwd=folder)
    assert "Traceback" not in done.stderr
    return done.stdout, "parsed" if "parsed" in done.stderr.splitlines() else "warm"


def lint_in_a_process(folder: Path, *arguments: str) -> tuple[str, str]:
    """The same of a process of its own, which tells whether the parser was imported."""
    code = RUN.format(arguments=["check", *(arguments or (".",)), "--output-format", "concise"])
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr.splitlines()[-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "clean.py").write_text(CLEAN)
    (tmp_path / "syntax.py").write_text("for x in y:\n    loss.backward(\n")
    return tmp_path


def test_a_warm_run_says_the_same_and_parses_nothing(folder: Path) -> None:
    cold, how = lint_in_a_process(folder)
    assert how == "parsed" and "broken.py:8:5: error: LL102" in cold
    assert lint_in_a_process(folder) == (cold, "warm")
    assert lint_in_a_process(folder, ".", "--no-cache") == (cold, "parsed")
    everything = looplint(".", "--output-format", "json", cwd=folder)
    assert everything.stdout == looplint(".", "--output-format", "json", "--no-cache", cwd=folder).stdout
    assert b"syntax.py:2:" in everything.stderr


def test_a_changed_file_is_analysed_and_a_changed_back_one_known(folder: Path) -> None:
    cold, _ = lint(folder)
    (folder / "broken.py").write_text(CLEAN)
    assert lint(folder) == ("", "parsed")
    (folder / "broken.py").write_text(BROKEN)
    assert lint(folder) == (cold, "warm")


def test_a_changed_module_is_noticed_by_those_that_read_it(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "train.py").write_text(SCRIPT)
    first, _ = lint(tmp_path, "train.py")
    assert "engine.py:3:9: error: LL102" in first and lint(tmp_path, "train.py") == (first, "warm")
    (tmp_path / "engine.py").write_text(ENGINE.replace("        net", "        opt.zero_grad()\n        net"))
    assert lint(tmp_path, "train.py") == ("", "parsed")
    (tmp_path / "engine.py").unlink()
    assert lint(tmp_path, "train.py") == ("", "parsed")


def test_a_module_that_appears_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    assert lint(tmp_path, "train.py") == ("", "parsed") and lint(tmp_path, "train.py") == ("", "warm")
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text(ENGINE)
    found, how = lint(tmp_path, "train.py")
    assert how == "parsed" and "LL102" in found


def test_a_root_that_appears_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").write_text(SCRIPT)
    assert "LL102" in lint(tmp_path, "scripts/train.py")[0]
    (tmp_path / "scripts" / ".git").mkdir()
    assert lint(tmp_path, "scripts/train.py") == ("", "parsed")


def test_settings_and_rules_are_part_of_what_is_known(folder: Path) -> None:
    cold, _ = lint(folder)
    assert lint(folder, ".", "--ignore", "LL102") == ("", "parsed")
    assert lint(folder, ".", "--ignore", "LL102") == ("", "warm")
    assert lint(folder) == (cold, "warm")
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(RULE)
    (folder / "looplint.toml").write_text('rules = ["lint"]\n')
    own, how = lint(folder)
    assert how == "parsed" and "ACME1" in own and lint(folder) == (own, "warm")
    (folder / "lint" / "no_steps.py").write_text(RULE.replace("a step is made", "a stride is made"))
    changed, how = lint(folder)
    assert how == "parsed" and "a stride is made here" in changed


READING = RULE.replace('CODE = "ACME1"', 'CODE = "ACME1"\nREADS = ("words.txt",)').replace(
    '"a step is made here"', '(Path(__file__).parent / "words.txt").read_text()'
).replace("from collections", "from pathlib import Path\nfrom collections")  # fmt: skip


def test_what_a_rule_says_it_reads_is_part_of_what_is_known(folder: Path) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(READING)
    (folder / "looplint.toml").write_text('rules = ["lint"]\n')
    for words in ("one", "two"):
        (folder / "lint" / "words.txt").write_text(words)
        found, how = lint(folder)
        assert how == "parsed" and f"[no-steps] {words}" in found and lint(folder) == (found, "warm")
    (folder / "lint" / "words.txt").unlink()
    assert lint(folder) == lint(folder, ".", "--no-cache")


@pytest.mark.parametrize("written", ['("words" + suffix,)', '"words.txt"', "(1,)", '("words.txt",)[:0]'])
def test_what_a_rule_reads_is_written_out(folder: Path, written: str) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(READING.replace('("words.txt",)', written))
    (folder / "looplint.toml").write_text('rules = ["lint"]\n')
    done = looplint_text(".", cwd=folder)
    assert done.returncode == 2 and "no_steps.py: READS has to be a tuple of names of files that are written out" in done.stderr


def test_what_rules_read_that_are_not_executed_is_left_alone(folder: Path) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(READING)
    (folder / "words.txt").write_text("one")
    rules = str(folder / "lint")
    assert digest_of_rules([rules]) != digest_of_rules([rules], [rules])
    (folder / "lint" / "words.txt").write_text("one")
    before = digest_of_rules([rules], [rules])
    (folder / "lint" / "words.txt").write_text("two")
    assert digest_of_rules([rules], [rules]) == before


def test_ignores_and_comments_are_read_anew(folder: Path) -> None:
    lint(folder)
    (folder / "looplint.toml").write_text('per-file-ignores = { "broken.py" = ["LL102"] }\ncache-dir = ".looplint_cache"\n')
    assert lint(folder) == ("", "warm")


def test_another_version_of_the_engine_believes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(folder / "cache")
    source, selection = read_source(folder / "broken.py"), Selection()
    cache.put(source, selection, FileResult((), (), frozenset(), Reads()))
    assert cache.get(source, selection) is not None and Cache(folder / "cache").get(source, selection) is not None
    monkeypatch.setattr("looplint.linting.cache.__version__", "99")
    assert Cache(folder / "cache").get(source, selection) is None


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    place, end = Location(1, 2), Location(3, 4)
    fix = Fix("Move it", "unsafe", (Edit("a.py", place, end, "\u00e9\ud800"), Edit("a.py", end, end, "")))
    finding = Finding("LL101", "name", "message", "a.py", place, end, "some-path", (Related("there", "b.py", end),), fix, 7, ("a.py::f",))
    problems = (Problem("a.py", "one", place), Problem("b.py", "two"))
    kept = FileResult(
        (finding, finding.with_fix(None)), problems, frozenset({"b.py::g", "c.py::h"}), Reads((), (str(tmp_path / "absent"),), ())
    )
    Cache(tmp_path / "cache").put(read_source(tmp_path / "a.py"), Selection(), kept)
    assert Cache(tmp_path / "cache").get(read_source(tmp_path / "a.py"), Selection()) == kept


def test_what_came_of_an_accident_is_not_kept(folder: Path) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(RULE.replace("    for event", "    raise KeyError(1)\n    for event"))
    (folder / "looplint.toml").write_text('rules = ["lint"]\n')
    lint(folder)
    assert lint(folder)[1] == "parsed"


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"null", b'{"findings": 3}', b"\xff\xfe"])
def test_a_damaged_entry_is_none(folder: Path, damage: bytes) -> None:
    cold, _ = lint(folder)
    for entry in (folder / ".looplint_cache").rglob("*.json"):
        entry.write_bytes(damage)
    assert lint(folder) == (cold, "parsed")
    assert lint(folder) == (cold, "warm")


def test_an_entry_of_which_a_byte_has_changed_is_none(folder: Path) -> None:
    cache = Cache(folder / "cache")
    source, selection = read_source(folder / "broken.py"), Selection()
    result = analyse(source, load())
    cache.put(source, selection, result)
    (entry,) = (folder / "cache").rglob("*.json")
    raw = entry.read_bytes()
    with entry.open("r+b", buffering=0) as file:  # in place: a file that is emptied and written anew waits for the disk
        for position in range(len(raw)):
            for changed in (raw[position] ^ 1 << bit for bit in (0, 4, 7)):
                os.pwrite(file.fileno(), bytes([changed]), position)
                assert cache.get(source, selection) is None, position
            os.pwrite(file.fileno(), raw[position : position + 1], position)
    assert cache.get(source, selection) == result


def test_processes_share_a_cache(folder: Path) -> None:
    for number in range(5):
        (folder / f"copy{number}.py").write_text(BROKEN + f"# {number}\n")
    with ThreadPoolExecutor(3) as pool:
        outputs = {out for out, _ in pool.map(lambda _: lint_in_a_process(folder), range(3))}
    assert len(outputs) == 1
    assert lint_in_a_process(folder) == (outputs.pop(), "warm")
    assert not [
        p
        for p in (folder / ".looplint_cache").rglob("*")
        if p.is_file() and p.suffix != ".json" and p.name not in (".gitignore", "CACHEDIR.TAG")
    ]


def test_the_cache_is_written_neither_into_git_nor_where_it_cannot_be(folder: Path) -> None:
    (folder / "file").write_text("")
    cold, how = lint(folder, ".", "--cache-dir", "file")
    assert how == "parsed" and "LL102" in cold
    lint(folder)
    assert (folder / ".looplint_cache" / ".gitignore").read_text() == "*\n"


def test_old_versions_are_removed_in_time(folder: Path) -> None:
    lint(folder)
    for name, age in {"0.0.1-old": 40, "0.0.2-recent": 2}.items():
        other = folder / ".looplint_cache" / name
        other.mkdir()
        os.utime(other, (time.time() - age * 86400,) * 2)
    (current,) = [p for p in (folder / ".looplint_cache").iterdir() if p.is_dir() and not p.name.startswith("0.0.")]
    current.rename(current.with_name("0.0.3-former"))
    lint(folder)
    assert sorted(p.name for p in (folder / ".looplint_cache").glob("0.0.*")) == ["0.0.2-recent", "0.0.3-former"]


def test_clean_removes_caches_and_nothing_else(folder: Path) -> None:
    lint(folder)
    assert b"Removed" in looplint("clean", cwd=folder).stdout
    assert not (folder / ".looplint_cache").exists()
    assert b"There is no cache" in looplint("clean", cwd=folder).stdout
    done = looplint("clean", "--cache-dir", ".", cwd=folder)
    assert done.returncode == 2 and b"is not a cache of looplint" in done.stderr and (folder / "broken.py").exists()
