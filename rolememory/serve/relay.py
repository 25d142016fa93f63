"""Forwarding of requests other than turns to the first process.

The request is forwarded unchanged, with its client in a header protected by a secret of these processes: the guard of the first
checks the client, not the forwarding process.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from rolememory.serve.guard import App, Receive, Scope, Send
from rolememory.serve.http_refusal import proxied
from rolememory.serve.proxy.streaming import hung_up
from rolememory.serve.token import same

HEADER = b"x-rolememory-relayed"
_KEPT = ("client", "http_version", "scheme")  # scope values of the client


@dataclass(frozen=True, slots=True)
class RelayAddress:
    """The internal address of the first process, and the shared secret."""

    url: str
    secret: str

    @classmethod
    def of(cls, url: str) -> "RelayAddress":
        """An address with a new secret."""
        return cls(url, secrets.token_urlsafe(24))


class Relayed:
    """ASGI, in the first process: restores the client of a relayed request."""

    def __init__(self, app: App, address: RelayAddress) -> None:
        self._app = app
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        marks = [value for name, value in scope.get("headers", ()) if name == HEADER]
        secret, _, caller = marks[-1].decode("latin-1").partition(" ") if marks else ("", "", "")
        if marks and same(secret, self._address.secret):
            headers = [pair for pair in scope["headers"] if pair[0] != HEADER]
            scope = {**scope, **json.loads(caller), "headers": headers}
        await self._app(scope, receive, send)


class WorkerRelay:
    """ASGI, in the other processes: handles turns, forwards everything else to the first."""

    def __init__(self, app: App, address: RelayAddress) -> None:
        self._app = app
        self._address = address
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(None, connect=10.0),
            trust_env=False,
            limits=httpx.Limits(max_connections=None),
        )

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """The lifespan, with a connection pool."""
        async with self._client:
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or proxied(scope["path"]):
            await self._app(scope, receive, send)
            return
        asked = Request(scope, receive)
        read = asyncio.Event()
        carried = asyncio.ensure_future(self._carry(asked, read, send))
        gone = asyncio.ensure_future(_hung_up(asked, read))
        try:
            await asyncio.wait({carried, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            carried.cancel() if gone.done() else None
        await asyncio.gather(carried, return_exceptions=True)

    async def _carry(self, asked: Request, read: asyncio.Event, send: Send) -> None:
        """Forward the request, and relay the response."""
        try:
            answer = await self._client.send(self._request(asked, read), stream=True)
        except (httpx.HTTPError, ClientDisconnect):
            await Response(status_code=503)(asked.scope, asked.receive, send)
            return
        try:
            response = StreamingResponse(answer.aiter_raw(), answer.status_code)
            response.raw_headers = [
                (name.lower(), value)
                for name, value in answer.headers.raw
                if name.lower() not in (b"connection", b"transfer-encoding", b"date")
            ]
            await response.stream_response(send)
        finally:
            await answer.aclose()

    def _request(self, asked: Request, read: asyncio.Event) -> httpx.Request:
        scope = asked.scope
        caller = json.dumps({name: scope.get(name) for name in _KEPT})
        path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [pair for pair in scope["headers"] if pair[0] not in (HEADER, b"connection")]
        headers.append((HEADER, f"{self._address.secret} {caller}".encode("latin-1")))
        has_body = {b"content-length", b"transfer-encoding"} & {name for name, _ in headers}
        if not has_body:
            read.set()
        return httpx.Request(
            scope["method"],
            httpx.URL(self._address.url).copy_with(raw_path=path),
            headers=headers,
            content=_body(asked, read) if has_body else None,
        )


async def _body(asked: Request, read: asyncio.Event) -> AsyncIterator[bytes]:
    async for part in asked.stream():
        yield part
    read.set()


async def _hung_up(asked: Request, read: asyncio.Event) -> None:
    """Returns when the client has disconnected."""
    await read.wait()
    await hung_up(asked)
