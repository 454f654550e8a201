"""README.md shows what the code says: its example and its table are rendered. `pytest --bless` writes them anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from looplint.linting.catalogue import folder, load
from places import ROOT

pytestmark = pytest.mark.slow

README = ROOT / "README.md"


def rule_table() -> str:
    lines = ["| code | name | what it reports |", "|---|---|---|"]
    lines += [f"| {r.code} | {r.name}{'' if r.default else ' (opt-in)'} | {r.summary} |" for r in load()]
    return "\n".join(lines)


def example() -> str:
    run = subprocess.run([sys.executable, "-m", "looplint", "examples/train.py"], cwd=ROOT, capture_output=True, text=True)
    first = run.stdout.split("\n\n")[0]
    return f"```\n{first}\n```"


def repair() -> str:
    run = subprocess.run(
        [sys.executable, "-m", "looplint", "examples/train.py", "--isolated", "--diff"], cwd=ROOT, capture_output=True, text=True
    )
    return f"```diff\n{run.stdout}```"


def loop() -> str:
    command = [sys.executable, "-m", "looplint", "loop", "--isolated", "examples/train.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    return f"```\n{run.stdout.decode()}```"


@pytest.mark.parametrize(
    ("mark", "render"),
    [("rules", rule_table), ("example", example), ("repair", repair), ("loop", loop)],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_rendered_parts_are_fresh(mark: str, render: object, request: pytest.FixtureRequest) -> None:
    assert callable(render)
    text = README.read_text(encoding="utf-8")
    pattern = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
    fresh = pattern.sub(lambda m: f"{m[1]}{render()}\n{m[2]}", text)
    if request.config.getoption("--bless"):
        README.write_text(fresh, encoding="utf-8")
    assert README.read_text(encoding="utf-8") == fresh


def test_the_shipped_script_shows_five_findings() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "looplint", "--output-format", "concise", "examples/train.py"], cwd=ROOT, capture_output=True, text=True
    )
    assert re.findall(r"LL\d+", run.stdout) == ["LL103", "LL102", "LL401", "LL302", "LL303"]


def test_codes_and_names_are_unique_and_every_rule_says_what_it_reports() -> None:
    rules = load()
    assert len({r.code for r in rules}) == len({r.name for r in rules}) == len(rules)
    assert all(re.fullmatch(r"L[LP]\d{3}", r.code) and r.summary.endswith(".") for r in rules)
    assert {p.stem.replace("_", "-") for p in folder().glob("*.py")} == {r.name for r in rules}


def test_folders_of_fixtures_are_named_after_rules() -> None:
    names = {r.name.replace("-", "_") for r in load()}
    assert {p.name for p in folder("fixtures").iterdir() if p.is_dir() and not p.name.startswith("__")} <= names
