"""Every broken fixture, repaired: the text is the golden beside it, and nothing is left to repair."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_cases import EXPECT, FIXTURES, RULES, files, own_rule, parameters
from looplint.linting.fixing import FixResult, fix_paths
from looplint.linting.selection import Selection

FIXABLE = {r.code for r in RULES if not r.doc.partition("## Repair\n\n")[2].startswith("None")}


def broken_cases() -> list[Path]:
    found = []
    for case in sorted(p for folder in FIXTURES.iterdir() if folder.is_dir() for p in folder.iterdir()):
        parts = case.name.split(".")
        if (case.suffix == ".py" or (case / "main.py").exists()) and not {"expert", "fixed"} & set(parts):
            codes = {c.strip() for f in files(case) for m in EXPECT.finditer(f.read_text(encoding="utf-8")) for c in m[1].split(",")}
            if codes & FIXABLE:
                found.append(case)
    return found


def golden_of(case: Path) -> Path:
    return case.with_name(f"{case.stem}.fixed.py") if case.is_file() else case.with_name(f"{case.name}.fixed")


def repaired(case: Path) -> FixResult:
    return fix_paths([str(case)], Selection(extend_select=(own_rule(case),)), unsafe=True, jobs=1)


def texts(result: FixResult, case: Path) -> dict[str, str]:
    """The text of each file of a case after repair, by its name in the case."""
    new = {old.path: source.text for old, source in result.changed}
    return {
        f.relative_to(case).as_posix() if case.is_dir() else "": new.get(f.resolve(), f.read_text(encoding="utf-8")) for f in files(case)
    }


@pytest.mark.parametrize("case", parameters(broken_cases()))
def test_the_repaired_text_is_the_golden(case: Path, pytestconfig: pytest.Config) -> None:
    result = repaired(case)
    golden = golden_of(case)
    if not result.changed:
        assert not golden.exists()
        assert all(f.unrepaired for f in result.linted.findings), "what is not repaired says why"
        return
    found = texts(result, case)
    if pytestconfig.getoption("--bless"):
        for name, text in found.items():
            path = golden / name if name else golden
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    assert {n: (golden / n if n else golden).read_text(encoding="utf-8") for n in found} == found
    again = repaired(golden)
    assert not again.changed, "a second run changes nothing"
