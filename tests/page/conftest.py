"""One browser and one house for all that a worker visits; each test makes roles of its own in it."""

import itertools
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.serve.houses import Served, served
from tests.serve.rest.callers import Caller, caller

if TYPE_CHECKING:  # what needs a browser is imported where one is wanted: without playwright the rest of the folder still runs
    from playwright.sync_api import Browser

    from tests.page.visitors import Visitor

_numbers = itertools.count(1)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what imports playwright where it is missing; `test_files` says so, and runs."""
    if find_spec("playwright") is not None or collection_path.suffix != ".py":
        return None
    lost = any(
        f"\nfrom {name} " in collection_path.read_text("utf-8")
        for name in ("playwright.sync_api", "tests.page.visitors")
    )
    return lost or None


@pytest.fixture(scope="package")
def browser() -> "Iterator[Browser]":
    """Not longer than this folder: while it is open, the thread has a running event loop, and nobody else could start one."""
    from tests.page.visitors import browsing

    with browsing() as found:
        yield found


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("page")
    with served(folder) as open_house:
        yield open_house


@pytest.fixture(scope="package")
def api(house: Served) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
    ) as client:
        yield client


@pytest.fixture
def role(api: httpx.Client) -> Caller:
    """A new role."""
    return caller(api, f"Mira {next(_numbers)}")


@pytest.fixture
def another(api: httpx.Client) -> Callable[[str], Caller]:
    return lambda name: caller(api, f"{name} {next(_numbers)}")


@pytest.fixture
def visitor(browser: "Browser", house: Served, language: str, screen: str) -> "Iterator[Visitor]":
    """Somebody at the page, in the language and on the screen of the test's row."""
    from tests.page.visitors import visiting

    with visiting(browser, house, language, screen) as found:
        yield found


@pytest.fixture
def at_desk(browser: "Browser", house: Served) -> "Iterator[Visitor]":
    """Somebody at the page, where language and screen do not matter."""
    from tests.page.visitors import visiting

    with visiting(browser, house, "en", "desktop") as found:
        yield found
