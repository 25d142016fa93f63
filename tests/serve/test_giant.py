"""Giant requests: bounded before work, linear in their length, and given up once nobody waits."""

import asyncio
import json
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_stack
from typing import Any

import httpx
import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.errors import GivenUpError
from rolememory.serve.proxy.within import Within
from tests.endpoint import Endpoint, answers
from tests.serve.houses import WORDS_ONLY, Served, served
from tests.text.prose import dearer


def giant(count: int, begin: str = "") -> list[dict[str, str]]:
    """A chat of so many messages."""
    return [
        {
            "role": "assistant" if place % 2 else "user",
            "content": f"{begin}{place}: lantern {place * 7919 % 997} by the harbour went dark. 灯灭了。",
        }
        for place in range(count - 1)
    ] + [{"role": "user", "content": "Who walked home from the harbour?"}]


@pytest.fixture
def mira(tmp_path: Path) -> Iterator[RoleMemory]:
    with Home.open(tmp_path / "home", WORDS_ONLY) as home:
        role = home.role("Mira", create=True)
        role.remember("Mira keeps the beacon.", keys=["harbour"])
        yield role


def test_a_turn_costs_as_much_for_each_message_of_a_long_chat(mira: RoleMemory) -> None:
    def turn(count: int) -> object:
        return mira.recall(giant(count, f"{next(numbers)} "), chat="a", user="lin", dry_run=True)

    numbers = iter(range(100))
    assert dearer(lambda: turn(4_000), lambda: turn(500)) / 8 < 3


def test_work_stops_when_nobody_waits_for_it(mira: RoleMemory) -> None:
    began, stopped = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        try:
            mira.recall(giant(20_000), chat="a", user="lin")
        except GivenUpError:
            stopped.set()
            raise

    async def turn() -> None:
        waiting = asyncio.ensure_future(Within().done(work, None, 60.0))
        await asyncio.to_thread(began.wait, 60)
        waiting.cancel()

    asyncio.run(turn())
    assert stopped.wait(60), "it was worked out to its end"
    assert mira.recall("Where is the harbour?", user="lin").text, "the role goes on"


class Stopped(logging.Handler):
    """Notices that work stopped because nobody waits."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.event = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.event.set()


@pytest.fixture
def stopped() -> Iterator[threading.Event]:
    log, handler = logging.getLogger("rolememory.text.patience"), Stopped()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    yield handler.event
    log.removeHandler(handler)
    log.setLevel(level)


def hang_up(house: Served, path: str, body: dict[str, Any]) -> None:
    """Send a request, and close the line once it is worked on."""
    sent = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", house.port), timeout=60) as line:
        line.sendall(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
        while not worked_on():
            threading.Event().wait(0.005)


def worked_on() -> bool:
    """Whether some thread is reading the messages of a turn."""
    frames = (frame for top in sys._current_frames().values() for frame, _ in walk_stack(top))
    return any(frame.f_code.co_filename.endswith("chats/heard.py") for frame in frames)


@pytest.mark.parametrize("road", ["proxy", "recall", "explain"])
def test_who_hangs_up_lets_go_of_the_work(
    tmp_path: Path, stopped: threading.Event, road: str
) -> None:
    with (
        Endpoint(answers("Hm.")) as model,
        served(tmp_path, {"serve.upstream": model.url, "serve.recall_timeout_s": 60.0}) as house,
    ):
        role = house.home.role("Mira", create=True)
        messages, hint = giant(12_000), {"role": "Mira", "user": "lin", "chat": "one"}
        path = "/v1/chat/completions" if road == "proxy" else f"/api/roles/{role.id}/{road}"
        more = {"model": "m", "rolememory": hint} if road == "proxy" else {"chat": "one"}
        hang_up(house, path, {"messages": messages, **more})
        assert stopped.wait(60), "it was worked out to its end"
        assert model.requests == []


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        pytest.param([{"role": "user", "content": "x" * 60}], 200, id="as much as is allowed"),
        pytest.param([{"role": "user", "content": "x" * 61}], 413, id="one character more"),
        pytest.param(
            [{"role": "user", "content": [{"type": "text", "text": "x" * 61}]}], 413, id="in parts"
        ),
        pytest.param([{"role": "user", "content": "x"}] * 5, 413, id="one message more"),
    ],
)
@pytest.mark.parametrize("verb", ["recall", "explain", "observe"])
def test_rest_is_bounded_before_work(
    tmp_path: Path, messages: list[dict[str, Any]], status: int, verb: str
) -> None:
    with served(tmp_path, {"serve.max_messages": 4, "serve.max_characters": 60}) as house:
        role = house.home.role("Mira", create=True)
        url = f"{house.url}/api/roles/{role.id}/{verb}"
        answer = httpx.post(url, json={"messages": messages}, timeout=60, trust_env=False)
        assert answer.status_code == status
        assert status == 200 or "serve.max_messages" in answer.text
        assert role.chats.chats() == [] or status == 200
