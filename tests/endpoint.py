"""A scripted HTTP server on loopback: a model's endpoint, with normal and faulty behaviour.

    with Endpoint(answers('{"facts": []}')) as server:
        ...  # ask server.url
    server.requests[0].json["messages"]

A behaviour is a function that gets a request and its open connection, and writes any bytes. Behaviours are used in order,
one per request; the last one is repeated. The system chooses the port; nothing sleeps: hanging ones wait until the server closes.
"""

import gzip
import json
import select
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any, Self

_LOOK_S = 0.05  # interval at which waiting connections check whether the server closes

Behaviour = Callable[["Line"], None]


@dataclass(frozen=True)
class Request:
    """A received request."""

    method: str
    path: str
    headers: dict[str, str]  # by lower-case name
    body: bytes

    @property
    def json(self) -> Any:
        """The parsed body."""
        return json.loads(self.body)

    @property
    def said(self) -> str:
        """The joined texts of its messages."""
        return "\n".join(message["content"] for message in self.json["messages"])

    @property
    def form(self) -> str:
        """The requested response format: json_schema, json_object, or ""."""
        return self.json.get("response_format", {}).get("type", "")


@dataclass
class Line:
    """The connection of a request."""

    request: Request
    socket: socket.socket
    closing: threading.Event

    def send(self, data: bytes) -> None:
        """Write bytes; ignores a disconnected client."""
        with suppress(OSError):
            self.socket.sendall(data)

    def reply(
        self, body: bytes, *, status: str = "200 OK", kind: str = "application/json", **headers: str
    ) -> None:
        """Send a complete, valid response; `retry_after="5"` becomes a header of that name."""
        named = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
        named |= {name.replace("_", "-").title(): value for name, value in headers.items()}
        self.send(
            "\r\n".join(
                [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items())]
            ).encode()
            + b"\r\n\r\n"
            + body
        )

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the server closes or the client disconnects, or so long; true if it is over."""
        until = None if seconds is None else monotonic() + seconds
        while until is None or monotonic() < until:
            left_s = _LOOK_S if until is None else min(until - monotonic(), _LOOK_S)
            if self.closing.is_set() or self._is_gone(max(left_s, 0.0)):
                return True
        return False

    def _is_gone(self, seconds: float) -> bool:
        try:
            readable, _, _ = select.select([self.socket], [], [], seconds)
            return bool(readable) and not self.socket.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True

    def cut(self) -> None:
        """Close with a reset, as a dying server does."""
        with suppress(OSError):
            self.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
            )
            self.socket.close()


def completion(text: str, **message: Any) -> bytes:
    """A chat completion with this text."""
    said = {"role": "assistant", "content": text, **message}
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
        }
    ).encode()


def answers(said: Any, **message: Any) -> Behaviour:
    """Answer with this text, or with this value as JSON."""
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return lambda line: line.reply(completion(text, **message))


def replies(body: bytes, **how: str) -> Behaviour:
    """Answer with these bytes."""
    return lambda line: line.reply(body, **how)


def status(
    code: int,
    reason: str = "Error",
    body: bytes = b'{"error": {"message": "sk-secret leaks here"}}',
    **headers: str,
) -> Behaviour:
    """Answer with a status."""
    return lambda line: line.reply(body, status=f"{code} {reason}", **headers)


def raw(*pieces: bytes) -> Behaviour:
    """Write these bytes and close."""

    def write(line: Line) -> None:
        for piece in pieces:
            line.send(piece)

    return write


def then_hangs(*pieces: bytes) -> Behaviour:
    """Write these bytes, then keep the connection open."""

    def write(line: Line) -> None:
        for piece in pieces:
            line.send(piece)
        line.wait()

    return write


def drips(whole: bytes, every_s: float) -> Behaviour:
    """Write a byte, wait, write the next."""

    def write(line: Line) -> None:
        for place in range(len(whole)):
            line.send(whole[place : place + 1])
            if line.wait(every_s):
                return

    return write


def then_cuts(*pieces: bytes) -> Behaviour:
    """Write these bytes, then reset the connection."""

    def write(line: Line) -> None:
        for piece in pieces:
            line.send(piece)
        line.cut()

    return write


def streams(pieces: Iterable[str], *, end: bytes = b"data: [DONE]\n\n") -> Behaviour:
    """Answer with an event stream although none was requested."""
    events = b"".join(
        b"data: " + json.dumps({"choices": [{"delta": {"content": piece}}]}).encode() + b"\n\n"
        for piece in pieces
    )
    return lambda line: line.reply(events + end, kind="text/event-stream")


def packed(body: bytes) -> Behaviour:
    """Answer with unrequested gzip compression."""
    return lambda line: line.reply(gzip.compress(body), content_encoding="gzip")


def head(length: int, kind: str = "application/json") -> bytes:
    """The head of a response with a body of that length."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


@dataclass
class Endpoint:
    """A scripted server; `requests` are those received. Use it in a `with`."""

    script: list[Behaviour]
    requests: list[Request] = field(default_factory=list)
    most_at_once: int = 0

    def __init__(self, *script: Behaviour) -> None:
        self.script, self.requests, self.most_at_once = list(script), [], 0
        self._closing = threading.Event()
        self._changed = threading.Condition()
        self._open = 0
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._lines: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, name="endpoint", daemon=True)

    @property
    def url(self) -> str:
        """The base URL to put into settings."""
        host, port = self._socket.getsockname()[:2]
        return f"http://{host}:{port}/v1"

    def now(self, *script: Behaviour) -> None:
        """Replace the script."""
        with self._changed:
            self.script[:] = script

    def wait_for(self, count: int, timeout: float = 30.0) -> bool:
        """Wait until so many requests were received."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= count, timeout)

    def idle(self, timeout: float = 30.0) -> bool:
        """Wait until no request is being answered."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections and the port."""
        self._closing.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5.0)
        with self._changed:
            lines = tuple(self._lines)
        for line in lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                line, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(
                target=self._serve, args=(line,), name="endpoint line", daemon=True
            ).start()

    def _serve(self, line: socket.socket) -> None:
        with self._changed:
            self._lines.add(line)
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            with suppress(OSError, ValueError):
                self._answer(line)
        finally:
            with self._changed:
                self._open -= 1
                self._lines.discard(line)
                self._changed.notify_all()
            line.close()

    def _answer(self, line: socket.socket) -> None:
        request = _request(line)
        if request is None:
            return
        with self._changed:
            self.requests.append(request)
            behaviour = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            self._changed.notify_all()
        behaviour(Line(request, line, self._closing))


def _request(line: socket.socket) -> Request | None:
    """Read one request; None if the client sent none."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = line.recv(65536)
        if not piece:
            return None
        data += piece
    before, _, body = data.partition(b"\r\n\r\n")
    first, *rest = before.decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (one.partition(":") for one in rest)
    }
    while len(body) < int(headers.get("content-length", "0")):
        piece = line.recv(65536)
        if not piece:
            return None
        body += piece
    method, path, _ = first.split(" ", 2)
    return Request(method, path, headers, body)
