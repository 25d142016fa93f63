"""REST asked for what its own description allows and for what it does not: no crash, no leak, every error in one shape.

ROLEMEMORY_FUZZ=200 asks each operation so many times; otherwise it is a few, always the same.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance
from starlette.routing import Route

from rolememory.serve.rest.router import ROUTERS
from tests.serve.houses import Served, served
from tests.serve.rest.callers import caller, good

TIMES = int(os.environ.get("ROLEMEMORY_FUZZ", "2"))
SECRET = "Zanzibar4711"  # stands in a memory: no error may tell of it
ENDS = ("DELETE", "/api/roles/{role}")  # asked last: the others ask about that role
OPERATIONS = sorted(
    (
        (method, route.path_format)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, Route)
        for method in route.methods or ()
    ),
    key=lambda one: (one == ENDS, one),
)
ENDLESS = {("GET", "/api/events")}  # tests/serve/rest/test_watching.py listens to it
FEW = settings(
    max_examples=TIMES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # no shrinking: a failure shows the request as it was
)


@dataclass(frozen=True)
class Asked:
    """A served home, the description it gives of itself, and how to ask."""

    house: Served
    schema: Any
    api: httpx.Client
    known: dict[str, str]  # something that is there, under every name that a path can hold


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with (
        served(tmp_path_factory.mktemp("fuzzed")) as house,
        httpx.Client(
            base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
        ) as api,
    ):
        yield Asked(
            house, schemathesis.openapi.from_dict(good(api.get("/openapi.json"))), api, names(api)
        )


def test_the_description_is_complete(asked: Asked) -> None:
    paths = asked.schema.raw_schema["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described == {*OPERATIONS, ("GET", "/healthz")}
    assert asked.schema.raw_schema["info"]["x-rolememory-api"] == "1"
    for path, methods in paths.items():
        for method, operation in methods.items():
            assert operation.get("description"), f"{method} {path} says nothing of itself"


@pytest.mark.parametrize("mode", GenerationMode, ids=["as described", "otherwise"])
@pytest.mark.parametrize(
    ("method", "path"), [one for one in OPERATIONS if one not in ENDLESS], ids=str
)
def test_nothing_that_is_asked_breaks_anything(
    asked: Asked, method: str, path: str, mode: GenerationMode
) -> None:
    operation = asked.schema[path][method]
    if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query):
        pytest.skip("nothing can be asked otherwise: any text is a name")
    numbers = count()

    @FEW
    @given(case=operation.as_strategy(generation_mode=mode))
    def asks(case: Any) -> None:
        if next(numbers) % 2:  # every other time of something that is there
            case.path_parameters |= {
                name: value
                for name, value in asked.known.items()
                if name in (case.path_parameters or {})
            }
        checked(asked, case, case.call(base_url=asked.house.url, timeout=120))

    asks()


def names(api: httpx.Client) -> dict[str, str]:
    """A role with a memory, a chat and a book."""
    role = caller(api, "Mira")
    role.remember(f"The {SECRET} beacon failed in the storm.", id="beacon", keys=["beacon"])
    role.say("My sister is called Anna.", "A fine name.", chat="harbour", user="lin")
    book = good(api.post(f"/books/{role.id}", json={"name": "tides"}))
    return {
        "role": role.id,
        "memory": "beacon",
        "chat": "harbour",
        "user": "lin",
        "shelf": role.id,
        "book": str(book["name"]),
        "uid": "0",
    }


def checked(asked: Asked, case: Any, answer: Any) -> None:
    """No crash, no leak, one shape, and what is promised."""
    assert answer.status_code < 500, f"{answer.status_code} {answer.text[:500]}"
    case.validate_response(answer, checks=[response_schema_conformance, content_type_conformance])
    text = answer.text
    assert str(asked.house.home.path) not in text
    assert "Traceback" not in text
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert error["code"]
        assert error["message"]
        assert answer.status_code == 412 or SECRET not in text
