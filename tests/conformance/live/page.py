"""The program's page in Chromium without a window: cases in, its answers out."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Case = dict[str, Any]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
LOAD_MS, ANSWER_MS = 120_000, 300_000
AT_ONCE = 50  # cases of one call

READY = "async () => { const { eventSource, event_types } = await import('/script.js'); await new Promise((done) => eventSource.once(event_types.APP_READY, done)); }"
MUTE = "() => { for (const way of ['debug', 'log', 'info', 'warn', 'error', 'group', 'groupEnd', 'table']) console[way] = () => {}; }"


@dataclass(frozen=True)
class Program:
    """The real program, ready to be asked."""

    page: Any

    def answers(self, cases: Sequence[Case]) -> Iterator[Case]:
        """What it expects of each case: `expected`, or {"error": ...}."""
        question = Path(__file__).with_name("ask.js").read_text(encoding="utf-8")
        for first in range(0, len(cases), AT_ONCE):
            yield from json.loads(
                self.page.evaluate(question, json.dumps(cases[first : first + AT_ONCE]))
            )


@contextmanager
def opened(address: str) -> Iterator[Program]:
    """The program behind the address, in a browser of its own."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        raise SystemExit(f"no browser found (looked for {', '.join(BROWSERS)}); install chromium")
    sync_playwright = import_module("playwright.sync_api").sync_playwright
    with TemporaryDirectory(prefix="rolememory-live-") as folder, sync_playwright() as plays:
        window = plays.chromium.launch_persistent_context(
            folder,
            executable_path=browser,
            headless=True,
            args=list(QUIET),
            timezone_id="UTC",
            locale="en-US",
        )
        try:
            page = window.new_page()
            page.set_default_timeout(ANSWER_MS)
            page.goto(address, timeout=LOAD_MS)
            page.evaluate(READY)
            page.evaluate(MUTE)
            yield Program(page)
        finally:
            window.close()
