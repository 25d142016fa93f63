"""Events as they happen, read from the wire."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect

from rolememory.serve.app import create_app
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, good


def told(lines: Iterator[str]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(number, kind, values) of each event; fails where the stream is quiet for two pings."""
    fields: dict[str, str] = {}
    pings = 0
    for line in lines:
        pings = pings + 1 if line == ": ping" else pings if not line else 0
        assert pings < 2, "nothing is told any more"
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
        elif "event" in fields:
            yield int(fields.get("id", 0)), fields["event"], json.loads(fields["data"])
            fields = {}


def until(
    events: Iterator[tuple[int, str, dict[str, Any]]], role: str, *kinds: str
) -> list[dict[str, Any]]:
    """The first event of each kind, whatever their order: what is learned may be told before the chat."""
    first: dict[str, dict[str, Any]] = {}
    for _, kind, values in events:
        if kind in kinds and values["role"] == role:
            first.setdefault(kind, values)
        if len(first) == len(kinds):
            break
    return [first[kind] for kind in kinds]


@pytest.fixture
def stream(api: httpx.Client) -> Iterator[Iterator[tuple[int, str, dict[str, Any]]]]:
    with api.stream("GET", "/events", timeout=20) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.iter_lines()
        assert next(lines).startswith("retry:")
        yield told(lines)


def test_everything_that_changes_is_told(
    stream: Iterator[Any], role: Caller, house: Served
) -> None:
    role.remember("The beacon failed.", id="beacon", keys=["beacon"])
    assert until(stream, role.id, "memory")
    role.post("/recall", {"messages": asks("Why is the beacon dark?"), "chat": "harbour"})
    assert until(stream, role.id, "turn")[0]["recalled"] == 1
    role.say("Remember that my sister is called Anna.", "A fine name.")
    chat, learned = until(stream, role.id, "chat", "learned")
    assert (chat["entered"], learned["memories"]) == (2, 1)
    (house.home.role(role.id).folder / "memory.json").write_text(
        '{"episodic": ["Written by hand."]}', "utf-8"
    )
    assert until(stream, role.id, "memory")
    role("DELETE")
    assert any(until(stream, role.id, "role")[0].get("deleted") for _ in range(3))


def test_no_event_tells_a_word_of_what_was_said(role: Caller, house: Served) -> None:
    heard: list[str] = []
    house.house.bus.on(lambda event: heard.append(f"{event.kind} {dict(event.values)}"))
    role.remember("Xylophone in the attic.", keys=["xylophone"])
    role.say("My xylophone teacher is called Zebedee.", "A xylophone!")
    role.post("/recall", {"messages": asks("The xylophone?"), "chat": "harbour"})
    assert {line.partition(" ")[0] for line in heard} >= {"memory", "chat", "turn"}
    assert not [line for line in heard if "ylophone" in line or "Zebedee" in line]


def test_who_comes_back_hears_what_he_missed(api: httpx.Client, role: Caller) -> None:
    with api.stream("GET", "/events") as response:
        role.remember("First.")
        number, *_ = next(told(response.iter_lines()))
    role.remember("Second.")
    with api.stream("GET", "/events", headers={"Last-Event-ID": str(number)}) as response:
        events = told(response.iter_lines())
        assert next(events)[0] == number + 1
    with api.stream("GET", "/events", params={"after": number}) as response:
        assert next(told(response.iter_lines()))[0] == number + 1


@pytest.mark.parametrize("given", ["999999999", "12"])
def test_who_was_away_too_long_is_told_of_the_gap(
    another: Any, given: str, house: Served, api: httpx.Client
) -> None:
    for _ in range(250):
        house.house.bus.tell("model")
    with api.stream("GET", "/events", headers={"Last-Event-ID": given}) as response:
        assert next(told(response.iter_lines()))[1] == "gap"


def test_who_leaves_in_the_middle_is_no_error(
    house: Served, api: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(199):
        first = house.house.bus.tell("model").number - 100  # others tell of changes meanwhile
    for _ in range(5):
        with api.stream("GET", "/events", headers={"Last-Event-ID": str(first)}) as response:
            assert next(told(response.iter_lines()))[0] == first + 1
    assert api.get("/puzzles").is_success
    assert not [record.getMessage() for record in caplog.records if record.exc_info]


def test_a_quiet_line_is_kept_open(api: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolememory.serve.rest.event_stream.PING_S", 0.01)
    with api.stream("GET", "/events") as response:
        assert ": ping" in response.iter_lines()


@pytest.mark.parametrize("given", ["", "x", "-1", "1e3", "９"])
def test_a_number_that_is_none_begins_anew(given: str, api: httpx.Client, role: Caller) -> None:
    with api.stream("GET", "/events", headers={"Last-Event-ID": given.encode()}) as response:
        role.remember("Something.")
        assert next(
            values
            for _, kind, values in told(response.iter_lines())
            if kind == "memory" and values["role"] == role.id
        )


def test_events_of_one_role_alone(api: httpx.Client, role: Caller, another: Any) -> None:
    other = another("Somebody Else Entirely")
    with api.stream("GET", "/events", params={"role": role.id}) as response:
        other.remember("Not for you.")
        role.remember("For you.")
        assert next(told(response.iter_lines()))[2]["role"] == role.id


def test_who_sees_the_answer_begin_misses_nothing(house: Served) -> None:
    headers = [(b"host", b"127.0.0.1:8000")]
    scope = {
        "type": "http",
        "asgi": {"spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
    }
    scope |= {
        "path": "/api/events",
        "raw_path": b"/api/events",
        "query_string": b"",
        "root_path": "",
        "headers": headers,
    }
    scope |= {"client": ("127.0.0.1", 50000), "server": ("127.0.0.1", 8000)}
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)
        if message["type"] == "http.response.start":
            house.house.bus.tell("model")
        if b"event: model" in message.get("body", b""):
            raise OSError("it has heard enough")

    async def ask() -> None:
        waiting: Any = asyncio.Event()
        async with asyncio.timeout(30):
            await create_app(house.house)(scope, waiting.wait, send)

    with pytest.raises(ClientDisconnect):
        asyncio.run(ask())
    assert sent[0]["status"] == 200


def test_puzzles_are_listed(house: Served, api: httpx.Client) -> None:
    house.house.report_unidentified("several", ("Mira", "<script>"))
    assert good(api.get("/puzzles"))["items"][0]["names"] == ["<script>", "Mira"]
