"""`--shard I/N`: parts that are stable, and that together say what a whole run does."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import looplint
from looplint.errors import UserError
from looplint.linting.shards import Shard
from programs import BROKEN

pytestmark = pytest.mark.slow

ENGINE = (
    "def fit(net, loader, opt, clear):\n    for x, y in loader:\n        clear()\n        net(x).sum().backward()\n        opt.step()\n"
)
CALLER = "import torch\nfrom {module} import fit\nnet = torch.nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfit(net, loader, opt, {clear})\n"


def concise(folder: Path, *arguments: str) -> list[str]:
    done = looplint(".", *arguments, "--output-format", "concise", cwd=folder)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/2/3"])
def test_what_is_no_part(text: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="such as 1/4"):
        Shard.parse(text)
    assert looplint("--shard", text, cwd=tmp_path).returncode == 2


def test_every_file_is_of_one_part_and_stays_there() -> None:
    names = [f"pkg/file{n}.py" for n in range(200)]
    parts = [{n for n in names if Shard(i, 3).holds(n)} for i in (1, 2, 3)]
    assert sum(map(len, parts)) == 200 and set().union(*parts) == set(names)
    assert all(40 < len(part) < 95 for part in parts)
    # Parts of one run are linted by different machines and versions of Python: this never changes.
    assert all(Shard(part, 7).holds(name) for name, part in {"train.py": 6, "src/engine.py": 2, "ü.py": 7}.items())


@pytest.mark.parametrize("clear", ["opt.zero_grad", "print"], ids=["the caller clears", "nobody clears"])
@pytest.mark.parametrize("count", [2, 5])
def test_the_parts_together_say_what_a_whole_run_does(tmp_path: Path, clear: str, count: int) -> None:
    for number in range(6):
        (tmp_path / f"engine{number}.py").write_text(ENGINE)
        (tmp_path / f"alone{number}.py").write_text(BROKEN)
        package = tmp_path / f"package{number}"
        package.mkdir()
        (package / "__init__.py").write_text("from .inner import fit\n")
        (package / "inner.py").write_text(ENGINE)
        for module in (f"engine{number}", f"package{number}"):
            (tmp_path / f"train_{module}.py").write_text(CALLER.format(module=module, clear=clear))
    whole = concise(tmp_path)
    parts = [concise(tmp_path, "--shard", f"{n}/{count}") for n in range(1, count + 1)]
    assert len(whole) == (6 if clear == "opt.zero_grad" else 18)
    assert sorted({line for part in parts for line in part}) == sorted(whole)
    assert all(len(part) < len(whole) for part in parts)


def test_problems_are_told_once(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"bad{number}.py").write_bytes(b"loss.backward()\n\x00\n")
        (tmp_path / f"syntax{number}.py").write_text("loss.backward(\n")
    errors = [looplint(".", "--shard", f"{n}/2", cwd=tmp_path).stderr.decode().splitlines() for n in (1, 2)]
    assert len(errors[0]) + len(errors[1]) == len(set(errors[0] + errors[1])) == 8


def test_a_part_counts_its_own_files_and_repairs_nothing(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"clean{number}.py").write_text("print(1)\n")
    said = [looplint(".", "--shard", f"{n}/2", cwd=tmp_path).stdout.decode() for n in (1, 2)]
    assert sum(int(text.split("(")[1].split()[0]) for text in said) == 8
    assert looplint(".", "--shard", "1/2", "--fix", cwd=tmp_path).returncode == 2
