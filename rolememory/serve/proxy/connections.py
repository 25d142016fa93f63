"""HTTP/1.1 to the model's server straight on asyncio: a piece of an answer passes no layer that has nothing to do with it.

What is said by whom when is h11's; here are the connections, kept open from one request to the next, and the times.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property

import h11
import httpx

_KEPT = 32  # connections that are left open ...
_KEPT_S = 5.0  # ... for so long
_AHEAD = 256 * 1024  # bytes that come before anybody takes them; then the server waits
_HEADERS = 100 * 1024  # bytes that the headers of an answer may have
_UNANSWERED = "the server closed the connection without an answer"
Origin = tuple[str, str, int]  # scheme, host, port


class Connections(httpx.AsyncBaseTransport):
    """Asks servers; whoever takes an answer closes it."""

    def __init__(self, connect_s: float, idle_s: float) -> None:
        self._connect_s, self._idle_s = connect_s, idle_s
        self._open: list[_Connection] = []  # that wait for the next request, the last used last

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Ask, over an open connection where there is one; one that the server had closed meanwhile is replaced.

        Raises:
            httpx.HTTPError: the server cannot be reached, or says nothing that can be read.
        """
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        origin = url.scheme, url.raw_host.decode("ascii"), port
        while (connection := self._waiting(origin)) is not None:
            with suppress(_UnansweredError):
                return await self._asked(connection, request)
        try:
            return await self._asked(await self._begun(origin), request)
        except _UnansweredError as error:
            raise error.told from error

    async def aclose(self) -> None:
        """Close what is open."""
        while self._open:
            self._open.pop().close()

    async def _asked(self, connection: "_Connection", request: httpx.Request) -> httpx.Response:
        try:
            with _told():
                head = await connection.ask(request)
        except BaseException:
            connection.close()
            raise
        headers = head.headers.raw_items()
        return httpx.Response(
            head.status_code, headers=headers, stream=_Answer(self, connection), request=request
        )

    def _waiting(self, origin: Origin) -> "_Connection | None":
        """An open connection to this server; those that nobody used for long are closed."""
        oldest = asyncio.get_running_loop().time() - _KEPT_S
        for one in [one for one in self._open if one.used < oldest or one.ended]:
            self._open.remove(one)
            one.close()
        found = next((one for one in reversed(self._open) if one.origin == origin), None)
        if found:
            self._open.remove(found)
        return found

    async def _begun(self, origin: Origin) -> "_Connection":
        scheme, host, port = origin
        try:
            async with asyncio.timeout(self._connect_s):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: _Connection(origin, self._idle_s),
                    host,
                    port,
                    ssl=self._security if scheme == "https" else None,
                    happy_eyeballs_delay=0.25,
                )
        except TimeoutError as error:
            raise httpx.ConnectTimeout("no connection in time") from error
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(str(error)) from error
        return connection

    def _back(self, connection: "_Connection") -> None:
        """An answer is closed: its connection waits for the next request, if it was read to its end."""
        if connection.may_go_on():
            self._open.append(connection)
            if len(self._open) > _KEPT:
                self._open.pop(0).close()
        else:
            connection.close()

    @cached_property
    def _security(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()


class _UnansweredError(Exception):
    """The line ended before a word of an answer: what a server does with an idle connection just when it is used again."""

    def __init__(self, told: httpx.HTTPError) -> None:
        super().__init__(str(told))
        self.told = told


class _Connection(asyncio.Protocol):
    """One line to a server."""

    def __init__(self, origin: Origin, idle_s: float) -> None:
        self.origin, self.used = origin, 0.0
        self.ended = False
        self._idle_s = idle_s
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEADERS)
        self._line: asyncio.Transport
        self._asking = False
        self._ahead = 0  # bytes that came since somebody took some
        self._fault: Exception | None = None
        self._came = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._line = transport

    def data_received(self, data: bytes) -> None:
        if not self._asking:
            self.close()
            return
        self._state.receive_data(data)
        self._ahead += len(data)
        if self._ahead > _AHEAD:
            self._line.pause_reading()
        self._came.set()

    def eof_received(self) -> None:
        self._ended(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended(exc)

    async def ask(self, request: httpx.Request) -> h11.Response:
        """Send a request; how the answer begins."""
        state, self._asking = self._state, True
        target, headers = request.url.raw_path, request.headers.raw
        head = h11.Request(method=request.method, target=target, headers=headers)
        said = [head, h11.Data(data=request.content), h11.EndOfMessage()]
        self._line.write(b"".join(filter(None, map(state.send, said))))
        while True:
            event = state.next_event()
            if event is h11.NEED_DATA:
                await self._more(answered=False)
            elif isinstance(event, h11.Response):
                return event
            elif not isinstance(event, h11.InformationalResponse):
                raise httpx.RemoteProtocolError("no answer to a request")

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body of the answer, each time all that has come."""
        while True:
            came = list[bytes]()
            while isinstance(event := self._state.next_event(), h11.Data):
                came.append(event.data)
            if came:
                yield b"".join(came)
            if event is not h11.NEED_DATA:
                return
            await self._more()

    def may_go_on(self) -> bool:
        """Make ready for the next request; false where that cannot be."""
        state = self._state
        if self.ended or (state.our_state, state.their_state) != (h11.DONE, h11.DONE):
            return False
        if state.trailing_data[0]:
            return False
        state.start_next_cycle()
        self._asking, self.used = False, asyncio.get_running_loop().time()
        return True

    def close(self) -> None:
        """Let go of it, whatever is on its way."""
        self._ended(ConnectionAbortedError("closed here"))
        self._line.abort()

    async def _more(self, *, answered: bool = True) -> None:
        """Wait for what comes next."""
        self._ahead = 0
        self._line.resume_reading()
        try:
            async with asyncio.timeout(self._idle_s):
                await self._came.wait()
        except TimeoutError as error:
            raise httpx.ReadTimeout("nothing came in time") from error
        if not self.ended:
            self._came.clear()
        elif self._fault:
            told = httpx.ReadError(str(self._fault))
            raise told if answered else _UnansweredError(told)
        elif not answered and not self._state.trailing_data[0]:
            raise _UnansweredError(httpx.RemoteProtocolError(_UNANSWERED))

    def _ended(self, fault: Exception | None) -> None:
        """Nothing comes any more; what came before is read all the same."""
        if not self.ended:
            self.ended, self._fault = True, fault
            if fault is None:
                self._state.receive_data(b"")
        self._came.set()


class _Answer(httpx.AsyncByteStream):
    """The body of an answer."""

    def __init__(self, connections: Connections, connection: _Connection) -> None:
        self._connections, self._connection = connections, connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _told():
            async for piece in self._connection.pieces():
                yield piece

    async def aclose(self) -> None:
        self._connections._back(self._connection)


@contextmanager
def _told() -> Iterator[None]:
    """Tell what h11 refuses as httpx would. Raises: httpx.ProtocolError."""
    try:
        yield
    except h11.LocalProtocolError as error:
        raise httpx.LocalProtocolError(str(error)) from error
    except h11.RemoteProtocolError as error:
        raise httpx.RemoteProtocolError(str(error)) from error
