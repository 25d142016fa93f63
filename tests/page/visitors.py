"""Somebody at the page: a real browser, in one language, on one screen, who notices errors and requests to elsewhere.

Every row with `ROLEMEMORY_PAGE=all` (`make page`); else the ones that show most, so that the whole suite stays quick.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from rolememory.locales import translated
from rolememory.serve.page import WEB
from tests.paths import ROOT
from tests.serve.houses import Served

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")
SCREENS: Mapping[str, tuple[int, int]] = {"desktop": (1280, 900), "phone": (390, 844)}
PATIENCE_MS = 60_000  # a machine that does ten things at once is slow, not broken
ALL = os.environ.get("ROLEMEMORY_PAGE") == "all"
AXE = "4.10.3"
CACHE = ROOT / ".cache"
expect.set_options(timeout=PATIENCE_MS)


def rows(quick: Sequence[Any], rest: Sequence[Any] = ()) -> list[Any]:
    """Rows of a table: the quick ones always, the rest when the page is visited at length."""
    return [*quick, *(rest if ALL else ())]


EITHER = pytest.mark.parametrize(
    ("language", "screen"),
    rows(
        [pytest.param("zh", "phone", id="in Chinese on a phone")],
        [pytest.param("en", "desktop", id="in English at a desk")],
    ),
)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser until the block ends."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            _windows.clear()
            browser.close()


@cache
def words(language: str) -> Mapping[str, str]:
    """Everything the page says in a language, by key."""
    found: dict[str, str] = {}
    for path in (WEB / "i18n").glob(f"*{language}.json"):
        found |= json.loads(path.read_text("utf-8"))
    return found


@dataclass
class Visitor:
    """A person with a browser window."""

    page: Page
    served: Served
    language: str
    screen: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    forgiven: tuple[str, ...] = ()  # an error that has all of these words may happen

    def hears(self, kind: str, text: str, url: str) -> None:
        """A line of the console."""
        line = f"{text} {url}"
        forgiven = self.forgiven and all(word in line for word in self.forgiven)
        if kind in ("error", "warning") and not forgiven:
            self.errors.append(line)

    def asks(self, url: str) -> None:
        """A request."""
        if not url.startswith((self.served.url, "blob:", "data:")):
            self.outside.append(url)

    def says(self, key: str, /, **values: Any) -> str:
        """The words of the page."""
        return translated(words(self.language)[key], **values)

    def goes(self, *parts: str) -> None:
        """To a view; waits for its heading."""
        self.page.goto(f"{self.served.url}/#/{'/'.join(parts)}")
        self.page.locator("main h1").wait_for(state="attached")

    def button(self, key: str, /, **values: Any) -> Locator:
        """The button that says so."""
        return self.page.get_by_role("button", name=self.says(key, **values), exact=True)

    def field(self, key: str) -> Locator:
        """The field of that label."""
        return self.page.get_by_label(self.says(key), exact=True)

    def reads(self, text: str) -> Locator:
        """Waits until it stands there."""
        found = self.page.get_by_text(text).locator("visible=true").first
        found.wait_for()
        return found

    def pictured(self, name: str, *, whole: bool) -> None:
        """A picture to look at, when the page is visited at length."""
        if ALL:
            self.page.screenshot(path=CACHE / "screenshots" / f"{name}.png", full_page=whole)

    def misses(self, text: str) -> None:
        """Waits until it stands there no more."""
        self.page.get_by_role("main").get_by_text(text).first.wait_for(state="detached")


_windows: dict[tuple[str, str, bool], Page] = {}  # the one browser's, each for many visitors


def _window(browser: Browser, language: str, screen: str, dark: bool) -> Page:
    """One that nobody uses just now; a new one costs more than most visits."""
    room = (language, screen, dark)
    if room not in _windows:
        width, height = SCREENS[screen]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            locale={"zh": "zh-CN", "en": "en-GB"}[language],
            color_scheme="dark" if dark else "light",
            has_touch=screen == "phone",
            reduced_motion="reduce",
        )
        _windows[room] = context.new_page()
        _windows[room].set_default_timeout(PATIENCE_MS)
    return _windows[room]


def _left(page: Page) -> None:
    """As it was before anybody came."""
    page.unroute_all()
    page.context.set_offline(False)
    if page.url != "about:blank":
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
    page.goto("about:blank")
    page.context.clear_cookies()  # only now: a page that still asks would be refused


@contextmanager
def visiting(
    browser: Browser, served: Served, language: str, screen: str, dark: bool = False
) -> Iterator[Visitor]:
    """A visitor whose page must not have failed in the end, nor asked anybody else."""
    page = _window(browser, language, screen, dark)
    visitor = Visitor(page, served, language, screen)
    hearing: dict[Any, Callable[[Any], None]] = {
        "console": lambda line: visitor.hears(line.type, line.text, line.location["url"]),
        "pageerror": lambda error: visitor.errors.append(str(error)),
        "request": lambda request: visitor.asks(request.url),
    }
    for event, hears in hearing.items():
        page.on(event, hears)
    try:
        yield visitor
        _left(page)
        for event, hears in hearing.items():
            page.remove_listener(event, hears)
    except BaseException:
        del _windows[language, screen, dark]  # who knows how it was left
        page.context.close()
        raise
    assert visitor.errors == [], visitor.errors
    assert visitor.outside == []


def axe() -> str:
    """The accessibility checker's source; brought once from the npm registry into .cache."""
    kept = CACHE / f"axe-core-{AXE}.min.js"
    if not kept.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core is not here and npm is not installed")
        done = subprocess.run(
            [
                npm,
                "install",
                "--prefix",
                str(CACHE / "axe"),
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                f"axe-core@{AXE}",
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip(f"axe-core cannot be brought: {done.stderr.strip()[-200:]}")
        kept.write_bytes((CACHE / "axe" / "node_modules" / "axe-core" / "axe.min.js").read_bytes())
    return kept.read_text("utf-8")
