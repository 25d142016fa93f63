"""`/v1/...` and `/r/{role}/v1/...`: chats get memories, everything else is relayed unchanged."""

import asyncio
import logging
import time
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import orjson
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from rolememory.locales import translatable, translated
from rolememory.schema.json_types import without
from rolememory.schema.settings import ServeSettings
from rolememory.serve.admission import LARGE, QueueTicket
from rolememory.serve.app_state import AppState, TurnNote
from rolememory.serve.guard import BODY, CALLER, Receive, Scope, Send
from rolememory.serve.proxy.deadline import (
    AT_ONCE,
    DeadlineRunner,
    Once,
    TasksInOrder,
    on_thread,
)
from rolememory.serve.proxy.inject import HINT, Body, How, injected, injected_prompt
from rolememory.serve.proxy.memory_tool import ToolOffer, offered
from rolememory.serve.proxy.proxy_call import ProxyCall
from rolememory.serve.proxy.relay import Relay
from rolememory.serve.proxy.request_forms import FORMS
from rolememory.serve.proxy.request_reader import RequestReader, extent
from rolememory.serve.proxy.streaming import (
    Put,
    StreamedAnswer,
    UpstreamBrokeOffError,
    broke_off,
    close_line,
    raw_chunks,
    while_somebody_waits,
)
from rolememory.serve.proxy.turns import Remembered, learn, remember
from rolememory.serve.proxy.upstream import Upstream, coming_back, going_up
from rolememory.serve.proxy.upstream_errors import unreachable, unusable

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
CONVERSATIONS = ("chat/completions", "completions", *FORMS)
OBSERVED_AT_ONCE = 2  # long turns observed at once, besides the others
BACKGROUND_S = 1.0  # maximum delay of observing a turn while other turns wait for recall
OTHER_CHATS = 1 / 8  # of a turn's time limit: maximum wait for what its user just said elsewhere
READING_S = 10.0  # timeout of parsing, which learning needs; it is fast except on a cold first turn
Enter = Callable[[], Awaitable[QueueTicket | None]]
"""Waits until a large task may start."""
_LESS: tuple[How, ...] = (
    "placed",
    "head",
    "none",
)  # how to inject, from most to least demanding of the upstream
_UNTOLD = translatable(
    "{upstream} takes no system messages, so its turns go without memory; "
    'serve.system_role = "no" lets memories stand in the user\'s message'
)
_TOO_LONG = translatable(
    "a call of {messages} messages and {characters} characters passes without memory; "
    "see serve.max_messages and serve.max_characters"
)
_PACKED = translatable(
    "a call packed with {encoding} passes without memory: plain, gzip and deflate are read"
)
_LATE = translatable("other large calls came first: one of more than 256 KB passes without memory")
_IN_PARTS = translatable(
    "a call of /v1/responses that names {field} shows only what is new: memories go in, nothing is "
    "learned; have the frontend send the whole chat"
)
_HINT = HINT.encode()
_log = logging.getLogger(__name__)


def proxy(app: Starlette, app_state: AppState) -> None:
    """Add the routes."""
    endpoint = Proxy(app_state)
    app.state.lifespans.append(endpoint.lifespan)
    for path in ("/v1/{path:path}", "/r/{role}/v1/{path:path}"):
        app.router.routes.append(Route(path, endpoint, methods=METHODS, include_in_schema=False))


class Proxy:
    """Relays calls to the upstream."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._reader = RequestReader(app_state)
        self._upstream: Upstream | None = None
        self._deadlines = DeadlineRunner()
        self._observers = ThreadPoolExecutor(AT_ONCE + OBSERVED_AT_ONCE, "rolememory-keep")
        self._background = TasksInOrder()
        self._unobserved: dict[Once, ProxyCall] = {}  # finished turns, in order, but large ones
        self._accepted: dict[
            str, How
        ] = {}  # by upstream that refused system messages: what it accepts
        self._toolless: set[str] = set()  # upstreams that refused tools
        self._logged: set[str] = set()  # messages that were logged

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """The lifespan: a connection pool; learning is finished before the end."""
        self._upstream = Upstream(self._app_state.settings)
        try:
            yield
        finally:
            await self._background.ended(5.0)
            self._deadlines.close()
            self._observers.shutdown(wait=False, cancel_futures=True)
            await self._upstream.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. Learning does not use the model until it is answered."""
        request = Request(scope, receive)
        turn = scope["method"] == "POST" and _api_path(request) in CONVERSATIONS
        if turn:
            self._app_state.model_begins()
        try:
            with suppress(ClientDisconnect):
                await self._respond(request, send, await request.body(), turn=turn)
        except UpstreamBrokeOffError:
            await close_line(request)
        finally:
            if turn:
                self._app_state.model_ends()

    async def _respond(self, request: Request, send: Send, body: bytes, *, turn: bool) -> None:
        answer: StreamedAnswer | Response | None = None
        async with while_somebody_waits(request):
            answer = await self._answer(request, body, turn=turn)
            if isinstance(answer, StreamedAnswer):
                await answer.begin(send)
        if isinstance(answer, StreamedAnswer):
            await answer.end(send)
        elif answer is not None:
            await answer(request.scope, request.receive, send)

    async def _answer(
        self, request: Request, body: bytes, *, turn: bool
    ) -> StreamedAnswer | Response:
        settings = self._app_state.settings
        if nobody := unusable(request, self._app_state, settings.upstream):
            return nobody
        way = request.scope[BODY]
        late = way.large and way.turn is None
        if late:
            _log.warning("%s", translated(_LATE, self._app_state.language))
        raw = _json_object(body) if turn and not (late and _HINT not in body) else None
        if raw is None and turn and (encoding := request.headers.get("content-encoding")):
            self._tell_once(_PACKED, encoding=encoding[:60])
        form = FORMS.get(_api_path(request))
        chat = form.chat(raw) if form and raw else raw
        if not raw or not chat or late or not settings.memory or self._too_long(chat, settings):
            way.done()
            body = orjson.dumps(without(raw, HINT)) if raw and HINT in raw else body
            return await self._pass(request, body)
        return await self._converse(request, raw, chat, body, settings)

    def _too_long(self, raw: Body, settings: ServeSettings) -> bool:
        """Whether a call exceeds the limits of the settings for memory; logged."""
        messages, characters = extent(raw)
        if messages <= settings.max_messages and characters <= settings.max_characters:
            return False
        language = self._app_state.language
        told = translated(_TOO_LONG, language, messages=messages, characters=characters)
        _log.warning("%s", told)
        return True

    async def _converse(
        self, request: Request, raw: Body, chat: Body, body: bytes, settings: ServeSettings
    ) -> StreamedAnswer | Response:
        prompt = _api_path(request) == "completions"
        form = FORMS.get(_api_path(request))
        call, found = await self._read(request, chat, settings.recall_timeout_s, prompt=prompt)
        request.scope[BODY].done()
        if call is None:
            return await self._pass(request, orjson.dumps(without(raw, HINT)))
        self._app_state.model_named(str(call.body.get("model") or ""))
        takes_tools = not (prompt or form) and settings.upstream not in self._toolless
        offer = offered(call, found) if takes_tools else None
        untouched = call.body is chat and not (found.parts or offer)

        def sent(how: How, tool: bool = True) -> bytes:
            if untouched:
                return body
            filled = self._filled(call, found, offer if tool else None, prompt, how)
            return orjson.dumps(form.request(filled) if form else filled)

        field = next((one for one in form.goes_on if raw.get(one)), "") if form else ""
        kept = self._in_parts(call, field) if field else call
        return await self._relayed(request, kept, sent, offer, found.note)

    def _in_parts(self, call: ProxyCall, field: str) -> ProxyCall:
        """The call without learning: messages that it lacks would count as deleted."""
        if call.teaches:
            self._tell_once(_IN_PARTS, field=field)
        return replace(call, doubtful=True)

    def _tell_once(self, template: str, **values: str) -> None:
        """Log a warning once."""
        if template not in self._logged:
            self._logged.add(template)
            _log.warning("%s", translated(template, self._app_state.language, **values))

    async def _read(
        self, request: Request, raw: Body, allowed_s: float, *, prompt: bool
    ) -> tuple[ProxyCall | None, Remembered]:
        """Parse a call and recall for it, within the time limit of a turn.

        After a failure or timeout the turn goes without memory; the call is None if it could not be parsed.
        """
        role = request.path_params.get("role")
        caller = request.scope.get(CALLER)
        read = list[ProxyCall]()
        until = time.monotonic() + READING_S

        def look() -> Remembered:
            call = self._reader.read(raw, request.headers, role, prompt=prompt, caller=caller)
            read.append(call)
            self._observe_before(call, OTHER_CHATS * allowed_s)
            return remember(self._app_state, call)

        found = await self._deadlines.run(
            look,
            Remembered(),
            allowed_s,
            lambda: not read and time.monotonic() < until,
        )
        return (read[0] if read else None), found

    def _filled(
        self, call: ProxyCall, found: Remembered, offer: ToolOffer | None, prompt: bool, how: How
    ) -> Body:
        if prompt:
            said = [message.content for message in call.spoken]
            return injected_prompt(call.body, found.parts, said)
        body = offer.into(call.body) if offer else call.body
        filled = injected(body, found.parts, how=how, continuing=call.kind == "continue")
        if offer:
            offer.goes_with(filled)
        return filled

    async def _relayed(
        self,
        request: Request,
        call: ProxyCall,
        sent: Callable[..., bytes],
        offer: ToolOffer | None,
        note: TurnNote | None,
    ) -> StreamedAnswer | Response:
        try:
            answer, offer = await self._asked_for(request, sent, offer)
        except (asyncio.CancelledError, httpx.HTTPError) as error:
            self._note(note)
            if isinstance(error, httpx.HTTPError):
                return unreachable(request, self._app_state, error)
            self._learn(request, call, None)
            raise
        relay = Relay(
            answer,
            call,
            offer,
            lambda more: self._send(
                request, self._app_state.settings, orjson.dumps(more), plain=True
            ),
            partial(self._learn, request),
            self._app_state,
            lambda: self._note(note),
        )
        headers = coming_back(
            answer.headers.raw, decoded="content-encoding" in answer.headers or offer is not None
        )
        return StreamedAnswer(answer.status_code, headers, relay.carry)

    async def _asked_for(
        self, request: Request, sent: Callable[..., bytes], offer: ToolOffer | None
    ) -> tuple[httpx.Response, ToolOffer | None]:
        """The upstream's response, after retries with less if it refuses; and the tool offer, if accepted."""
        settings = self._app_state.settings
        how = self._how(settings)
        answer = await self._send(request, settings, sent(how), plain=True)
        if offer and answer.status_code >= 400 and b"tool" in await _refusal(answer):
            answer = await self._send(request, settings, sent(how, tool=False), plain=True)
            offer = None
            if answer.status_code < 400:
                self._toolless.add(settings.upstream)
        if answer.status_code in (400, 422, 500) and settings.system_role == "auto":
            answer = await self._otherwise(request, answer, sent, how)
        return answer, offer

    def _how(self, settings: ServeSettings) -> How:
        if settings.system_role != "auto":
            return "folded" if settings.system_role == "no" else "placed"
        return self._accepted.get(settings.upstream, "placed")

    async def _otherwise(
        self, request: Request, answer: httpx.Response, sent: Callable[..., bytes], how: How
    ) -> httpx.Response:
        """Retry if a system message was refused: with memory in the first instructions, then without it; else return the refusal."""
        told = await _refusal(answer)
        if not (b"role" in told and (b"system" in told or b"alternat" in told)):
            return answer
        settings = self._app_state.settings
        refused = {sent(how)}
        for other in _LESS[_LESS.index(how) + 1 :]:
            if (body := sent(other)) in refused:
                continue
            refused.add(body)
            again = await self._send(request, settings, body, plain=True)
            if again.status_code < 400:
                self._accepted[settings.upstream] = other
                if other == "none":
                    language = self._app_state.language
                    _log.warning("%s", translated(_UNTOLD, language, upstream=settings.upstream))
                return again
            await again.aclose()
        return answer

    async def _pass(self, request: Request, body: bytes) -> StreamedAnswer | Response:
        try:
            answer = await self._send(request, self._app_state.settings, body, plain=False)
        except httpx.HTTPError as error:
            return unreachable(request, self._app_state, error)

        async def carry(put: Put) -> None:
            try:
                await put(b"")
                async for chunk in raw_chunks(answer):
                    await put(chunk)
            except httpx.HTTPError as error:
                broke_off(answer, error)
            finally:
                await answer.aclose()

        headers = coming_back(answer.headers.raw, decoded=False)
        return StreamedAnswer(answer.status_code, headers, carry)

    async def _send(
        self, request: Request, settings: ServeSettings, body: bytes, *, plain: bool
    ) -> httpx.Response:
        """Send the request to the upstream. Raises: httpx.HTTPError."""
        if self._upstream is None:
            raise httpx.ConnectError("the server is ending")
        headers = going_up(request.scope["headers"], settings, self._app_state.token, plain=plain)
        return await self._upstream.send(
            settings, request.method, _raw_path(request), request.url.query, headers, body
        )

    def _note(self, note: TurnNote | None) -> None:
        """Log the turn in the background, after the response."""
        if note:
            self._later(lambda: self._app_state.note(note))

    def _learn(self, request: Request, call: ProxyCall, reply: str | None) -> None:
        """Observe the turn, after the response and the earlier turns, in order, since missing messages count as deleted."""
        if call.teaches and call.role:
            large = sum(len(one.content) for one in call.spoken) > LARGE
            alone = "" if call.members else call.role.id  # all roles of a group observe it
            chat = (call.user, call.chat or alone)
            enter = partial(self._app_state.admission.enter, asker=request.scope[BODY].asker)

            def observe() -> None:
                try:
                    learn(self._app_state, call, reply, large=large)
                finally:
                    self._unobserved.pop(once, None)

            once = Once(observe)
            if not large:
                self._unobserved[once] = call
            self._later(once, chat, enter if large else None)

    def _observe_before(self, call: ProxyCall, most_s: float) -> None:
        """Observe what the same user said to this role in other chats now, however much waits; at most so long."""
        until = time.monotonic() + most_s
        with suppress(TimeoutError):
            for once, other in tuple(self._unobserved.items()):
                if call.remembers and other.is_beside(call):
                    self._observers.submit(once).result(until - time.monotonic())

    def _later(
        self, work: Callable[[], None], chat: Hashable = None, enter: Enter | None = None
    ) -> None:
        """Run work on a thread when no turn waits for memory, in sequence per chat; `AppState.settle` waits for it."""
        self._app_state.keep_begun()
        self._background.begin(lambda: self._run_later(work, enter), chat)

    async def _run_later(self, work: Callable[[], None], enter: Enter | None) -> None:
        try:
            if enter:
                await self._run_large(work, enter)
            else:
                await self._deadlines.in_background(self._observers, work, BACKGROUND_S)
        finally:
            self._app_state.keep_done()

    async def _run_large(self, work: Callable[[], None], enter: Enter) -> None:
        await self._deadlines.idle(BACKGROUND_S)
        turn = await enter()
        try:
            await on_thread(self._observers, work)
        finally:
            if turn:
                turn.leave()


async def _refusal(answer: httpx.Response) -> bytes:
    """The beginning of a refusal's body, in lower case."""
    return (await answer.aread())[:4000].lower()


def _api_path(request: Request) -> str:
    """The decoded path after `/v1`."""
    path: str = request.path_params["path"]
    return path.rstrip("/")


def _raw_path(request: Request) -> str:
    """The raw path after `/v1`: a name in it may contain an escaped slash or question mark."""
    raw: bytes = request.scope.get("raw_path") or b""
    _, found, written = raw.decode("latin-1").partition("/v1/")
    return f"/{written if found else request.path_params['path']}"


def _json_object(body: bytes) -> dict[str, Any] | None:
    try:
        raw = orjson.loads(body.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError:
        return None
    return raw if isinstance(raw, dict) else None
