"""Connections of httpx's transport, over asyncio's own streams: on anyio's, each piece of an answer costs as much again as all else that is done with it."""

import asyncio
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpcore
import httpx

_NAMES = {"client_addr": "sockname", "server_addr": "peername"}  # ours, by httpcore's
_HEADERS_END = b"\r\n\r\n"


class Transport(httpx.AsyncHTTPTransport):
    """httpx's transport with connections of asyncio; so many of them stay open for a while when nobody uses them.

    `trusted`: whose certificates count; None = those httpx knows.
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
        """Open a connection, by whichever of the host's addresses answers first."""
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
    """Knows how much came that nobody has read yet."""

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
        self._held = b""  # headers, which leave with what follows them

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _failing_as(httpcore.ReadTimeout, httpcore.ReadError):
            async with asyncio.timeout(timeout):
                return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not self._held and buffer.endswith(_HEADERS_END):
            self._held = buffer  # httpcore writes an empty end of each request, if nothing else
            return
        data, self._held = self._held + buffer, b""
        if not data:
            return
        with _failing_as(httpcore.WriteTimeout, httpcore.WriteError):
            self._writer.write(data)
            async with asyncio.timeout(timeout):
                await self._writer.drain()

    async def aclose(self) -> None:
        """Let go of it, whatever is still to be sent."""
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
        """What is known of it; "is_readable" of one that waits for a request: something came, or it is at its end."""
        if info == "is_readable":
            came = self._reader.unread or self._reader.at_eof() or self._reader.exception()
            return bool(came)
        return self._writer.get_extra_info(_NAMES.get(info, info))


@contextmanager
def _failing_as(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """Tell of what goes wrong in httpcore's words."""
    try:
        yield
    except TimeoutError as error:
        raise late from error
    except OSError as error:
        raise broken(error) from error
