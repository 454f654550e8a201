"""The documentation's site: built with warnings (a broken link, a page in no list) as errors, and read as a browser gets it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from mkdocs.config import load_config

from looplint.linting import evidence
from looplint.linting.catalogue import folder, load
from looplint.report.records import URL
from looplint.settings.options import OPTIONS
from places import ROOT
from website.rules import families

pytestmark = pytest.mark.slow


class Seen(HTMLParser):
    """Collects the text between the tags."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_of(page: Path) -> str:
    """What a reader sees of a page."""
    parser = Seen()
    parser.feed(page.read_text(encoding="utf-8"))
    return "".join(parser.parts)


def test_findings_lead_to_pages_that_are_there(site: Path) -> None:
    base = load_config(str(ROOT / "mkdocs.yml")).site_url
    assert f"{base}rules" == URL
    for rule in load():
        shown = text_of(site / "rules" / rule.name / "index.html")
        assert rule.code in shown and rule.doc.splitlines()[-1][:40].replace("`", "") in shown
        said = rf"(train\.py:\d+:\d+: (error|warning)|advice): {rule.code} {rule.name}\b"
        assert re.search(said, shown), f"{rule.name}: the page shows what looplint prints"
        assert "Found " in shown


def test_a_page_quotes_what_was_measured(site: Path) -> None:
    for stored in evidence.load():
        for rule in load():
            shown = text_of(site / "rules" / rule.name / "index.html")
            for case in stored.of(rule.code):
                assert case["case"] in shown


def test_quiet_cases_are_those_that_expect_nothing(site: Path) -> None:
    shown = text_of(site / "rules" / "missing-zero-grad" / "index.html")
    listed = shown.split("must not report anything: ")[1].split(".\n")[0].split(", ")
    cases = {case.stem.replace("_", " "): case for case in (folder("fixtures") / "missing_zero_grad").iterdir()}
    assert len(listed) >= 5
    for case in (cases[name.rstrip(".")] for name in listed):
        assert not any("expect: LL102" in file.read_text() for file in ([case] if case.is_file() else case.rglob("*.py")))


def test_every_family_of_rules_has_a_name_and_every_option_a_heading(site: Path) -> None:
    assert sum(len(found) for _, _, found in families(load())) == len(load())
    reference = (site / "configuration" / "index.html").read_text(encoding="utf-8")
    assert all(f'id="{option.name}"' in reference for option in OPTIONS)


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        if "drawn" in page.parts:
            continue
        fetched = re.findall(r"<(?:script|link|img)\b[^>]*?(?:src|href)=\"?(https?://[^\"\s>]+)", page.read_text(encoding="utf-8"))
        assert all(address.startswith(URL.removesuffix("rules")) for address in fetched), fetched


def test_the_first_page_shows_a_loop_and_a_difference_with_its_colours(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    (picture,) = re.findall(r'<img alt="[^"]{20,}" src="([^"]+)"', start)
    assert (site / picture).is_file()
    assert re.search(r'<span class="gi">\+ +optimizer\.zero_grad\(\)</span>', start)
