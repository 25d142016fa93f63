"""Connections of httpx's transport over asyncio streams: with anyio's, each chunk of a response takes twice the time."""

import asyncio
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpcore
import httpx

_NAMES = {"client_addr": "sockname", "server_addr": "peername"}  # asyncio's names by httpcore's
_HEADERS_END = b"\r\n\r\n"


class Transport(httpx.AsyncHTTPTransport):
    """httpx's transport with connections of asyncio; a number of idle ones are kept alive for a while.

    `trusted`: the trusted certificates; None = httpx's default.
    """

    def __init__(
        self, kept: int, kept_s: float = 5.0, trusted: ssl.SSLContext | None = None
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
        reader = _Reader(loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        with _failing_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                transport, _ = await loop.create_connection(
                    lambda: protocol, host, port, happy_eyeballs_delay=0.25
                )
        return _Connection(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


class _Reader(asyncio.StreamReader):
    """A stream reader that knows the size of its unread data."""

    unread = 0

    def feed_data(self, data: Any) -> None:
        self.unread += len(data)
        super().feed_data(data)

    async def read(self, n: int = -1) -> bytes:
        data = await super().read(n)
        self.unread -= len(data)
        return data


class _Connection(httpcore.AsyncNetworkStream):
    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._held = b""  # headers, sent together with the body

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _failing_as(httpcore.ReadTimeout, httpcore.ReadError):
            async with asyncio.timeout(timeout):
                return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not self._held and buffer.endswith(_HEADERS_END):
            self._held = buffer  # flushed by httpcore's final, possibly empty write
            return
        data, self._held = self._held + buffer, b""
        if not data:
            return
        with _failing_as(httpcore.WriteTimeout, httpcore.WriteError):
            self._writer.write(data)
            async with asyncio.timeout(timeout):
                await self._writer.drain()

    async def aclose(self) -> None:
        """Close the connection, dropping unsent data."""
        self._writer.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> Self:
        with _failing_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            try:
                async with asyncio.timeout(timeout):
                    await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
            except BaseException:
                await self.aclose()
                raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """A property of the connection; "is_readable" of an idle one: data arrived, or it was closed."""
        if info == "is_readable":
            came = self._reader.unread or self._reader.at_eof() or self._reader.exception()
            return bool(came)
        return self._writer.get_extra_info(_NAMES.get(info, info))


@contextmanager
def _failing_as(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """Raise errors as httpcore's."""
    try:
        yield
    except TimeoutError as error:
        raise late from error
    except OSError as error:
        raise broken(error) from error
