"""An HTTP client for model servers, with limits of time and size.

A call runs on its own thread, so that the caller can stop waiting at any time; the connection is then closed and the thread ends.
Servers that hang, send a byte a second or more than fits in memory cost their deadline and nothing else.
"""

import ipaddress
import os
import re
import socket
import threading
import unicodedata
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 4 * 2**20
"""Limit of a response in bytes, compressed or decompressed."""

_GEMINI = re.compile(r"(https?://[^/]+/v1(?:beta)?)/models/([^/:]+):\w+", re.IGNORECASE)
_PATHS = re.compile(r"/(?:chat/completions|completions|embeddings)$")
_SCHEME = re.compile(r"\A(?:[a-z]*:|https?)?/+", re.IGNORECASE)
_NO_URL = re.compile(r"[\s\x00-\x1f\x7f]")
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})
_CONNECTED = (
    "connection.connect_tcp.complete",
    "connection.start_tls.complete",
    "proxy_stream.start_tls.complete",
)


def translated(url: str, model: str) -> tuple[str, str]:
    """The base URL and model to call: a native Gemini URL becomes its OpenAI-compatible endpoint, a query is dropped.

    >>> translated("https://generativelanguage.googleapis.com/v1beta/models/gemini-1.5-flash:generateContent?key=x", "")
    ('https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-1.5-flash')
    >>> translated("http://127.0.0.1:5001/v1/embeddings/", "bge-m3")
    ('http://127.0.0.1:5001/v1', 'bge-m3')
    """
    plain = url.strip().partition("?")[0].rstrip("/")
    if native := _GEMINI.fullmatch(plain):
        return f"{native[1]}/openai", model or native[2]
    return _PATHS.sub("", plain), model


@lru_cache(maxsize=32)
def place(url: str) -> tuple[str, int]:
    """Host and port of a URL; "" and 0 if it is none that can be requested.

    >>> place("http://127.0.0.1:5001/v1"), place("https://api.example/v1"), place("127.0.0.1:5001/v1"), place("http://x:y/")
    (('127.0.0.1', 5001), ('api.example', 443), ('', 0), ('', 0))
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
        if host.rpartition(".")[2].isdecimal():
            ipaddress.ip_address(host)
    except ValueError:
        return "", 0
    if parts.scheme not in ("http", "https") or _NO_URL.search(url):
        return "", 0
    return (host, port or (443 if parts.scheme == "https" else 80)) if host else ("", 0)


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's loopback.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("192.168.0.2")
    (True, True, True, False)
    """
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def asks_itself(url: str, host: str, port: int) -> bool:
    """Whether the URL is that of a server of this machine that listens there.

    >>> asks_itself("http://localhost:8787/v1", "0.0.0.0", 8787), asks_itself("http://localhost:5001", "0.0.0.0", 8787)
    (True, False)
    """
    asked, at = place(url)
    return at == port and (is_loopback(asked) or asked == host.lower() != "")


def completed(url: str) -> str:
    """The base URL probably meant by a text that is none, without credentials.

    >>> completed("127.0.0.1:5001/v1"), completed("http：//localhost:5001"), completed("api.example.com/v1")
    ('http://127.0.0.1:5001/v1', 'http://localhost:5001', 'https://api.example.com/v1')
    >>> completed("my model")
    'http://127.0.0.1:5001/v1'
    """
    rest = bare(_SCHEME.sub("", unicodedata.normalize("NFKC", url).strip()))
    host, port = place(f"http://{rest}")
    secure = port == 80 and "." in host and not is_near(f"http://{rest}")
    return f"{'https' if secure else 'http'}://{rest}" if host else "http://127.0.0.1:5001/v1"


def bare(url: str) -> str:
    """A text that was given as URL, for messages: without query and what may be a user name and password.

    >>> bare("lin:secret@127.0.0.1:5001/v1?key=x")
    '127.0.0.1:5001/v1'
    """
    return shown(url).rpartition("@")[2]


def shown(url: str) -> str:
    """A URL for messages: without user name, password and query.

    >>> shown("http://lin:secret@127.0.0.1:5001/v1?key=x")
    'http://127.0.0.1:5001/v1'
    """
    plain = url.partition("?")[0].partition("#")[0]
    return re.sub(r"(?<=//)[^/]*@", "", plain)


def signed(url: str) -> dict[str, str]:
    """The authorization header for a URL's user name and password, to keep them out of the URL, which is logged.

    >>> signed("http://lin:secret@127.0.0.1:5001/v1"), signed("http://127.0.0.1:5001/v1")
    ({'Authorization': 'Basic bGluOnNlY3JldA=='}, {})
    """
    parts = urlsplit(url)
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def bearer(variable: str) -> dict[str, str]:
    """The authorization header with the key from this environment variable; empty if it is not set."""
    key = os.environ.get(variable, "").strip() if variable else ""
    return {"Authorization": f"Bearer {key}"} if key else {}


def is_near(url: str) -> bool:
    """Whether the server is on this machine or its local network, for which no proxy is used.

    >>> is_near("http://localhost:11434/v1"), is_near("http://[::1]:1234"), is_near("https://api.openai.com/v1")
    (True, True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local"))


def client(base: str, keep_alive: bool = False) -> "httpx.Client":
    """A client for one server: no redirects, no compression, a proxy only for remote hosts; optionally keep-alive."""
    import httpx

    return httpx.Client(
        follow_redirects=False,
        trust_env=not is_near(base),
        verify=base.lower().startswith("https"),
        limits=httpx.Limits(max_keepalive_connections=None if keep_alive else 0),
        headers={"Accept-Encoding": "identity"},
    )


class CutError(Exception):
    """The caller cancelled the call."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """Status and headers of a response; header names in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpstreamReply:
    """A complete response."""

    head: ResponseHead
    body: bytes


class UpstreamCall:
    """One POST, started on construction. `deadline_s` covers all of it, name look-up to last byte.

    Raises (from `head`, `pieces`, `whole`):
        TimeoutError: the deadline has passed.
        CutError: `cut` was called.
        ValueError: more than `most_bytes`, or an unsupported content encoding.
        Exception: whatever the client raises if there is no connection.
    """

    def __init__(
        self,
        by: "httpx.Client",
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        deadline_s: float,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._most_bytes = most_bytes
        self._by, self._url, self._body = by, url, body
        self._headers = {"Content-Type": "application/json", **headers}
        self._deadline_s = deadline_s
        self._until = monotonic() + deadline_s
        self._heard: SimpleQueue[ResponseHead | bytes | Exception | None] = SimpleQueue()
        self._line: socket.socket | None = None
        self._over = False
        threading.Thread(target=self._run, name="rolememory-upstream", daemon=True).start()

    def head(self) -> ResponseHead:
        """Wait for status and headers."""
        head = self._next()
        assert isinstance(head, ResponseHead)  # the thread tells it first
        return head

    def pieces(self, head: ResponseHead) -> Iterator[bytes]:
        """The body in chunks as they arrive, decompressed."""
        unpack = _Unpacker(head.headers.get("content-encoding", ""), self._most_bytes)
        while (piece := self._next()) is not None:
            assert isinstance(piece, bytes)
            yield unpack(piece)

    def whole(self) -> UpstreamReply:
        """The complete response."""
        head = self.head()
        return UpstreamReply(head, b"".join(self.pieces(head)))

    def cut(self) -> None:
        """Cancel: a waiting caller gets CutError at once, the connection is closed, and the thread ends."""
        self._over = True
        self._heard.put(CutError("given up"))
        self._shut()

    def _next(self) -> "ResponseHead | bytes | None":
        try:
            heard = self._heard.get(timeout=max(self._until - monotonic(), 0.0))
        except Empty:
            self.cut()
            raise self._late() from None
        if isinstance(heard, Exception):
            raise heard
        return heard

    def _run(self) -> None:
        """The thread: put head, body and end into the queue, or the error."""
        try:
            watched = {"trace": self._trace}
            with self._by.stream(
                "POST",
                self._url,
                content=self._body,
                headers=self._headers,
                timeout=self._deadline_s,
                extensions=watched,
            ) as response:
                self._heard.put(
                    ResponseHead(
                        response.status_code,
                        {name.lower(): value for name, value in response.headers.items()},
                    )
                )
                self._tell(response)
            self._heard.put(None)
        except Exception as error:  # network errors have many types; the caller handles them
            import httpx

            self._heard.put(self._late() if isinstance(error, httpx.TimeoutException) else error)

    def _late(self) -> TimeoutError:
        return TimeoutError(f"no answer within {self._deadline_s:g} s")

    def _tell(self, response: "httpx.Response") -> None:
        left = self._most_bytes
        for piece in response.iter_raw():
            left -= len(piece)
            if left < 0:
                raise ValueError(_too_much(self._most_bytes))
            self._heard.put(piece)

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Store the socket, so that another thread can close it."""
        if event in _CONNECTED:
            self._line = info["return_value"].get_extra_info("socket")
            if self._over:
                self._shut()

    def _shut(self) -> None:
        line = self._line
        if line is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


def _too_much(most_bytes: int) -> str:
    return f"answered more than {most_bytes // 2**20} MB"


class _Unpacker:
    """Decompresses responses that a server compressed unasked, up to a limit of bytes."""

    def __init__(self, encoding: str, most_bytes: int) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ValueError(f"answered in the encoding {name[:20]!r}, which nobody asked for")
        self._unpack = zlib.decompressobj(47) if name not in ("", "identity") else None
        self._left = self._most_bytes = most_bytes

    def __call__(self, piece: bytes) -> bytes:
        if self._unpack is None:
            return piece
        try:
            plain = self._unpack.decompress(piece, self._left + 1)
        except zlib.error:
            raise ValueError("answered something packed that cannot be unpacked") from None
        self._left -= len(plain)
        if self._left < 0:
            raise ValueError(_too_much(self._most_bytes))
        return plain
