"""Lines to the model's server: each carries one request at a time and is kept open for the next.

Takes the place of httpx's own transport, which takes half of the time of a stream for locks and timers.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress

import h11
import httpx

MOST_IDLE = 32  # lines that are kept open for the next request
IDLE_S = 5.0  # and for how long
HELD = 256 * 1024  # bytes of an answer that wait here for a slow frontend
_HEADERS = 100 * 1024  # bytes of an answer's headers

_PORTS = {"http": 80, "https": 443}
_Origin = tuple[str, str, int]


class Lines(httpx.AsyncBaseTransport):
    """Sends requests over HTTP/1.1. The lines are closed with it."""

    def __init__(self) -> None:
        self._idle: list[_Line] = []  # the one that was used last comes last
        self._tls: ssl.SSLContext | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, as far as its headers; its body is read as it comes.

        Raises:
            httpx.TransportError: there is none.
        """
        url, limits = request.url, request.extensions.get("timeout", {})
        origin = (url.scheme, url.raw_host.decode("ascii"), url.port or _PORTS[url.scheme])
        body = b"".join([part async for part in request.stream])  # type: ignore[union-attr]
        while line := self._kept(origin):
            try:
                return await self._asked(line, request, body, limits.get("read"))
            except httpx.TransportError:
                if not line.closed_unanswered:
                    raise  # else the server closed it just when it was used again
        line = await self._opened(origin, limits.get("connect"))
        return await self._asked(line, request, body, limits.get("read"))

    async def aclose(self) -> None:
        """Close all that nobody uses."""
        for line in self._idle:
            line.close()

    def _kept(self, origin: _Origin) -> "_Line | None":
        """A line that was kept open; those that waited too long, or were closed meanwhile, go."""
        oldest = time.monotonic() - IDLE_S
        known, self._idle = self._idle, []
        found = None
        for line in known:
            if line.since < oldest or not line.quiet:
                line.close()
            else:
                self._idle.append(line)
                found = line if line.origin == origin else found
        if found:
            self._idle.remove(found)
        return found

    def _keep(self, line: "_Line") -> None:
        if len(self._idle) < MOST_IDLE and line.next_cycle():
            self._idle.append(line)
        else:
            line.close()

    async def _opened(self, origin: _Origin, within_s: float | None) -> "_Line":
        scheme, host, port = origin
        if scheme == "https" and self._tls is None:
            self._tls = httpx.create_ssl_context(trust_env=False)
            self._tls.set_alpn_protocols(["http/1.1"])
        try:
            async with asyncio.timeout(within_s):
                _, line = await asyncio.get_running_loop().create_connection(
                    lambda: _Line(origin),
                    host,
                    port,
                    ssl=self._tls if scheme == "https" else None,
                    happy_eyeballs_delay=0.25,
                )
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        return line

    async def _asked(
        self, line: "_Line", request: httpx.Request, body: bytes, within_s: float | None
    ) -> httpx.Response:
        try:
            line.ask(request, body)
            head = await line.event(within_s)
            while not isinstance(head, h11.Response):
                head = await line.event(within_s)
        except BaseException:
            line.close()
            raise
        answer = _Answer(line, within_s, self._keep)
        return httpx.Response(head.status_code, headers=head.headers.raw_items(), stream=answer)


class _Answer(httpx.AsyncByteStream):
    """The body of an answer. What came at once is given at once."""

    def __init__(
        self, line: "_Line", within_s: float | None, keep: Callable[["_Line"], None]
    ) -> None:
        self._line, self._within_s = line, within_s
        self._keep: Callable[[_Line], None] | None = keep

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line, ends = self._line, False
        while not ends and isinstance(event := await line.event(self._within_s), h11.Data):
            yield b"".join([event.data, *line.here()])
            ends = line.http.their_state not in (h11.SEND_BODY, h11.ERROR)

    async def aclose(self) -> None:
        if self._keep:
            keep, self._keep = self._keep, None
            keep(self._line)


class _Line(asyncio.Protocol):
    """One connection."""

    _transport: asyncio.Transport
    _waiter: asyncio.Future[None] | None = None
    _failed: Exception | None = None
    _closed = False

    def __init__(self, origin: _Origin) -> None:
        self.origin, self.since = origin, 0.0
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEADERS)
        self._loop = asyncio.get_running_loop()
        self._unread = 0
        self._again = False  # asked before
        self._silent = False  # nothing came since it was asked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread += len(data)
        if self._unread > HELD:
            self._transport.pause_reading()
        self._came(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed, self._failed = True, exc
        self._came(b"")

    def ask(self, request: httpx.Request, body: bytes) -> None:
        """Send a request.

        Raises:
            httpx.LocalProtocolError: it is none that HTTP/1.1 can say.
        """
        target, headers = request.url.raw_path, request.headers.raw
        try:
            head = h11.Request(method=request.method, target=target, headers=headers)
            events = (head, *([h11.Data(body)] if body else ()), h11.EndOfMessage())
            data = b"".join(self.http.send(event) for event in events)
        except h11.LocalProtocolError as error:
            raise httpx.LocalProtocolError(str(error)) from error
        self._silent = True
        self._transport.write(data)

    def here(self) -> Iterator[bytes]:
        """What more of the body is here already."""
        with suppress(h11.RemoteProtocolError):  # told when it is waited for
            while isinstance(event := self.http.next_event(), h11.Data):
                yield event.data

    async def event(self, within_s: float | None) -> h11.Event:
        """The next event of the answer.

        Raises:
            httpx.TransportError: it took too long, or there is none.
        """
        try:
            while (event := self.http.next_event()) is h11.NEED_DATA:
                if self._failed:
                    raise httpx.ReadError(str(self._failed))
                await self._more(within_s)
        except h11.RemoteProtocolError as error:
            raise httpx.RemoteProtocolError(str(error)) from error
        assert isinstance(event, h11.Event)
        return event

    async def _more(self, within_s: float | None) -> None:
        if self._unread > HELD:
            self._transport.resume_reading()
        self._unread, self._waiter = 0, self._loop.create_future()
        try:
            async with asyncio.timeout(within_s):
                await self._waiter
        except TimeoutError as error:
            raise httpx.ReadTimeout("") from error
        finally:
            self._waiter = None

    def _came(self, data: bytes) -> None:
        self._silent = self._silent and not data
        if not self._failed:
            self.http.receive_data(data)
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    @property
    def closed_unanswered(self) -> bool:
        """Whether the server closed it, which it had left open, before a word of an answer."""
        return self._again and self._silent and self._closed

    @property
    def quiet(self) -> bool:
        """Whether it is open and nothing came that nobody asked for."""
        return not self._closed and not self.http.trailing_data[0]

    def next_cycle(self) -> bool:
        """Be ready for the next request; false where this one did not come to its end."""
        if self.http.our_state is not h11.DONE or self.http.their_state is not h11.DONE:
            return False
        self.http.start_next_cycle()
        self.since, self._again = time.monotonic(), True
        return self.quiet

    def close(self) -> None:
        """Close it."""
        self._transport.close()
