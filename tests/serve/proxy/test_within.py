"""Memory's work has a deadline, and what hangs does not pile up."""

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rolememory.serve.proxy.deadline import AT_ONCE, LATE, THREADS, DeadlineRunner


def test_what_hangs_is_left_behind_and_not_asked_again_until_it_ends() -> None:
    freed, asked = threading.Event(), list[int]()

    def hang() -> str:
        asked.append(1)
        freed.wait(30)
        return "late"

    async def turns() -> tuple[list[str], str]:
        within = DeadlineRunner()
        said = [
            await within.run(hang, "none", 0.02, lambda turn=turn: len(asked) <= turn)
            for turn in range(3 * LATE)
        ]
        freed.set()
        while within.late:
            await asyncio.sleep(0)
        return said, await within.run(lambda: "well", "none", 10.0)

    said, after = asyncio.run(turns())
    assert said == ["none"] * 3 * LATE
    assert len(asked) == LATE
    assert after == "well"


def test_what_fails_is_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise ValueError("My sister Anna keeps bees.")

    with caplog.at_level(logging.INFO, logger="rolememory"):
        assert asyncio.run(DeadlineRunner().run(fail, "none", 10.0)) == "none"
    told = caplog.text
    assert "ValueError at test_within.py:" in told
    assert "Anna" not in told


def test_many_at_once_wait_their_turn() -> None:
    async def turns() -> list[int]:
        within = DeadlineRunner()
        return await asyncio.gather(
            *(within.run(lambda number=number: number, -1, 30.0) for number in range(100))
        )  # type: ignore[misc]

    assert asyncio.run(turns()) == list(range(100))


def test_who_asked_first_is_served_first() -> None:
    begun, freed = list[int](), threading.Event()

    def work(number: int) -> int:
        begun.append(number)
        freed.wait(30)
        return number

    async def turns() -> list[int]:
        within = DeadlineRunner()
        asked = [
            asyncio.ensure_future(within.run(lambda number=number: work(number), -1, 30.0))
            for number in range(3 * THREADS)
        ]
        while len(begun) < THREADS:
            await asyncio.sleep(0)
        for _ in range(100):
            await asyncio.sleep(0)
        first = sorted(begun)
        freed.set()
        await asyncio.gather(*asked)
        return first

    assert asyncio.run(turns()) == list(range(THREADS))


def test_who_asked_later_does_not_make_the_first_one_late() -> None:
    running, beside = list[int](), list[int]()

    def work(number: int) -> None:
        running.append(number)
        sum(range(200_000))
        beside.append(len(running) - 1)
        running.remove(number)

    async def turns() -> None:
        within = DeadlineRunner(alone_s=30.0)
        await asyncio.gather(
            *(within.run(lambda number=number: work(number), None, 30.0) for number in range(20))
        )  # type: ignore[misc]

    asyncio.run(turns())
    assert beside == [0] * 20


def test_what_can_wait_begins_when_nobody_waits_for_memory() -> None:
    freed, done = threading.Event(), list[str]()

    async def turns() -> None:
        within = DeadlineRunner()

        async def turn() -> None:
            await within.run(lambda: freed.wait(30), False, 30.0)
            done.append("turn")

        async def behind(most_s: float, name: str) -> None:
            await within.idle(most_s)
            done.append(name)

        await behind(30.0, "at once, where nothing is asked")
        asked = [asyncio.ensure_future(turn()) for _ in range(2 * THREADS)]
        await asyncio.sleep(0)
        asked.append(asyncio.ensure_future(behind(30.0, "behind all turns")))
        await behind(0.01, "no later than that")
        freed.set()
        await asyncio.gather(*asked)

    asyncio.run(turns())
    assert done == [
        "at once, where nothing is asked",
        "no later than that",
        *["turn"] * 2 * THREADS,
        "behind all turns",
    ]


def test_a_turn_that_comes_is_before_what_can_wait_and_has_not_begun() -> None:
    begun, freed, told, done = (
        threading.Semaphore(0),
        threading.Event(),
        threading.Event(),
        list[str](),
    )

    def keep() -> None:
        begun.release()
        freed.wait(30)
        done.append("kept")

    async def turns(threads: ThreadPoolExecutor) -> None:
        within = DeadlineRunner()
        waiting = {
            asyncio.ensure_future(within.in_background(threads, keep, 30.0)) for _ in range(6)
        }
        for _ in range(AT_ONCE):
            await asyncio.to_thread(begun.acquire)

        async def turn() -> None:
            await within.run(lambda: told.wait(30), False, 30.0)
            done.append("turn")

        asked = asyncio.ensure_future(turn())
        await asyncio.sleep(0)
        freed.set()
        while len(done) < AT_ONCE:
            _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        told.set()
        await asyncio.wait([asked, *waiting])

    with ThreadPoolExecutor(8) as threads:
        asyncio.run(turns(threads))
    assert done == ["kept"] * AT_ONCE + ["turn"] + ["kept"] * (6 - AT_ONCE)
