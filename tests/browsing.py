"""A headless Chromium that reads pages as their readers do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# As `.ci/run` sets it where it could install a browser: then tests that find none fail.
REQUIRED = "LOOPLINT_TEST_BROWSER"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_QUIET = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What is not readable is said by its ratio of contrast (WCAG 2, level AA).
_CONTRAST = """
() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) { const c = rgb(getComputedStyle(at).backgroundColor); if (c[3] > 200) return c; }
    return rgb("Canvas");
  };
  const poor = new Set();
  for (const element of document.querySelectorAll("p, li, td, th, h1, h2, h3, summary, code, .step span, .finding, .badge")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(".plot, svg")) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.add(`${ratio.toFixed(2)} ${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 40)}`);
  }
  return [...poor];
}
"""


class Look(NamedTuple):
    """How a reader looks at a page: the width of the window in pixels, and the colours of the system."""

    width: int
    scheme: Literal["light", "dark"]


LOOKS = [Look(width, scheme) for width in (390, 1280) for scheme in ("light", "dark")]


@contextmanager
def started() -> Iterator[Browser]:
    """A browser; where there is none, the test says that it did not run."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _without("playwright is not installed")
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=_QUIET)
        except Error as error:
            _without(f"no Chromium was found: {error.message.splitlines()[0]}")
        yield browser
        browser.close()


def _without(reason: str) -> None:
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(reason)
    pytest.skip(f"not run in a browser: {reason}")


@contextmanager
def reading(browser: Browser, address: str, look: Look) -> Iterator[Page]:
    """A page that was opened; at the end nothing must have gone wrong on it, and nothing have been fetched from elsewhere."""
    context = browser.new_context(viewport={"width": look.width, "height": 800}, color_scheme=look.scheme)
    page = context.new_page()
    wrong: list[str] = []
    host = urlsplit(address).netloc
    page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(f"error: {error.message}"))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on("response", lambda response: wrong.append(f"{response.status}: {response.url}") if response.status >= 400 else None)
    page.on("request", lambda asked: wrong.append(f"elsewhere: {asked.url}") if urlsplit(asked.url).netloc not in (host, "") else None)
    try:
        page.goto(address, wait_until="load")
        yield page
        assert wrong == []
    finally:
        context.close()


def overflow(page: Page) -> list[str]:
    """What is wider than the window; what scrolls by itself may be."""
    return list(
        page.evaluate(
            """() => {
      if (document.documentElement.scrollWidth <= window.innerWidth) return [];
      return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
        .slice(0, 8).map(e => `${e.tagName}.${e.className} ${Math.round(e.getBoundingClientRect().right)}: ${e.textContent.trim().slice(0, 40)}`);
    }"""
        )
    ) or (["the page"] if page.evaluate("document.documentElement.scrollWidth > window.innerWidth") else [])


def unreadable(page: Page) -> list[str]:
    """Text with too little contrast to what is behind it."""
    return list(page.evaluate(_CONTRAST))


def backdrop(page: Page) -> Literal["light", "dark"]:
    """Whether the page itself is light or dark."""
    red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)")
    return "light" if red + green + blue > 382 else "dark"


def fold_and_unfold(page: Page) -> int:
    """Click on the head of each fold, the outer ones first: it closes or opens, and what is in it goes or comes.

    Returns:
        How many there are.
    """
    folds = page.locator("details")
    for number in range(folds.count()):
        fold = folds.nth(number)
        before = fold.evaluate("e => e.open")
        for expected in (not before, before):
            fold.locator("> summary").click(position={"x": 8, "y": 8})
            assert fold.evaluate("e => e.open") == expected
            inside = fold.locator("> :not(summary)")
            if inside.count():
                assert inside.first.evaluate("e => e.checkVisibility()") == expected
        if not before:
            fold.locator("> summary").click(position={"x": 8, "y": 8})
    return folds.count()
