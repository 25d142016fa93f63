"""The process: one server, ready in about a second, stopped without losing anything."""

import logging
import socket
from collections.abc import Callable

import uvicorn

from rolememory.errors import InvalidValueError
from rolememory.serve.app import create_app
from rolememory.serve.house import House

STOPPING_S = 5.0  # open answers may take so long to end


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there already, so that nobody has to wait for the port.

    Raises:
        InvalidValueError: the address is taken or is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise InvalidValueError(
            f"cannot listen on {host}:{port}: {error.strerror}; is it running already? choose another with --port",
            zh=f"无法在 {host}:{port} 上监听：{error.strerror}；是否已在运行？可用 --port 换一个端口",
        ) from error
    found.listen(256)
    return found


def address(listener: socket.socket) -> str:
    """Where it listens, as a URL without a path."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104  # shown, not bound
    return f"http://{shown}:{port}"


def serve(house: House, listener: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serve until SIGINT or SIGTERM; open answers are ended, everything written is folded."""
    config = uvicorn.Config(
        create_app(house),
        http="h11",  # the one that bounds the size of headers
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(STOPPING_S),
        h11_max_incomplete_event_size=64 * 1024,
        lifespan="on",
    )
    server = _Server(config, ready)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready:
            self._ready()
