"""The model's server behind us: requests go on as they came, answers come back as they are."""

import os
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import httpx

from rolememory.schema.settings import ServeSettings
from rolememory.serve.proxy.sockets import Transport
from rolememory.serve.token import same

_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split()
)  # headers of one leg of the way; RFC 9110, 7.6.1
_OURS = frozenset("host content-length cookie origin referer".split())  # of the leg to us
_ITS_PAGES = "access-control-"  # which pages may read an answer is for our own settings to say
_KEY = "x-api-key"  # Anthropic's name for a key
_FOR_US = "x-rolememory-"  # what the upstream is not told: the token, the user, the role, ...


class Upstream:
    """The way to the model's server, without what a client of httpx adds to each call: cookies of others, redirects, headers of its own."""

    def __init__(self, settings: ServeSettings) -> None:
        if find_spec("sniffio") is None:  # what its transport tries to import several times a call
            sys.modules["sniffio"] = None  # type: ignore[assignment]  # found missing at once
        idle, connect = settings.idle_timeout_s, settings.connect_timeout_s
        self._times = {"connect": connect, "read": idle, "write": idle, "pool": connect}
        self._connections = Transport(kept=32)

    async def send(
        self,
        settings: ServeSettings,
        method: str,
        path: str,
        query: str,
        headers: list[tuple[str, str]],
        body: bytes,
    ) -> httpx.Response:
        """Ask the upstream; the answer is open, whoever takes it closes it.

        Raises:
            httpx.HTTPError: it cannot be reached.
        """
        url = settings.upstream.strip().rstrip("/") + path + (f"?{query}" if query else "")
        content = body if body or method in ("POST", "PUT", "PATCH") else None
        pairs = [_encoded(pair) for pair in headers]
        while True:
            way = _Way()
            extensions = {"timeout": self._times, "trace": way.note}
            request = httpx.Request(
                method, url, headers=pairs, content=content, extensions=extensions
            )
            try:
                return await self._connections.handle_async_request(request)
            except (httpx.ReadError, httpx.RemoteProtocolError) as error:
                if way.new or not _closed_unanswered(error):
                    raise  # else that line is out of the pool, and the next is another or a new one

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.aclose()


class _Way:
    """Whether a request opened a connection of its own; else it went over one that was left open, and the server may have closed that."""

    def __init__(self) -> None:
        self.new = False

    async def note(self, event: str, _: Any) -> None:
        self.new = self.new or event.startswith("connection.connect")


def _closed_unanswered(error: Exception) -> bool:
    """Whether the line ended before a word of an answer: what a server does with an idle connection just when it is used again."""
    return isinstance(error, httpx.ReadError) or "without sending a response" in str(error)


def going_up(
    headers: Iterable[tuple[bytes, bytes]], settings: ServeSettings, token: str, *, plain: bool
) -> list[tuple[str, str]]:
    """The headers of a request as the upstream gets them: those of this leg dropped, our token never passed on, its key put in.

    `plain`: ask for an answer that is not compressed, because we read it.
    """
    kept = [
        (name.decode("latin-1").lower(), value.decode("latin-1").strip(" \t"))
        for name, value in headers
    ]
    own: dict[str, str] = {}
    given = dict(kept)
    if key := os.environ.get(settings.upstream_key_env):
        own |= {_KEY: key} if _KEY in given else {"authorization": f"Bearer {key}"}
    if plain:
        own["accept-encoding"] = "identity"
    dropped = _HOP | _OURS | _named_by_connection(kept) | {*own}
    if key:
        dropped |= {"authorization"}
    for name in ("authorization", _KEY):
        said = given.get(name, "").removeprefix("Bearer ").strip()
        if settings.service or same(said, token):
            dropped |= {name}
    passed = [
        (name, value)
        for name, value in kept
        if name not in dropped and not name.startswith(_FOR_US)
    ]
    return [*passed, *own.items()]


def coming_back(
    headers: Iterable[tuple[bytes, bytes]], *, decoded: bool
) -> list[tuple[bytes, bytes]]:
    """The headers of an answer as the frontend gets them, byte for byte, but for those that admit pages. `decoded`: the body was unpacked on its way."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    dropped = (
        _HOP
        | _named_by_connection(pairs)
        | ({"content-encoding", "content-length"} if decoded else set())
        | {"date", "server"}
    )
    return [
        _encoded((name, value))
        for name, value in pairs
        if name.lower() not in dropped and not name.lower().startswith(_ITS_PAGES)
    ]


def _encoded(pair: tuple[str, str]) -> tuple[bytes, bytes]:
    """A header as the wire has it: Latin-1 keeps every byte, whatever it meant."""
    return pair[0].encode("latin-1"), pair[1].encode("latin-1")


def _named_by_connection(pairs: Iterable[tuple[str, str]]) -> set[str]:
    return {
        word.strip().lower()
        for name, value in pairs
        if name.lower() == "connection"
        for word in value.split(",")
    }
