"""One browser and one house per module; each test makes roles of its own."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from tests.page.visitors import Visitor, browsing, visiting
from tests.serve.houses import Served, served
from tests.serve.rest.callers import Caller, caller

_numbers = itertools.count(1)
collect_ignore_glob = [] if os.environ.get("ROLEMEMORY_PAGE") == "all" else ["test_*.py"]  # minutes of a real browser: `make page`


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("page")
    with served(folder) as open_house:
        yield open_house


@pytest.fixture(scope="module")
def api(house: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{house.url}/api", timeout=30, trust_env=False) as client:
        yield client


@pytest.fixture
def role(api: httpx.Client) -> Caller:
    """A new role."""
    return caller(api, f"Mira {next(_numbers)}")


@pytest.fixture
def visitor(browser: Browser, house: Served, language: str, screen: str) -> Iterator[Visitor]:
    """Somebody at the page, in the language and on the screen of the test's row."""
    with visiting(browser, house, language, screen) as found:
        yield found


@pytest.fixture
def at_desk(browser: Browser, house: Served) -> Iterator[Visitor]:
    """Somebody at the page, where language and screen do not matter."""
    with visiting(browser, house, "en", "desktop") as found:
        yield found
