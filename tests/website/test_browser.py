"""The pages that looplint writes and those of its site, read in a headless Chromium: on a telephone and on a desk, light and dark."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin

import pytest

from browsing import LOOKS, Look, backdrop, fold_and_unfold, overflow, reading, started, unreadable
from looplint.report.records import URL
from places import EXAMPLES, ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

EACH_LOOK = pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.width}-{look.scheme}")
# A page of each kind: the start, the rules, one of them, what commands print, a drawing, options.
PAGES = ["", "rules/", "rules/missing-zero-grad/", "output-formats/", "loops/", "command-line/"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> dict[str, Path]:
    """The pages that commands write, by the commands."""
    folder = tmp_path_factory.mktemp("written")
    shutil.copy(EXAMPLES / "train.py", folder)
    cases = folder / "fixtures" / "logged_tensor"
    cases.mkdir(parents=True)
    for case in (ROOT / "fixtures" / "logged_tensor").glob("loss_history*.py"):
        shutil.copy(case, cases)
    commands = {
        "loop": ["loop", "train.py", "--html", "loop.html"],
        "run": ["run", "--compare", "--report", "run.html", "--steps", "6", "train.py"],
        "verify": ["verify", "LL401", "--fixtures", "fixtures", "--report", "verify.html"],
    }
    for name, command in commands.items():
        done = subprocess.run([sys.executable, "-m", "looplint", *command], cwd=folder, capture_output=True, text=True, check=False)
        assert (folder / f"{name}.html").exists(), done.stdout + done.stderr
    return {name: folder / f"{name}.html" for name in commands}


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Requests are no part of the tests' output."""


@pytest.fixture(scope="module")
def address(site: Path, browser: Browser) -> Iterator[str]:
    """Where the site is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@EACH_LOOK
@pytest.mark.parametrize("name", ["loop", "run", "verify"])
def test_a_written_page_is_readable_and_its_folds_open(name: str, look: Look, written: dict[str, Path], browser: Browser) -> None:
    with reading(browser, written[name].as_uri(), look) as page:
        if name != "loop":
            page.locator("body[data-ready]").wait_for()
        assert backdrop(page) == look.scheme
        assert fold_and_unfold(page) >= {"loop": 3, "run": 1, "verify": 1}[name]
        page.wait_for_timeout(200)
        assert overflow(page) == []
        assert unreadable(page) == []
        if name != "loop":
            assert page.locator(".plot svg.main-svg").first.is_visible(), "the curves are drawn"


def test_links_of_written_pages_lead_to_pages_of_the_site(written: dict[str, Path], site: Path, browser: Browser) -> None:
    base = URL.removesuffix("rules")
    for name, file in written.items():
        with reading(browser, file.as_uri(), LOOKS[0]) as page:
            if name != "loop":
                page.locator("body[data-ready]").wait_for()
            links = page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
            assert links or name != "loop"
            for link in links:
                target, fragment = urldefrag(link)
                if target == file.as_uri():
                    assert page.locator(f"[id='{fragment}']").count() == 1
                else:
                    assert target.startswith(base) and (site / target.removeprefix(base) / "index.html").exists(), link


def test_a_link_of_the_report_opens_its_case_each_time(written: dict[str, Path], browser: Browser) -> None:
    with reading(browser, written["verify"].as_uri(), LOOKS[0]) as page:
        page.locator("body[data-ready]").wait_for()
        for _ in range(2):
            assert page.locator("details[open]").count() == 0
            page.locator(".overview a").first.click()
            page.locator("details[open] .plot svg.main-svg").first.wait_for()
            page.locator("details[open] summary").click()


@EACH_LOOK
@pytest.mark.parametrize("name", PAGES, ids=lambda name: name.strip("/") or "start")
def test_a_page_of_the_site_is_readable(name: str, look: Look, address: str, browser: Browser) -> None:
    with reading(browser, address + name, look) as page:
        assert backdrop(page) == look.scheme
        page.locator("article h1").first.wait_for()
        assert overflow(page) == []


@pytest.mark.parametrize("name", PAGES, ids=lambda name: name.strip("/") or "start")
def test_links_of_the_site_lead(name: str, address: str, browser: Browser) -> None:
    with reading(browser, address + name, LOOKS[2]) as page:
        links = set(page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)"))
        inside = {urldefrag(link) for link in links if link.startswith(address)}
        assert len(inside) > 20
        for target in {target for target, _ in inside}:
            assert page.request.get(target).ok, target
        for target, fragment in inside:
            if fragment and target == urljoin(address, name):
                assert page.locator(f"[id='{fragment}']").count() == 1, fragment


def test_the_search_finds_a_rule_by_its_code(address: str, browser: Browser) -> None:
    with reading(browser, address, LOOKS[2]) as page:
        page.locator("input.md-search__input").fill("LL102")
        page.locator(".md-search-result__link").first.click()
        page.wait_for_url("**/rules/missing-zero-grad/**")


def test_a_reader_with_a_telephone_comes_to_the_rules(address: str, browser: Browser) -> None:
    with reading(browser, address, LOOKS[0]) as page:
        page.locator("label.md-header__button[for=__drawer]").click()
        page.wait_for_timeout(400)
        page.locator(".md-nav--primary a[href$='rules/']").first.click()
        page.wait_for_url("**/rules/")
