"""The model's server behind us: requests go on as they came, answers come back as they are."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rolememory.schema.settings import ServeSettings
from rolememory.serve.token import same

if TYPE_CHECKING:
    import httpx

_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split()
)  # headers of one leg of the way; RFC 9110, 7.6.1
_OURS = frozenset("host content-length cookie origin referer".split())  # of the leg to us
_FOR_US = "x-rolememory-"  # what the upstream is not told: the token, the user, the role, ...


class Upstream:
    """Asks for all calls; its connections are shared and closed with it."""

    def __init__(self, settings: ServeSettings) -> None:
        from rolememory.serve.proxy.connections import Connections

        self._connections = Connections(settings.connect_timeout_s, settings.idle_timeout_s)

    async def send(
        self,
        settings: ServeSettings,
        method: str,
        path: str,
        query: str,
        headers: list[tuple[str, str]],
        body: bytes,
    ) -> "httpx.Response":
        """Ask the upstream; the answer is open, whoever takes it closes it.

        Raises:
            httpx.HTTPError: it cannot be reached.
        """
        import httpx

        url = settings.upstream.strip().rstrip("/") + path + (f"?{query}" if query else "")
        content = body if body or method in ("POST", "PUT", "PATCH") else None
        pairs = [_encoded(pair) for pair in headers]
        request = httpx.Request(method, url, headers=pairs, content=content)
        return await self._connections.handle_async_request(request)

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.aclose()


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
    if key := os.environ.get(settings.upstream_key_env):
        own["authorization"] = f"Bearer {key}"
    if plain:
        own["accept-encoding"] = "identity"
    dropped = _HOP | _OURS | _named_by_connection(kept) | {*own}
    given = dict(kept).get("authorization", "")
    if settings.service or same(given.removeprefix("Bearer ").strip(), token):
        dropped |= {"authorization"}
    passed = [
        (name, value)
        for name, value in kept
        if name not in dropped and not name.startswith(_FOR_US)
    ]
    return [*passed, *own.items()]


def coming_back(
    headers: Iterable[tuple[bytes, bytes]], *, decoded: bool
) -> list[tuple[bytes, bytes]]:
    """The headers of an answer as the frontend gets them, byte for byte. `decoded`: the body was unpacked on its way."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    dropped = (
        _HOP
        | _named_by_connection(pairs)
        | ({"content-encoding", "content-length"} if decoded else set())
        | {"date", "server"}
    )
    return [_encoded((name, value)) for name, value in pairs if name.lower() not in dropped]


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
