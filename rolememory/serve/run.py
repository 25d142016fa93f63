"""The server process: starts in about a second, shuts down gracefully."""

import asyncio
import gc
import logging
import socket
import sys
from collections.abc import Callable

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from rolememory.errors import InvalidValueError
from rolememory.serve.app import create_app
from rolememory.serve.app_state import AppState
from rolememory.serve.guard import CLOSE, App, Receive, Scope, Send
from rolememory.serve.relay import RelayAddress

STOPPING_S = 5.0  # grace period of open responses at shutdown
SWITCH_S = 0.001  # thread switch interval, so that work on a long chat does not delay others
BACKLOG = 256  # connections that may wait to be accepted
HEADERS_S = 10.0  # timeout of receiving the headers of a request
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def listening(host: str, port: int) -> socket.socket:
    """A listening socket, so that clients can connect before the server is ready.

    Raises:
        InvalidValueError: the address is in use or not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with the protocol given, asyncio sets TCP_NODELAY, so that small chunks are sent at once
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise InvalidValueError(
            "cannot listen on {host}:{port}: {strerror}; is it running already? choose another with --port",
            host=host,
            port=port,
            strerror=error.strerror,
        ) from error
    found.listen(BACKLOG)
    return found


def address(listener: socket.socket) -> str:
    """The URL of a listening socket, without a path."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104  # shown, not bound
    return f"http://{shown}:{port}"


def configured(
    app_state: AppState, headers_s: float = HEADERS_S, relay: RelayAddress | None = None
) -> uvicorn.Config:
    """The configuration of uvicorn. Client addresses are taken from the socket, never from headers."""
    return uvicorn.Config(
        create_app(app_state, relay),
        http=bounded(headers_s),
        loop="asyncio",
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(STOPPING_S),
        h11_max_incomplete_event_size=64 * 1024,
        lifespan="on",
        backlog=1
        if relay
        else BACKLOG,  # several processes accept: each takes one connection at a time
    )


def bounded(headers_s: float) -> type[asyncio.Protocol]:
    """The protocol class that limits request headers, in size (by h11) and in time: slower connections are closed."""

    class Bounded(H11Protocol):
        _slow: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.app = _closable(self.app, transport)
            self._slow = self.loop.call_later(headers_s, self._too_slow)

        def data_received(self, data: bytes) -> None:
            if self._slow is None and self.conn.their_state is h11.IDLE:
                self._slow = self.loop.call_later(headers_s, self._too_slow)
            super().data_received(data)
            if self._slow and self.conn.their_state is not h11.IDLE:
                self._slow.cancel()
                self._slow = None

        def connection_lost(self, exc: Exception | None) -> None:
            if self._slow:
                self._slow.cancel()
            super().connection_lost(exc)

        def _too_slow(self) -> None:
            if self.conn.trailing_data[0]:
                self.transport.write(_TOO_SLOW)
            self.transport.close()

    return Bounded


def _closable(app: App, transport: asyncio.Transport) -> App:
    """Wrap the application so that it can close a connection during the response."""

    async def closable(scope: Scope, receive: Receive, send: Send) -> None:
        scope[CLOSE] = transport.close
        await app(scope, receive, send)

    return closable


def serve(
    app_state: AppState, listener: socket.socket, ready: Callable[[], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; then end open responses and checkpoint journals."""
    server_of(app_state, ready).run(sockets=[listener])


def server_of(
    app_state: AppState,
    ready: Callable[[], None] | None,
    relay: RelayAddress | None = None,
    first: Callable[[], None] | None = None,
) -> uvicorn.Server:
    """The server of this process; `relay`: it is one of several. `first` is called before it ends."""
    sys.setswitchinterval(SWITCH_S)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    return _Server(configured(app_state, relay=relay), ready, first)


class _Server(uvicorn.Server):
    """Calls back when it is ready, and before it ends."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None] | None,
        first: Callable[[], None] | None,
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._first = first

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)
        gc.freeze()  # loaded objects are permanent: exclude them from garbage collection during turns
        gc.enable()
        if self.started and self._ready:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._first:
            await asyncio.to_thread(self._first)
        await super().shutdown(sockets)
