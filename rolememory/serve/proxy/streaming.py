"""The frontend's line while the upstream is asked: who hangs up lets go of the upstream, and a broken answer is not made whole."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import httpx
from starlette.requests import Request
from starlette.responses import StreamingResponse

from rolememory.serve.guard import Receive, Scope, Send

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class ClientDisconnectedError(Exception):
    """The frontend hung up before a word of the answer came."""


class UpstreamBrokeOffError(Exception):
    """The upstream's answer ended too early."""


async def unless_disconnected(request: Request, asked: Awaitable[_T]) -> _T:
    """What is asked for, as long as somebody waits for it. A model may think for minutes before its first word.

    Raises:
        GoneError: nobody waits any more; what was asked, of memory or the upstream, was given up.
        httpx.HTTPError: it cannot be reached.
    """
    answer, gone = asyncio.ensure_future(asked), asyncio.ensure_future(hung_up(request))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        await _let_go(answer)
        raise ClientDisconnectedError
    except asyncio.CancelledError:
        answer.cancel()
        raise
    finally:
        gone.cancel()


async def _let_go(answer: "asyncio.Future[Any]") -> None:
    answer.cancel()
    late: Any
    (late,) = await asyncio.gather(answer, return_exceptions=True)
    if isinstance(late, httpx.Response):
        await late.aclose()


async def hung_up(request: Request) -> None:
    """Ends when nobody waits for the answer any more. Its body must have come in."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


class StreamedResponse(StreamingResponse):
    """An answer as it comes. One that breaks off before its announced length ends the line, as it would without us."""

    at_end: Callable[[], None] | None = None  # called once it is carried, or nobody waits any more

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve it."""
        try:
            with suppress(UpstreamBrokeOffError):
                await super().__call__(scope, receive, send)
        finally:
            if self.at_end:
                self.at_end()


def broke_off(answer: httpx.Response, error: Exception) -> None:
    """Tell of it on the console, and the frontend too where it would take the rest for the whole.

    Raises:
        BrokenOffError: the answer said how long it would be.
    """
    _log.warning("the upstream's answer broke off: %s", type(error).__name__)
    if "content-length" in answer.headers:
        raise UpstreamBrokeOffError from error
