"""The connections to the model's server, as the transport uses them over TLS: against a real server on the loopback."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from time import monotonic
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import trustme
from httpcore._async import http11

from rolememory.serve.proxy.sockets import Transport

PIECE, PIECES = b"a piece of an answer, " * 3000, 60  # some 4 MB: more than any buffer holds
HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % (len(PIECE) * PIECES)
AUTHORITY = trustme.CA()


Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(answer: Answer, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server on the loopback, whose connections are over at the end: its host and port."""
    over: list[asyncio.Event] = []

    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        over.append(asyncio.Event())
        done = over[-1]
        with suppress(ConnectionError):
            await answer(reader, writer)
        with suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()
        done.set()

    server = await asyncio.start_server(answering, "localhost", 0, ssl=context)
    async with server:
        try:
            yield f"localhost:{server.sockets[0].getsockname()[1]}"
        finally:
            for one in over:
                await one.wait()


@asynccontextmanager
async def served(name: str = "localhost") -> AsyncIterator[tuple[str, list[int]]]:
    """A server that answers each request with all pieces: the URL of it, and how many requests came over each connection."""
    requests: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place = len(requests)
        requests.append(0)
        while await reader.read(65536):
            requests[place] += 1
            writer.write(HEAD)
            for _ in range(PIECES):
                writer.write(PIECE)
                await writer.drain()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(name).configure_cert(context)
    async with serving(answer, context) as place:
        yield f"https://{place}/v1/models", requests


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    AUTHORITY.configure_trust(context)
    return context


async def got(connections: Transport, url: str) -> bytes:
    asked = httpx.Request("GET", url, extensions={"timeout": {"connect": 30, "read": 30}})
    answer = await connections.handle_async_request(asked)
    async with asyncio.timeout(60):
        return await answer.aread()


def test_long_answers_come_whole_one_after_another_over_one_encrypted_line() -> None:
    async def ask() -> None:
        async with (
            served() as (url, requests),
            Transport(kept=2, trusted=trusting()) as connections,
        ):
            assert [await got(connections, url) for _ in range(3)] == 3 * [PIECE * PIECES]
            assert requests == [3]

    asyncio.run(ask())


def test_the_line_of_a_turn_serves_the_next_one_after_reading_and_typing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new one takes several round trips to a server elsewhere. One that rests for long is opened anew."""
    passed = [0.0]
    clock = SimpleNamespace(monotonic=lambda: monotonic() + passed[0])
    monkeypatch.setattr(http11, "time", clock)

    async def ask() -> None:
        async with (
            served() as (url, requests),
            Transport(kept=2, trusted=trusting()) as connections,
        ):
            for seconds in (0, 25, 25, 35):
                passed[0] += seconds
                await got(connections, url)
            assert requests == [3, 1]

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("name", "trusted"),
    [
        pytest.param("localhost", None, id="nobody knows who signed it"),
        pytest.param("elsewhere.example", trusting(), id="it names another host"),
    ],
)
def test_a_certificate_that_proves_nothing_is_refused(
    name: str, trusted: ssl.SSLContext | None
) -> None:
    async def ask() -> None:
        async with (
            served(name) as (url, _),
            Transport(kept=2, trusted=trusted) as connections,
        ):
            with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
                await got(connections, url)

    asyncio.run(ask())


def test_a_connection_that_stands_is_used_also_where_the_loop_was_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ask() -> None:
        loop, passed = asyncio.get_running_loop(), [0.0]
        clock, connect = loop.time, loop.sock_connect

        async def connected(*told: Any) -> None:
            await connect(*told)
            passed[0] += 31.0  # other work kept the loop from looking for longer than the time-out

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(TimeoutError):  # nobody asks over a connection that was given up
                async with asyncio.timeout(20):
                    await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nHm.")

        monkeypatch.setattr(loop, "time", lambda: clock() + passed[0])
        monkeypatch.setattr(loop, "sock_connect", connected)
        async with serving(answer) as place, Transport(kept=2) as connections:
            assert await got(connections, f"http://{place}/v1/models") == b"Hm."

    asyncio.run(ask())


def test_only_a_silence_as_long_as_the_timeout_ends_a_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = list[bytes]()

    async def ask() -> None:
        loop, passed, came = asyncio.get_running_loop(), [0.0], asyncio.Event()
        clock = loop.time
        monkeypatch.setattr(loop, "time", lambda: clock() + passed[0])

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n")
            for seconds in (20, 20, 20, 31):
                await came.wait()
                came.clear()
                passed[0] += seconds
                writer.write(b"Hm." if seconds < 30 else b"")
            await reader.read()

        async with serving(answer) as place, Transport(kept=2) as connections:
            timeouts = {"timeout": {"read": 30}}
            asked = httpx.Request("GET", f"http://{place}/v1/models", extensions=timeouts)
            response = await connections.handle_async_request(asked)
            came.set()
            async for piece in response.aiter_raw():
                heard.append(piece)
                came.set()

    with pytest.raises(httpx.ReadTimeout):
        asyncio.run(ask())
    assert heard == 3 * [b"Hm."]
