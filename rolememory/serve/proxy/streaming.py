"""Streaming a response to the frontend: a disconnect cancels the work and the upstream request; truncation stays visible."""

import asyncio
import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import httpx
from starlette.requests import Request

from rolememory.serve.guard import CLOSE, Send

Put = Callable[[bytes], Awaitable[None]]
"""Sends a chunk of the body to the frontend; the first time after status and headers, for b"" these alone."""
_log = logging.getLogger(__name__)


class UpstreamBrokeOffError(Exception):
    """The upstream's response was truncated."""


@asynccontextmanager
async def while_somebody_waits(request: Request) -> AsyncIterator[None]:
    """Cancel the block if the frontend disconnects: a model may think for minutes. The body must have been received."""
    working = asyncio.current_task()
    waits = True
    gone = asyncio.ensure_future(hung_up(request))

    def give_up(_: object) -> None:
        if working and waits:
            working.cancel()

    gone.add_done_callback(give_up)
    try:
        yield
    except asyncio.CancelledError:
        if working is None or not gone.done():
            raise
        working.uncancel()
    finally:
        waits = False
        gone.cancel()


async def hung_up(request: Request) -> None:
    """Returns when the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def close_line(request: Request) -> None:
    """Close the connection, so that the frontend sees that the response is truncated."""
    if close := request.scope.get(CLOSE):
        close()
        await hung_up(request)


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """The upstream's response, streamed. `carry` sends all of it but the end, and closes it."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    carry: Callable[[Put], Awaitable[None]]

    async def begin(self, send: Send) -> None:
        """Send all but the end.

        Raises:
            UpstreamBrokeOffError: it is shorter than its Content-Length.
        """
        begun = False

        async def put(data: bytes) -> None:
            nonlocal begun
            if not begun:
                begun = True
                start = "http.response.start"
                await send({"type": start, "status": self.status, "headers": self.headers})
            if data:
                await send({"type": "http.response.body", "body": data, "more_body": True})

        await self.carry(put)

    @staticmethod
    async def end(send: Send) -> None:
        """Send the end of the response."""
        await send({"type": "http.response.body", "body": b""})


def broke_off(answer: httpx.Response, error: Exception) -> None:
    """Log a truncated response; with a Content-Length also raise, so that the frontend notices.

    Raises:
        UpstreamBrokeOffError: the response has a Content-Length.
    """
    _log.warning("the upstream's answer broke off: %s", type(error).__name__)
    if "content-length" in answer.headers:
        raise UpstreamBrokeOffError from error


def chunks_of(answer: httpx.Response) -> AsyncIterable[bytes]:
    """The chunks of a body, decompressed. Raises: httpx.HTTPError."""
    if answer.is_stream_consumed or "content-encoding" in answer.headers:
        return answer.aiter_bytes()
    return raw_chunks(answer)


def raw_chunks(answer: httpx.Response) -> AsyncIterable[bytes]:
    """The chunks of an unread body as received, without httpx's checks of each. Raises: httpx.HTTPError."""
    return cast("httpx.AsyncByteStream", answer.stream)
