"""README.md shows what the code says: its example and its drawing are rendered. `pytest --bless` writes them anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from looplint import __version__
from looplint.linting.catalogue import folder, load
from places import ROOT

pytestmark = pytest.mark.slow

README = ROOT / "README.md"


def example() -> str:
    run = subprocess.run([sys.executable, "-m", "looplint", "examples/train.py"], cwd=ROOT, capture_output=True, text=True)
    first = run.stdout.split("\n\n")[0]
    return f"```\n{first}\n```"


def loop() -> str:
    command = [sys.executable, "-m", "looplint", "loop", "--isolated", "examples/train.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    return f"```\n{run.stdout.decode()}```"


@pytest.mark.parametrize(
    ("mark", "render"),
    [("example", example), ("loop", loop)],
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


def test_links_lead_from_anywhere() -> None:
    """The package index shows this page, too, and has no files beside it."""
    targets = re.findall(r"\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert len(targets) > 15 and all(target.startswith("https://") for target in targets)
    pages = [re.fullmatch(r"https://looplint\.readthedocs\.io/([a-z-]*)/?", target) for target in targets]
    rendered = {"", "rules", "configuration", "api"}
    assert all((ROOT / "docs" / f"{page[1]}.md").exists() or page[1] in rendered for page in pages if page)


def test_the_first_page_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) < 1500


def test_the_changelog_has_the_version() -> None:
    assert re.search(rf"^## \[?{re.escape(__version__)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
