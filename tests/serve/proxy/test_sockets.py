"""The connections to the model's server, as the transport uses them over TLS: against a real server on the loopback."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import trustme

from rolememory.serve.proxy.sockets import Transport

PIECE, PIECES = b"a piece of an answer, " * 3000, 60  # some 4 MB: more than any buffer holds
HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % (len(PIECE) * PIECES)
AUTHORITY = trustme.CA()


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
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(name).configure_cert(context)
    server = await asyncio.start_server(answer, "localhost", 0, ssl=context)
    async with server:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}/v1/models", requests


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
