"""One open house for all tests of REST; each test makes roles of its own in it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.serve.houses import Served, served
from tests.serve.rest.callers import Caller, caller

ORIGIN = "http://127.0.0.1:8000"


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("rest")
    with served(folder, {"serve.allowed_origins": (ORIGIN,)}) as open_house:
        yield open_house


@pytest.fixture(scope="package")
def api(house: Served) -> Iterator[httpx.Client]:
    """A program on this machine."""
    with httpx.Client(
        base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
    ) as client:
        yield client


@pytest.fixture
def role(api: httpx.Client, request: pytest.FixtureRequest) -> Caller:
    """A new role, called after the test."""
    return caller(api, f"{request.node.name[:120]}-{id(request)}")


@pytest.fixture
def another(api: httpx.Client) -> Callable[[str], Caller]:
    return lambda name: caller(api, name)
