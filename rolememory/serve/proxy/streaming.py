"""The frontend's line while it is answered: who hangs up lets go of the work and of the upstream, and a broken answer is not made whole."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from starlette.requests import Request

from rolememory.serve.guard import CLOSE, Send

Put = Callable[[bytes], Awaitable[None]]
"""Sends a piece of an answer's body to the frontend; the first time status and headers before it, for b"" these alone."""
_log = logging.getLogger(__name__)


class UpstreamBrokeOffError(Exception):
    """The upstream's answer ended too early."""


@asynccontextmanager
async def while_somebody_waits(request: Request) -> AsyncIterator[None]:
    """What is done inside is given up when the frontend hangs up: a model may think for minutes. The body must have come in."""
    working, waits = asyncio.current_task(), True
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
    """Ends when nobody waits for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def close_line(request: Request) -> None:
    """Let the frontend see that its answer is not whole."""
    if close := request.scope.get(CLOSE):
        close()
        await hung_up(request)


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """The upstream's answer as it comes. `carry` brings all of it but the end, and closes it."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    carry: Callable[[Put], Awaitable[None]]

    async def begin(self, send: Send) -> None:
        """Send it on as far as it goes.

        Raises:
            UpstreamBrokeOffError: it is shorter than it said.
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
        """Tell that this was all."""
        await send({"type": "http.response.body", "body": b""})


def broke_off(answer: httpx.Response, error: Exception) -> None:
    """Tell of it on the console, and the frontend too where it would take the rest for the whole.

    Raises:
        UpstreamBrokeOffError: the answer said how long it would be.
    """
    _log.warning("the upstream's answer broke off: %s", type(error).__name__)
    if "content-length" in answer.headers:
        raise UpstreamBrokeOffError from error
