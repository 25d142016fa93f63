"""Events as they happen, for pages and extensions; and the newest turns."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import Header, Query
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.types import Send

from rolememory.serve.app_state import TurnNote
from rolememory.serve.events import Event, Listener
from rolememory.serve.rest.dependencies import HomeCall, Paged, RoleCall, router
from rolememory.serve.rest.json_response import json_bytes
from rolememory.serve.rest.reasons import ItemOut, LoreItem, items_of, lore_items
from rolememory.serve.rest.schemas import Out, Page

routes = router("events")
RETRY_MS = 2000
PING_S = 15.0
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "server-sent events: id, event, data",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class TurnOut(Out):
    """One turn that went through this server."""

    at: datetime
    chat: str
    kind: str
    user: str | None
    recalled: int
    characters: int
    ms: float
    text: str
    items: list[ItemOut]
    lore: list[LoreItem]


class UnidentifiedCallOut(Out):
    """A call whose role or user could not be identified."""

    why: str
    """none or several: the role; user: only the role is known"""
    names: list[str]
    at: datetime


@routes.post("/token", status_code=204)
def check_token() -> None:
    """Check the token: changes nothing, and refuses a missing or wrong token as a change does."""


@routes.get("/events", responses=_STREAM, response_class=StreamingResponse)
async def events(
    call: HomeCall,
    last_event_id: Annotated[str, Header(max_length=40)] = "",
    after: Annotated[
        int,
        Query(ge=0, le=2**53, description="as `Last-Event-ID`, for clients that cannot send it"),
    ] = 0,
    role: Annotated[
        str, Query(max_length=300, description="only events of this role, by its id")
    ] = "",
) -> StreamingResponse:
    """Changes as they happen: memory, role, settings, worldbook, chat, turn, learned, import, puzzle. Never memory text.

    `gap` comes first if events since the last one were lost: read everything again.
    """
    begin = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else after
    return _EventStream(call.app_state.bus.listen(begin), role)


class _EventStream(StreamingResponse):
    """Hears before the answer begins: who sees it begin misses nothing that happens from then on."""

    media_type = "text/event-stream"

    def __init__(self, listener: Listener, role: str) -> None:
        super().__init__(_lines(listener, role), headers=_HEADERS)
        self._listener = listener

    async def stream_response(self, send: Send) -> None:
        with self._listener:
            await super().stream_response(send)


async def _lines(listener: Listener, role: str) -> AsyncIterator[bytes]:
    yield format_sse_event(retry=RETRY_MS)
    if listener.gap:
        yield format_sse_event(event="gap", data_str="{}")
    while True:
        try:
            async with asyncio.timeout(PING_S):
                event = await anext(listener)
        except TimeoutError:
            yield KEEPALIVE_COMMENT
        except StopAsyncIteration:
            return
        else:
            if not role or event.role in ("", role):
                yield _sent(event)


@routes.get("/roles/{role}/turns")
def turns(call: RoleCall, page: Paged) -> Page[TurnOut]:
    """The turns of a role since the server was started, newest first, with reasons."""
    return page(call.app_state.turns(call.role.id), _turn_out)


@routes.get("/puzzles")
def unidentified_calls(call: HomeCall, page: Paged) -> Page[UnidentifiedCallOut]:
    """Calls through the proxy whose role or user could not be identified, newest first."""
    found = call.app_state.unidentified.copy().values()
    return page(sorted(found, key=lambda one: one.at, reverse=True))


def _turn_out(note: TurnNote) -> TurnOut:
    turn = note.turn
    return TurnOut.from_value(
        note,
        ms=round(note.ms, 1),
        text=turn.text if turn else "",
        items=items_of(turn.recalled) if turn else [],
        lore=lore_items(turn.lore) if turn else [],
    )


def _sent(event: Event) -> bytes:
    data = {"role": event.role, "at": event.at.isoformat(), **event.values}
    told = json_bytes(data).decode()
    return format_sse_event(id=str(event.number), event=event.kind, data_str=told)
