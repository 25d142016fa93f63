"""Giant requests: bounded before work, linear in their length, and given up once nobody waits."""

import asyncio
import gc
import json
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.errors import GivenUpError, InvalidValueError
from rolememory.serve.admission import LARGE, Admission
from rolememory.serve.proxy.deadline import DeadlineRunner
from rolememory.text.cancellation import cancel_when, check_cancelled
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
        waiting = asyncio.ensure_future(DeadlineRunner().run(work, None, 60.0))
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
    log, handler = logging.getLogger("rolememory.text.cancellation"), Stopped()
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
    with (
        work_begins() as begun,
        socket.create_connection(("127.0.0.1", house.port), timeout=60) as line,
    ):
        line.sendall(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
        assert begun.wait(60), "no thread read the messages"


@contextmanager
def work_begins() -> Iterator[threading.Event]:
    """Set once a thread that starts in the block reads the messages of a turn.

    The thread tells it itself: frames of another one change while they are looked at.
    """
    begun = threading.Event()

    def look(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_filename.endswith("chats/normalize.py"):
            begun.set()
            sys.setprofile(None)

    threading.setprofile(look)
    try:
        yield begun
    finally:
        threading.setprofile(None)


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
        answer = httpx.post(
            url, json={"messages": messages}, timeout=60, trust_env=False, verify=False
        )
        assert answer.status_code == status
        assert status == 200 or "serve.max_messages" in answer.text
        assert role.chats.chats() == [] or status == 200


def test_the_library_is_bounded_before_work(tmp_path: Path) -> None:
    rules = {**WORDS_ONLY, "serve.max_messages": 4, "serve.max_characters": 60}
    with Home.open(tmp_path, rules) as home:
        role = home.role("Mira", create=True)
        for said in (["x"] * 5, ["x" * 61]):
            with pytest.raises(InvalidValueError, match=r"serve\.max_messages"):
                role.recall(said)
            with pytest.raises(InvalidValueError, match=r"serve\.max_messages"):
                role.observe(said, chat="a")
        assert role.chats.chats() == []
        assert len(role.observe(["x"] * 5, chat="a", own_file=True).entered) == 5


def test_nothing_that_waits_for_its_turn_holds_up_the_small(tmp_path: Path) -> None:
    """While one large call is worked on, others pass without memory; small ones have theirs."""
    asked = {"role": "user", "content": "When is the beacon lit?"}
    filler = {"role": "user", "content": "x" * LARGE}
    hint = {"model": "m", "rolememory": {"role": "Mira", "user": "lin", "chat": "a"}}

    def sent(house: Served, *messages: dict[str, str]) -> str:
        url, body = f"{house.url}/v1/chat/completions", {"messages": messages, **hint}
        answer = httpx.post(url, json=body, timeout=60, trust_env=False, verify=False)
        assert answer.status_code == 200
        assert "rolememory" not in json.loads(model.requests[-1].body)
        return model.requests[-1].body.decode()

    with Endpoint(answers("Hm.")) as model:
        upstream = {"serve.upstream": model.url}
        with served(tmp_path, upstream) as house:
            role = house.home.role("Mira", create=True)
            role.remember("The beacon is lit at nine.", keys=["beacon"])
            assert "lit at nine" in sent(house, filler, asked)
            assert house.house.settle(60)
            assert asyncio.run(house.house.admission.enter())
            assert "lit at nine" in sent(house, asked)
        with served(tmp_path, {**upstream, "serve.recall_timeout_s": 0.5}) as house:
            assert asyncio.run(house.house.admission.enter())
            assert "lit at nine" not in sent(house, filler, asked)


def test_large_requests_have_their_turn_one_after_the_other() -> None:
    async def turns() -> list[bool]:
        admission = Admission()
        first = await admission.enter()
        found = [first is not None, await admission.enter(0.01) is None]
        assert first
        first.leave()
        first.leave()
        second = await admission.enter(0.01)
        found += [second is not None, await admission.enter(0.01) is None]
        return found

    assert asyncio.run(turns()) == [True] * 4


@pytest.mark.parametrize(
    ("small", "waits"),
    [
        pytest.param([], False, id="nobody asks"),
        pytest.param(["lin", "lin"], False, id="only who sent the large one asks"),
        pytest.param(["ann"], True, id="somebody else asks"),
        pytest.param(["ann", "lin", "lin"], True, id="somebody else asked before"),
        pytest.param(["lin", "ann"], True, id="somebody else asked since"),
    ],
)
def test_after_a_large_request_others_have_the_next_while(small: list[str], waits: bool) -> None:
    async def entered() -> bool:
        admission = Admission()
        for asker in small:
            admission.note_small(asker)
        admission.left_after(1_000.0)
        return await admission.enter(0.01, "lin") is not None

    assert asyncio.run(entered()) is not waits


@pytest.mark.parametrize("user", ["lin", "ann"])
def test_a_large_request_leaves_time_to_other_users_alone(tmp_path: Path, user: str) -> None:
    """Who sent a short message and then an image does not wait for themselves."""
    patience_s = 60.0 if user == "lin" else 0.5  # who has to wait does not need it to end
    with (
        Endpoint(answers("Hm.")) as model,
        served(
            tmp_path, {"serve.upstream": model.url, "serve.recall_timeout_s": patience_s}
        ) as house,
    ):
        house.home.role("Mira", create=True).remember("The beacon is lit at nine.", keys=["beacon"])

        def sent(content: object, by: str) -> str:
            url, header = f"{house.url}/r/Mira/v1/chat/completions", {"X-Rolememory-User": by}
            body = {"model": "m", "messages": [{"role": "user", "content": content}]}
            with httpx.Client(timeout=60, trust_env=False, verify=False) as frontend:
                frontend.post(url, json=body, headers=header).raise_for_status()
            return model.requests[-1].body.decode()

        asked = "When is the beacon lit?"
        sent(asked, by=user)
        assert house.house.settle(60)
        house.house.admission.left_after(1_000.0)
        image = {"url": f"data:image/png;base64,{'A' * LARGE}"}
        parts = [{"type": "text", "text": asked}, {"type": "image_url", "image_url": image}]
        assert ("lit at nine" in sent(parts, by="lin")) is (user == "lin")


def test_room_is_waited_for_and_small_bodies_have_their_own() -> None:
    async def asked() -> list[bool]:
        admission = Admission()
        found = [await admission.reserve(4 * LARGE, LARGE, 0.01)]
        found += [not await admission.reserve(1, LARGE, 0.01), admission.hold(1, LARGE)]
        waiting = asyncio.ensure_future(admission.reserve(1, LARGE, 60.0))
        await asyncio.sleep(0)
        admission.free(4 * LARGE, large=True)
        return [*found, await waiting]

    assert asyncio.run(asked()) == [True] * 4


def test_turns_come_in_between_while_a_long_chat_is_read(mira: RoleMemory) -> None:
    def found() -> bool:
        told = mira.search("Which lantern is the 1597th?", user="lin", chat="b", limit=5)
        return any("begun 1597:" in one.memory.content for one in told)

    with mira.parts.context.catching_up():
        mira.observe(giant(1_600, "begun "), chat="a", user="lin")
        assert not found(), "somebody's turn read it all"
    assert found()


def test_a_live_turn_after_an_import_reads_little_of_it(mira: RoleMemory) -> None:
    mira.observe(giant(1_600, "begun "), chat="a", user="lin")
    context = mira.parts.context
    with context.live_turn():
        mira.recall("Good evening.", user="lin", chat="b")
        assert context.passages.has_unread, "the turn read it all"
    context.catch_up()
    assert not context.passages.has_unread


def test_a_long_turn_looks_often_whether_anybody_waits(mira: RoleMemory) -> None:
    """Between two looks lies a part of the work that does not grow with the chat, also where it was never read before: counted in calls."""
    _most_between_looks(mira, 1_000, "first")  # reads word lists and templates
    longest = [
        _most_between_looks(mira, count, chat) for count, chat in ((1_000, "a"), (4_000, "b"))
    ]
    assert longest[1] < 1.2 * longest[0], longest


def _most_between_looks(mira: RoleMemory, count: int, chat: str) -> int:
    """The most calls between two looks of a turn that shows so many messages."""
    calls, looks = 0, list[int]()

    def counted(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"
        if event == "call" and frame.f_code is check_cancelled.__code__:
            looks.append(calls)

    mira.observe(giant(count, f"{chat} "), chat=chat, user="lin")
    sys.setprofile(counted)
    try:
        with cancel_when(lambda: False):
            mira.recall(giant(count, f"{chat} "), chat=chat, user="lin")
    finally:
        sys.setprofile(None)
    return max(later - earlier for earlier, later in pairwise([*looks, calls]))


def test_no_garbage_is_collected_between_the_looks_of_a_long_turn(mira: RoleMemory) -> None:
    """Looking through all that such a turn holds takes longer than a step of its work."""
    collects = list[bool]()

    def look() -> bool:
        collects.append(gc.isenabled())
        return False

    with cancel_when(look):
        mira.recall(giant(2_000), chat="a", user="lin")
    assert collects
    assert not any(collects)
    assert gc.isenabled(), "and after it as before"


def test_a_turn_that_was_given_up_anywhere_costs_the_next_nothing(
    tmp_path: Path, mira: RoleMemory
) -> None:
    """Stopped at its first look, then at its second and so on, it comes at last to what it comes to undisturbed."""

    def told(role: RoleMemory, looks: float) -> str:
        left = iter(range(int(min(looks, 1e9))))
        with cancel_when(lambda: next(left, None) is None):
            return role.recall("Which lantern is the 7th?", user="lin", chat="a").text

    with Home.open(tmp_path / "undisturbed", WORDS_ONLY) as home:
        other = home.role("Mira", create=True)
        other.remember("Mira keeps the beacon.", keys=["harbour"])
        for role in (mira, other):
            role.recall("Good evening.", user="lin", chat="a", dry_run=True)
            role.observe(giant(20), user="lin", chat="b")
        looks, given_up = 0, True
        while given_up:
            looks += 1
            with suppress(GivenUpError):
                found, given_up = told(mira, looks), False
        assert looks > 5
        assert "7: lantern" in found
        assert found == told(other, float("inf"))
