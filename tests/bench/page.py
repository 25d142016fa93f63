"""How long the page takes: first paint of list and garden, a search, a step of the garden's map, at 100, 1,000 and 5,000 memories.

    python -m tests.bench.page [--sizes 100 1000 5000]

Prints JSON; times in milliseconds, median of `ROUNDS` fresh browser windows. The server runs in this process, on the same processors.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.page.visitors import browsing
from tests.serve.houses import Served, served

ROUNDS = 3
FRAMES = 30
WHO = ("Lin", "Aoi", "Tom", "雪", "Noor")
WHAT = ("laughed", "cried", "sang", "waited", "hid", "说了谎", "记起了")
WHERE = (
    "the lighthouse",
    "the harbour",
    "the market",
    "the chapel",
    "the old mill",
    "海边",
    "书房",
)
PAINTED = """() => new Promise(done => {
  const found = performance.getEntriesByName('first-contentful-paint')[0];
  if (found) done(found.startTime);
  else new PerformanceObserver((list, all) => { all.disconnect(); done(list.getEntries()[0].startTime); }).observe({type: 'paint', buffered: true});
})"""
FRAME = """async (frames) => {
  const canvas = document.querySelector('canvas');
  const times = [];
  for (let at = 0; at < frames; at++) {
    const begun = performance.now();
    canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: at % 2 ? 60 : -60, clientX: 400, clientY: 500, cancelable: true}));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    times.push((performance.now() - begun) / 2);
  }
  return times;
}"""


def memories(count: int) -> list[dict[str, Any]]:
    """So many memories, the same every time."""
    chance = random.Random(7)
    return [
        {
            "content": f"{chance.choice(WHO)} {chance.choice(WHAT)} at {chance.choice(WHERE)} on day {number}.",
            "type": chance.choice(("episodic", "semantic", "trait", "goal")),
            "topics": [chance.choice(WHERE)],
            "emotions": [chance.choice(("joy", "fear", "love", "sadness"))],
            "salience": round(chance.random(), 2),
            "weight": round(2 * chance.random(), 2),
            "created": f"202{chance.randint(0, 5)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T10:00:00Z",
        }
        for number in range(count)
    ]


def measured(browser: Browser, house: Served, role_id: str, count: int) -> dict[str, float]:
    """One fresh window."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(120_000)
    try:
        return {**_list(page, house, role_id), **_garden(page, house, role_id, count)}
    finally:
        context.close()


def _list(page: Page, house: Served, role_id: str) -> dict[str, float]:
    begun = time.perf_counter()
    page.goto(f"{house.url}/#/list/{role_id}")
    page.locator("li[data-row]").first.wait_for()
    there = time.perf_counter()
    painted = page.evaluate(PAINTED)
    asked = time.perf_counter()
    with page.expect_response(lambda response: "q=lighthouse" in response.url):
        page.get_by_label("Search", exact=True).fill("lighthouse")
    page.locator("li[data-row]", has_text="lighthouse").first.wait_for()
    return {
        "first_paint": painted,
        "list": 1000 * (there - begun),
        "search": 1000 * (time.perf_counter() - asked),
    }


def _garden(page: Page, house: Served, role_id: str, count: int) -> dict[str, float]:
    begun = time.perf_counter()
    page.goto(f"{house.url}/#/garden/{role_id}")
    page.locator(f"canvas[data-points='{count}']").wait_for()
    there = time.perf_counter()
    frames = page.evaluate(FRAME, FRAMES)
    return {
        "garden": 1000 * (there - begun),
        "frame": statistics.median(frames),
        "worst_frame": max(frames),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 5000])
    sizes = parser.parse_args().sizes
    found: dict[int, dict[str, float]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as house,
        browsing() as browser,
    ):
        for size in sizes:
            role = house.home.create(f"Mira {size}")
            role.remember_all(memories(size))
            rounds = [measured(browser, house, role.id, size) for _ in range(ROUNDS)]
            found[size] = {
                name: round(statistics.median(one[name] for one in rounds), 1) for name in rounds[0]
            }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
