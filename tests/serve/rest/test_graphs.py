"""Exporting the model over REST: every step is an event, in the asker's language, and a failure says what to do."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from rolememory.serve.events import Event
from rolememory.storage.home import init
from tests.graphs import needs_tools
from tests.hashing import HashingEmbedder
from tests.serve.houses import Served, served
from tests.serve.rest.callers import good
from tests.serve.rest.test_watching import told


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Served]:
    init(tmp_path / "home", "en")
    with served(tmp_path / "home", embedder=HashingEmbedder()) as open_house:
        yield open_house


@pytest.fixture
def api(house: Served) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=f"{house.url}/api", timeout=300, trust_env=False, verify=False
    ) as client:
        yield client


def steps(api: httpx.Client, language: str, **body: Any) -> list[dict[str, Any]]:
    """Begin an export and hear of it until it ends."""
    found: list[dict[str, Any]] = []
    with api.stream("GET", "/events") as response:
        lines = response.iter_lines()
        next(lines)
        begun = api.post("/models/export", json=body, headers={"Accept-Language": language})
        assert (begun.status_code, begun.json()["state"]) == (202, "exporting")
        for _, kind, values in told(lines):
            if kind == "graph":
                found.append(values)
                if values["state"] != "exporting":
                    return found
    raise AssertionError("it never ended")


@pytest.mark.parametrize(
    ("language", "way_out"), [("en", "neither a folder nor"), ("zh", "既不是文件夹")]
)
def test_one_that_fails_tells_why(
    language: str, way_out: str, api: httpx.Client, house: Served
) -> None:
    (house.home.path / "rolememory.toml").write_text(
        '[embedding]\nmodel = "/no/such/folder"\n', encoding="utf-8"
    )
    assert good(api.get("/models/export"))["state"] == "none"
    last = steps(api, language)[-1]
    assert last["state"] == "failed"
    assert way_out in last["text"]
    assert good(api.get("/models/export")) == {
        key: last[key] for key in ("state", "step", "steps", "text")
    }


class TestDrawn:
    pytestmark: ClassVar = needs_tools

    def test_step_by_step_until_it_is_there(self, api: httpx.Client, house: Served) -> None:
        found = steps(api, "zh")
        assert found[-1]["state"] == "done", found[-1]["text"]
        assert [(one["step"], one["steps"]) for one in found[1:-1]] == [
            (1, 4),
            (2, 4),
            (3, 4),
            (4, 4),
        ]
        assert found[1]["text"] == "加载模型"
        assert (house.home.path / ".cache" / "graph" / "manifest.json").is_file()


def test_who_asks_twice_gets_the_one_that_runs(api: httpx.Client, house: Served) -> None:
    (house.home.path / "rolememory.toml").write_text(
        '[embedding]\nmodel = "/no/such/folder"\n', encoding="utf-8"
    )
    ended, ends = threading.Event(), list[Event]()

    def hear(event: Event) -> None:
        if event.values.get("state") == "failed":
            ends.append(event)
            ended.set()

    house.house.bus.on(hear)
    assert [api.post("/models/export", json={}).status_code for _ in range(3)] == [202] * 3
    assert ended.wait(120)
    assert len(ends) == 1
    assert api.post("/models/export", json={"int8": "perhaps"}).status_code == 422
