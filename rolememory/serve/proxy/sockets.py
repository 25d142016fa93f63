"""Connections of httpx's transport straight on asyncio: with anyio's streams, each chunk of a response takes twice the time."""

import asyncio
import math
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self, cast

import httpcore
import httpx

_NAMES = {"client_addr": "sockname", "server_addr": "peername"}  # asyncio's names by httpcore's
_HEADERS_END = b"\r\n\r\n"
_STEPS = 20  # of the event loop, in which a connection that stands is taken, also where the loop was late
_UNREAD = 64 * 1024  # bytes; beyond twice as many, no more are received until they are read


class Transport(httpx.AsyncHTTPTransport):
    """httpx's transport with connections of asyncio; a number of idle ones are kept alive for a while.

    `trusted`: the trusted certificates; None = httpx's default.
    """

    def __init__(
        self, kept: int, kept_s: float = 30.0, trusted: ssl.SSLContext | None = None
    ) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=trusted or httpx.create_ssl_context(trust_env=False),
            max_connections=None,
            max_keepalive_connections=kept,
            keepalive_expiry=kept_s,
            network_backend=_Connections(),
        )


class _Connections(httpcore.AsyncNetworkBackend):
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Open a connection to the first address of the host that answers."""
        loop = asyncio.get_running_loop()
        with _failing_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            opening = loop.create_task(
                loop.create_connection(
                    lambda: _Connection(loop), host, port, happy_eyeballs_delay=0.25
                )
            )
            try:
                await asyncio.wait({opening}, timeout=timeout)
                for _ in range(_STEPS):
                    if opening.done():
                        return opening.result()[1]
                    await asyncio.sleep(0)
                raise TimeoutError
            finally:
                opening.cancel()


class _Connection(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """A connection and its unread data. One timer serves all reads: a stream has hundreds."""

    _transport: asyncio.Transport
    _waiting: asyncio.Future[None] | None = None  # a read
    _timer: asyncio.TimerHandle | None = None
    _until = math.inf  # when the read times out
    _broken: Exception | None = None
    _ended = _lost = False  # no more data will come; nor can any be sent

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._unread = bytearray()
        self._writable = asyncio.Event()
        self._writable.set()
        self._held = b""  # headers, sent together with the body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > 2 * _UNREAD:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._ended = True
        self._wake()
        return self._transport.get_extra_info("sslcontext") is None  # TLS closes both directions

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._lost = True
        self._broken = exc
        self._writable.set()
        if self._timer:
            self._timer.cancel()
        self._wake()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not (self._unread or self._ended):
            await self._wait(math.inf if timeout is None else self._loop.time() + timeout)
        if self._broken:
            raise httpcore.ReadError(self._broken) from self._broken
        data = bytes(self._unread[:max_bytes])
        del self._unread[:max_bytes]
        if len(self._unread) <= _UNREAD:
            self._transport.resume_reading()
        return data

    async def _wait(self, until: float) -> None:
        """Wait for data or the end. Raises: httpcore.ReadTimeout."""
        self._waiting = self._loop.create_future()
        self._until = until
        if self._timer and self._timer.when() > until:
            self._timer.cancel()
            self._timer = None
        if not self._timer:
            self._check_late()
        try:
            await self._waiting
        except TimeoutError as error:
            raise httpcore.ReadTimeout from error
        finally:
            self._waiting = None

    def _check_late(self) -> None:
        """Time out the read if it is late; if there is one in time, look again when it would be late."""
        self._timer = None
        if not self._waiting or self._waiting.done() or self._until == math.inf:
            return
        if self._loop.time() < self._until:
            self._timer = self._loop.call_at(self._until, self._check_late)
        else:
            self._waiting.set_exception(TimeoutError())

    def _wake(self) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not self._held and buffer.endswith(_HEADERS_END):
            self._held = buffer  # flushed by httpcore's final, possibly empty write
            return
        data = self._held + buffer
        self._held = b""
        if not data:
            return
        self._transport.write(data)
        if self._transport.is_closing():
            await asyncio.sleep(0)  # so that `connection_lost` is called
        if not self._writable.is_set():
            with _failing_as(httpcore.WriteTimeout, httpcore.WriteError):
                async with asyncio.timeout(timeout):
                    await self._writable.wait()
        if self._lost:
            raise httpcore.WriteError("connection lost")

    async def aclose(self) -> None:
        """Close the connection, dropping unsent data."""
        self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> Self:
        with _failing_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            try:
                async with asyncio.timeout(timeout):
                    encrypted = await self._loop.start_tls(
                        self._transport, self, ssl_context, server_hostname=server_hostname
                    )
            except BaseException:
                await self.aclose()
                raise
        self._transport = cast("asyncio.Transport", encrypted)
        return self

    def get_extra_info(self, info: str) -> Any:
        """A property of the connection; "is_readable" of an idle one: data arrived, or it was closed."""
        if info == "is_readable":
            return bool(self._unread) or self._ended
        return self._transport.get_extra_info(_NAMES.get(info, info))


@contextmanager
def _failing_as(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """Raise errors as httpcore's."""
    try:
        yield
    except TimeoutError as error:
        raise late from error
    except OSError as error:
        raise broken(error) from error
