"""Streams a response to the frontend, parses it meanwhile, and reports the character's reply at the end."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import httpx
import orjson

from rolememory.serve.app_state import AppState
from rolememory.serve.proxy.memory_tool import ToolOffer
from rolememory.serve.proxy.proxy_call import ProxyCall
from rolememory.serve.proxy.stream import END, SseParser, StreamedReply
from rolememory.serve.proxy.streaming import Put, broke_off, chunks_of

READ_AT_ONCE = 16 * 1024  # bytes of a stream: small chunks are parsed together
More = Callable[[dict[str, Any]], Awaitable[httpx.Response]]
Keep = Callable[[ProxyCall, str | None], None]
Tell = Callable[[], None]


class Relay:
    """A response being relayed. `begun` is called after the first text, `keep` with the reply, or None if incomplete or failed."""

    def __init__(
        self,
        answer: httpx.Response,
        call: ProxyCall,
        offer: ToolOffer | None,
        more: More,
        keep: Keep,
        app_state: AppState,
        begun: Tell,
    ) -> None:
        self._answer = answer
        self._call = call
        self._offer = offer
        self._more = more
        self._keep = keep
        self._app_state = app_state
        self._answers = [answer]
        self._begun: Tell | None = begun
        self._reply = StreamedReply()
        self._streams = "text/event-stream" in answer.headers.get("content-type", "")

    async def carry(self, put: Put) -> None:
        """Send the body to the frontend."""
        with self._app_state.answering():
            try:
                if self._answer.status_code >= 400:
                    self._reply.error = True
                await put(b"")
                async with aclosing(self._chunks()) as chunks:
                    async for chunk in chunks:
                        await put(chunk)
                        self._tell()
            except httpx.HTTPError as error:
                broke_off(self._answer, error)
            finally:
                self._tell()
                self._end()
                for answer in self._answers:
                    await answer.aclose()

    async def _again(self, body: dict[str, Any]) -> httpx.Response:
        """The response to a further request of this turn."""
        answer = await self._more(body)
        self._answers.append(answer)
        return answer

    def _chunks(self) -> AsyncGenerator[bytes]:
        if self._offer and not self._reply.error:
            return self._offer.carried(
                self._answer, self._reply, self._again, streams=self._streams
            )
        return self._streamed() if self._streams else self._whole()

    async def _streamed(self) -> AsyncGenerator[bytes]:
        events = SseParser()
        unread = bytearray()
        try:
            async for chunk in chunks_of(self._answer):
                yield chunk
                unread += chunk
                if len(unread) >= READ_AT_ONCE:
                    self._read(events, unread)
            unread += END
        finally:
            self._read(events, unread)

    def _read(self, events: SseParser, unread: bytearray) -> None:
        for data in events.feed(bytes(unread)):
            self._reply.take(data)
        unread.clear()

    async def _whole(self) -> AsyncGenerator[bytes]:
        parts: list[bytes] = []
        async for chunk in chunks_of(self._answer):
            parts.append(chunk)
            yield chunk
        try:
            raw = orjson.loads(b"".join(parts))
        except orjson.JSONDecodeError:
            return
        if isinstance(raw, dict):
            self._reply.take_object(raw)
            self._reply.finished = True

    def _tell(self) -> None:
        if self._begun:
            self._begun()
            self._begun = None

    def _end(self) -> None:
        reply = self._reply
        if reply.error:
            return
        self._keep(self._call, reply.whole() if reply.finished else None)
