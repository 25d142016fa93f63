"""The upstream model server: relays requests and responses unchanged."""

import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import httpx

from rolememory.schema.settings import ServeSettings
from rolememory.serve.proxy.sockets import Transport
from rolememory.serve.token import same

_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split()
)  # hop-by-hop headers; RFC 9110, 7.6.1
_OURS = frozenset("host content-length cookie origin referer".split())  # for this server only
_ITS_PAGES = "access-control-"  # CORS is up to our settings
_KEY = "x-api-key"  # of Anthropic's API
_FOR_US = "x-rolememory-"  # not relayed: the token, the user, the role, ...
_parsed = lru_cache(maxsize=16)(httpx.URL)  # the same one every turn


class Upstream:
    """An HTTP client for the upstream, without httpx's additions to each call: cookies, redirects, default headers."""

    def __init__(self, settings: ServeSettings) -> None:
        if find_spec("sniffio") is None:  # its transport tries to import it several times a call
            sys.modules["sniffio"] = None  # type: ignore[assignment]  # found missing at once
        idle = settings.idle_timeout_s
        connect = settings.connect_timeout_s
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
        """Send a request; the caller must close the response.

        Raises:
            httpx.HTTPError: it cannot be reached.
        """
        url = settings.upstream + path + (f"?{query}" if query else "")
        content = body if body or method in ("POST", "PUT", "PATCH") else None
        pairs = [_encoded(pair) for pair in headers]
        while True:
            way = _Way()
            extensions = {"timeout": self._times, "trace": way.note}
            try:
                request = httpx.Request(
                    method, _parsed(url), headers=pairs, content=content, extensions=extensions
                )
                return await self._connections.handle_async_request(request)
            except httpx.InvalidURL as error:
                raise httpx.UnsupportedProtocol(str(error)) from error
            except (httpx.ReadError, httpx.RemoteProtocolError) as error:
                if way.new or not _closed_unanswered(error):
                    raise  # else that connection left the pool: retry on another one

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.aclose()


class _Way:
    """Whether a request opened a new connection; else it reused an idle one, which the server may have closed."""

    def __init__(self) -> None:
        self.new = False

    async def note(self, event: str, _: Any) -> None:
        self.new = self.new or event.startswith("connection.connect")


def _closed_unanswered(error: Exception) -> bool:
    """Whether the connection was closed before a response: a server may close an idle one just when it is reused."""
    return isinstance(error, httpx.ReadError) or "without sending a response" in str(error)


def going_up(
    headers: Iterable[tuple[bytes, bytes]], settings: ServeSettings, token: str, *, plain: bool
) -> list[tuple[str, str]]:
    """The request headers for the upstream: without hop-by-hop ones and our token, with its API key.

    `plain`: request an uncompressed response, because we parse it.
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
    """The response headers for the frontend, byte for byte, without CORS headers. `decoded`: the body was decompressed."""
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
    """A header as bytes: Latin-1 keeps every byte."""
    return pair[0].encode("latin-1"), pair[1].encode("latin-1")


def _named_by_connection(pairs: Iterable[tuple[str, str]]) -> set[str]:
    return {
        word.strip().lower()
        for name, value in pairs
        if name.lower() == "connection"
        for word in value.split(",")
    }
