"""`python -m benchmarks.surveys.pages OUT`: put the figures of a survey, as `looplint survey report` prints them, into docs/survey.md.

More findings are read as time goes on: `read_anew` brings what stands beside each rule up to date without the survey.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from looplint.survey.figures import Reading, figures, read_readings
from looplint.survey.tables import number, tables

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "survey.md"
READINGS = Path(__file__).with_name("first_readings.json")
_BEGIN, _END = "<!-- figures of the survey -->\n", "<!-- /figures of the survey -->\n"
# The last two columns of a rule: how many held, and its figure times that share.
_RULE_ROW = re.compile(
    r"^(?P<own>\| (?P<code>[A-Z]+\d+) (?:\|[^|\n]+){4}\| (?P<per>[\d.,]+) \|) (?:\d+ of \d+|not read) \| (?:[\d.,]+|-) \|$", re.MULTILINE
)
_BLOCK = re.compile(f"{_BEGIN}.*?{_END}", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.surveys.pages", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder of a survey")
    options = parser.parse_args(arguments)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables(figures(options.out, read_readings(READINGS)))), encoding="utf-8")
    return 0


def filled(page: str, printed: str) -> str:
    """A page with what a report prints in the place that is marked for it, a heading lower.

    Raises:
        ValueError: no place is marked, or more than one.
    """
    block = _BEGIN + re.sub(r"^#", "##", printed, flags=re.MULTILINE) + _END
    found, count = _BLOCK.subn(lambda _: block, page)
    if count != 1:
        raise ValueError(f"{count} places are marked for the figures of a survey, not one")
    return found


def read_anew(page: str, readings: Mapping[str, Reading]) -> str:
    """A page with how many findings of each rule held when they were first read, as it is known now."""

    def row(match: re.Match[str]) -> str:
        reading = readings.get(match["code"])
        if reading is None:
            return f"{match['own']} not read | - |"
        corrected = float(match["per"].replace(",", "")) * reading.true / reading.read
        return f"{match['own']} {reading.true} of {reading.read} | {number(corrected)} |"

    return _RULE_ROW.sub(row, page)


if __name__ == "__main__":
    sys.exit(main())
