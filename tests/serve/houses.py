"""A real server on loopback for tests: started on a free port, stopped at the end of the block."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from rolememory.engine import Home
from rolememory.serve.app_state import AppState
from rolememory.serve.run import HEADERS_S, address, configured, listening

WORDS_ONLY = {"embedding.backend": "off"}


@dataclass(frozen=True)
class Served:
    """A running server with its application state."""

    house: AppState
    url: str
    port: int

    @property
    def home(self) -> Home:
        return self.house.home

    @property
    def auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.house.token}"}


@contextmanager
def served(
    folder: Path,
    settings: Mapping[str, Any] | None = None,
    embedder: Any = None,
    headers_s: float = HEADERS_S,
) -> Iterator[Served]:
    """Open a home at `folder` and serve it until the block ends. A turn waits for memory: machines may be busy."""
    usual = {"serve.recall_timeout_s": 60.0, **(WORDS_ONLY if embedder is None else {})}
    home = Home.open(folder, usual | dict(settings or {}), embedder)
    house = AppState(home)
    listener = listening("127.0.0.1", 0)
    config = configured(house, headers_s)
    config.timeout_graceful_shutdown = 2
    server, ready = _Announcing(config), threading.Event()
    server.ready = ready
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        assert ready.wait(120), "the server did not start"
        yield Served(house, address(listener), listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


class _Announcing(uvicorn.Server):
    ready: threading.Event

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


def raw(port: int, data: bytes, timeout: float = 30.0) -> bytes:
    """Send raw bytes, and read until the server closes or times out."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        found = b""
        with suppress(
            ConnectionError
        ):  # a server that refuses a body need not read all of it; its response still arrives
            connection.sendall(data)
        try:
            while chunk := connection.recv(65536):
                found += chunk
                if _whole(found):
                    break
        except (TimeoutError, ConnectionError):
            pass
    return found


def _whole(answer: bytes) -> bool:
    """Whether an HTTP response with Content-Length is complete."""
    head, _, body = answer.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return len(body) >= int(value)
    return False
