"""The model's server behind us: requests go on as they came, answers come back as they are."""

import os
from collections.abc import Iterable

import httpx

from rolememory.schema.settings import ServeSettings
from rolememory.serve.proxy.lines import Lines
from rolememory.serve.token import same

_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split()
)  # headers of one leg of the way; RFC 9110, 7.6.1
_OURS = frozenset("host content-length cookie origin referer".split())  # of the leg to us
_FOR_US = "x-rolememory-"  # what the upstream is not told: the token, the user, the role, ...


class Upstream:
    """One client for all calls; its connections are shared and closed with it."""

    def __init__(self, settings: ServeSettings) -> None:
        times = httpx.Timeout(
            connect=settings.connect_timeout_s,
            read=settings.idle_timeout_s,
            write=settings.idle_timeout_s,
            pool=settings.connect_timeout_s,
        )
        self._client = httpx.AsyncClient(
            timeout=times, transport=Lines(), follow_redirects=False, trust_env=False
        )

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
        request = self._client.build_request(method, url, headers=pairs, content=content)
        return await self._client.send(request, stream=True)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()


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
    dropped = _HOP | _OURS | _named_by_connection(kept) | ({"accept-encoding"} if plain else set())
    out = [
        (name, value)
        for name, value in kept
        if name not in dropped and not name.startswith(_FOR_US)
    ]
    key = os.environ.get(settings.upstream_key_env, "") if settings.upstream_key_env else ""
    given = dict(out).get("authorization", "")
    if key or settings.service or same(given.removeprefix("Bearer ").strip(), token):
        out = [(name, value) for name, value in out if name != "authorization"]
    if key:
        out.append(("authorization", f"Bearer {key}"))
    if plain:
        out.append(("accept-encoding", "identity"))
    return out


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
