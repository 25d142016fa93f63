"""`/v1/...` and `/r/{role}/v1/...`: conversations get their memory, everything else is passed on untouched."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio.to_thread
import httpx
import orjson
from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from rolememory.serve.house import House
from rolememory.serve.proxy.call import Call
from rolememory.serve.proxy.faults import unreachable, unusable
from rolememory.serve.proxy.hybrid import Offer, offered
from rolememory.serve.proxy.inject import HINT, Body, injected, injected_prompt, without_hint
from rolememory.serve.proxy.line import Carried, GoneError, broke_off, unless_gone
from rolememory.serve.proxy.read import Reader
from rolememory.serve.proxy.relay import Relay
from rolememory.serve.proxy.turns import Remembered, learn, remember
from rolememory.serve.proxy.upstream import Upstream, coming_back, going_up
from rolememory.serve.proxy.within import Within

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
CONVERSATIONS = ("chat/completions", "completions")
READING_S = 10.0  # whose turn it is must be known to learn from it, and is known at once on all turns but a cold first one
_NOBODY = Response(status_code=499)  # for those who hung up
_T = TypeVar("_T")


def proxy(app: FastAPI, house: House) -> None:
    """Add the paths."""
    door = Proxy(house)
    app.state.living.append(door.living)

    @app.api_route("/v1/{path:path}", methods=METHODS, include_in_schema=False)
    async def plain(request: Request, path: str) -> Response:
        return await door.answer(request, path, None)

    @app.api_route("/r/{role}/v1/{path:path}", methods=METHODS, include_in_schema=False)
    async def of_role(request: Request, role: str, path: str) -> Response:
        return await door.answer(request, path, role)


class Proxy:
    """Answers calls by asking the upstream."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._reader = Reader(house)
        self._upstream: Upstream | None = None
        self._within = Within()
        self._behind: set[asyncio.Task[None]] = set()
        self._folding: set[str] = set()  # upstreams that refused system messages
        self._toolless: set[str] = set()  # upstreams that refused tools

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """Open connections while the server lives; what is being learned is finished before it ends."""
        self._upstream = Upstream(self._house.settings)
        try:
            yield
        finally:
            if self._behind:
                await asyncio.wait(self._behind, timeout=5.0)
            await self._upstream.close()

    async def answer(self, request: Request, path: str, role: str | None) -> Response:
        """The upstream's answer to one request."""
        settings = self._house.settings
        if nobody := unusable(request, self._house):
            return nobody
        try:
            body = await request.body()
        except ClientDisconnect:
            return _NOBODY
        raw = _object(body) if request.method == "POST" and path in CONVERSATIONS else None
        if raw is None or not settings.memory:
            return await self._pass(
                request, path, orjson.dumps(without_hint(raw)) if raw and HINT in raw else body
            )
        return await self._converse(request, path, raw, body, role)

    async def _converse(
        self, request: Request, path: str, raw: Body, body: bytes, role: str | None
    ) -> Response:
        prompt = path == "completions"
        call = await self._thread(
            lambda: self._reader.read(raw, request.headers, role, prompt=prompt), None, READING_S
        )
        if call is None:
            return await self._pass(request, path, orjson.dumps(without_hint(raw)))
        found = await self._thread(lambda: remember(self._house, call), Remembered())
        if found.note:
            self._house.note(found.note)
        takes_tools = not prompt and self._house.settings.upstream not in self._toolless
        offer = offered(call, found, self._house) if takes_tools else None
        untouched = call.body is raw and not (found.block or found.lore or offer)

        def sent(fold: bool, tool: bool = True) -> bytes:
            return (
                body
                if untouched
                else orjson.dumps(self._filled(call, found, offer if tool else None, prompt, fold))
            )

        return await self._relayed(request, path, call, sent, offer)

    def _filled(
        self, call: Call, found: Remembered, offer: Offer | None, prompt: bool, fold: bool
    ) -> Body:
        block = "\n\n".join(text for text in (found.lore, found.block) if text)
        if prompt:
            newest = next(
                (message.content for message in reversed(call.spoken) if message.role == "user"), ""
            )
            return injected_prompt(call.body, block, newest)
        body = offer.into(call.body) if offer else call.body
        filled = injected(
            body,
            block,
            depth=self._house.settings.depth,
            fold=fold,
            continuing=call.kind == "continue",
        )
        if offer:
            offer.goes_with(filled)
        return filled

    async def _relayed(
        self,
        request: Request,
        path: str,
        call: Call,
        sent: Callable[..., bytes],
        offer: Offer | None,
    ) -> Response:
        settings = self._house.settings
        fold = self._folds(call)
        try:
            answer = await self._send(request, path, sent(fold), plain=True)
            if (
                offer
                and answer.status_code >= 400
                and b"tool" in (await answer.aread())[:4000].lower()
            ):
                answer, offer = (
                    await self._send(request, path, sent(fold, tool=False), plain=True),
                    None,
                )
                if answer.status_code < 400:
                    self._toolless.add(settings.upstream)
            if (
                answer.status_code in (400, 422, 500)
                and not fold
                and settings.system_role == "auto"
            ):
                answer = await self._folded(request, path, answer, sent)
        except GoneError:
            self._learn(call, None)
            return _NOBODY
        except httpx.HTTPError as error:
            return unreachable(request, self._house, error)
        relay = Relay(
            answer,
            call,
            offer,
            lambda more: self._asked(request, path, orjson.dumps(more), plain=True),
            self._learn,
        )
        headers = coming_back(
            answer.headers.raw, decoded="content-encoding" in answer.headers or offer is not None
        )
        response = Carried(relay.carried(), status_code=answer.status_code)
        response.raw_headers = headers
        return response

    def _folds(self, call: Call) -> bool:
        settings = self._house.settings
        if settings.system_role != "auto":
            return settings.system_role == "no"
        messages = call.body.get("messages")
        single = isinstance(messages, list) and len(messages) == 1  # everything in one user message
        return single or settings.upstream in self._folding

    async def _folded(
        self, request: Request, path: str, answer: httpx.Response, sent: Callable[..., bytes]
    ) -> httpx.Response:
        """Ask again with the block in the user's message, if that is what was refused; else the refusal as it is."""
        told = (await answer.aread())[:4000].decode("utf-8", "replace").lower()
        whole, folded = sent(False), sent(True)
        if whole == folded or not ("role" in told and ("system" in told or "alternat" in told)):
            return answer
        again = await self._send(request, path, folded, plain=True)
        if again.status_code < 400:
            self._folding.add(self._house.settings.upstream)
        return again

    async def _pass(self, request: Request, path: str, body: bytes) -> Response:
        try:
            answer = await self._send(request, path, body, plain=False)
        except GoneError:
            return _NOBODY
        except httpx.HTTPError as error:
            return unreachable(request, self._house, error)
        response = Carried(_raw(answer), status_code=answer.status_code)
        response.raw_headers = coming_back(answer.headers.raw, decoded=False)
        return response

    async def _send(
        self, request: Request, path: str, body: bytes, *, plain: bool
    ) -> httpx.Response:
        """Ask the upstream as long as the frontend waits. Raises: GoneError, httpx.HTTPError."""
        return await unless_gone(request, self._asked(request, path, body, plain=plain))

    async def _asked(
        self, request: Request, path: str, body: bytes, *, plain: bool
    ) -> httpx.Response:
        if self._upstream is None:
            raise httpx.ConnectError("the server is ending")
        settings = self._house.settings
        headers = going_up(request.scope["headers"], settings, self._house.token, plain=plain)
        return await self._upstream.send(
            settings, request.method, _written(request, path), request.url.query, headers, body
        )

    def _learn(self, call: Call, reply: str | None) -> None:
        """Keep the turn, behind the answer."""
        if call.teaches and self._house.settings.memory:
            self._house.keep_begun()
            task = asyncio.get_running_loop().create_task(self._kept(call, reply))
            self._behind.add(task)
            task.add_done_callback(self._behind.discard)

    async def _kept(self, call: Call, reply: str | None) -> None:
        try:
            await anyio.to_thread.run_sync(
                lambda: learn(self._house, call, reply), limiter=self._within.limiter
            )
        finally:
            self._house.keep_done()

    async def _thread(self, work: Callable[[], _T], otherwise: _T, at_least_s: float = 0.0) -> _T:
        """Done on a thread within the time a turn allows for memory; what fails or takes longer costs the turn nothing but its memory."""
        return await self._within.done(
            work, otherwise, max(self._house.settings.recall_timeout_s, at_least_s)
        )


async def _raw(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.aiter_raw():
            yield chunk
    except httpx.HTTPError as error:
        broke_off(answer, error)
    finally:
        await answer.aclose()


def _written(request: Request, path: str) -> str:
    """The path behind `/v1` as it was written: a name in it may hold an escaped slash or question mark."""
    raw: bytes = request.scope.get("raw_path") or b""
    _, found, written = raw.decode("latin-1").partition("/v1/")
    return f"/{written if found else path}"


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        raw = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return raw if isinstance(raw, dict) else None
