"""Hybrid mode: memories of medium relevance are offered to the model through a tool, whose calls are answered here.

The frontend sees one reply. Source: S2.2, S2.6, S2.16.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx
import orjson

from rolememory.engine import RoleMemory
from rolememory.inject.fence import tame
from rolememory.locales import translatable, translated
from rolememory.schema.json_types import list_of, object_of, without
from rolememory.serve.proxy.inject import Body
from rolememory.serve.proxy.proxy_call import ProxyCall
from rolememory.serve.proxy.stream import DONE, END, SseParser, StreamedReply, event
from rolememory.text.language import language_of

if TYPE_CHECKING:
    from rolememory.serve.proxy.turns import Remembered

TOOL = "search_memory"
ROUNDS = 3  # consecutive searches before the model must answer
FOUND = 5  # memories per search
_ABOUT = translatable(
    "Search what {name} remembers. Use it when the past matters and the answer is not in the conversation."
)

More = Callable[[dict[str, Any]], Awaitable[httpx.Response]]


def offered(call: ProxyCall, found: "Remembered") -> "ToolOffer | None":
    """The tool offer of this turn; None in other modes, without memories to search, or if the frontend forbids tools."""
    if call.role is None or found.turn is None or not call.remembers:
        return None
    if not found.turn.searchable or call.body.get("tool_choice") not in (None, "auto"):
        return None
    return ToolOffer(
        call,
        call.role,
        language_of(found.turn.question.scene.query if found.turn.question else ""),
    )


@dataclass(slots=True)
class ToolOffer:
    """Adds the tool to a request, and answers its calls."""

    call: ProxyCall
    role: RoleMemory
    language: str
    rounds: int = 0
    _sent: Body | None = None

    @property
    def body(self) -> Body:
        """The request without the tool."""
        return self.call.body

    def into(self, body: Body) -> Body:
        """The request with the tool beside the frontend's own."""
        about = translated(_ABOUT, self.language, name=self.role.role.name)
        what = translated("what to look for", self.language)
        parameters = {
            "type": "object",
            "properties": {"query": {"type": "string", "description": what}},
            "required": ["query"],
        }
        function = {
            "name": TOOL,
            "description": about,
            "parameters": parameters,
        }
        return {
            **body,
            "tools": [*(body.get("tools") or ()), {"type": "function", "function": function}],
        }

    def toolless(self, sent: Body) -> Body:
        """The sent request without our tool; the frontend's own tools stay."""
        tools = [tool for tool in sent.get("tools") or () if not _is_ours(tool)]
        kept = without(sent, "tools")
        return {**kept, "tools": tools} if tools or "tools" in self.body else kept

    def goes_with(self, body: Body) -> None:
        """Set the sent request, which later rounds extend."""
        self._sent = body

    def carried(
        self, answer: httpx.Response, reply: StreamedReply, more: More, *, streams: bool
    ) -> AsyncGenerator[bytes]:
        """The response for the frontend; calls of our tool are answered in between."""
        carry = self._stream if streams else self._whole
        return carry(answer, reply, more)

    async def _stream(
        self, answer: httpx.Response, reply: StreamedReply, more: More
    ) -> AsyncGenerator[bytes]:
        first_id = ""
        while True:
            held: list[dict[str, Any]] = []
            turn = StreamedReply()
            async for data in _events(answer):
                if data.strip() == DONE:
                    continue
                raw = turn.take(data)
                if raw is None:
                    continue
                first_id = first_id or str(raw.get("id") or "")
                if turn.tool_calls and (_delta(raw).get("tool_calls") or turn.reason):
                    held.append(raw)
                else:
                    yield event({**raw, "id": first_id} if first_id else raw)
            reply.take_object(
                {
                    "choices": [
                        {"delta": {"content": turn.whole()}, "finish_reason": turn.reason or None}
                    ]
                }
            )
            if not self._ours(turn) or self.rounds >= ROUNDS:
                for raw in held:
                    yield event(_without_ours(raw, turn))
                yield b"data: [DONE]\n\n"
                reply.error = reply.error or turn.error
                return
            following = await self._again(turn, more)
            await answer.aclose()
            answer = following

    async def _whole(
        self, answer: httpx.Response, reply: StreamedReply, more: More
    ) -> AsyncGenerator[bytes]:
        while True:
            data = await answer.aread()
            turn = StreamedReply()
            try:
                turn.take_object(orjson.loads(data))
            except (orjson.JSONDecodeError, AttributeError):
                turn.error = True
            if turn.error or not self._ours(turn) or self.rounds >= ROUNDS:
                reply.take_object({"choices": [{"delta": {"content": turn.whole()}}]})
                reply.finished = not turn.error
                reply.error = turn.error
                yield (
                    data
                    if turn.error or not _asked_for(turn)
                    else orjson.dumps(_without_ours(orjson.loads(data), turn))
                )
                return
            following = await self._again(turn, more)
            await answer.aclose()
            answer = following

    @staticmethod
    def _ours(turn: StreamedReply) -> bool:
        """Whether the model called our tool and no other."""
        return bool(turn.tool_calls) and len(_asked_for(turn)) == len(turn.tool_calls)

    async def _again(self, turn: StreamedReply, more: More) -> httpx.Response:
        """Send the results of the calls to the model, which continues."""
        self.rounds += 1
        calls = [
            {**call, "id": call["id"] or f"call_{number}"}
            for number, call in sorted(turn.tool_calls.items())
        ]
        told = [
            {"role": "tool", "tool_call_id": call["id"], "content": await self._found(call)}
            for call in calls
        ]
        before = self._sent or self.into(self.body)
        spoken = {"role": "assistant", "content": turn.whole() or None, "tool_calls": calls}
        enough = {"tool_choice": "none"} if self.rounds >= ROUNDS else {}
        self._sent = {**before, **enough, "messages": [*before["messages"], spoken, *told]}
        answer = await more(self._sent)
        if answer.status_code < 400:
            return answer
        await answer.aclose()
        self.rounds = ROUNDS
        return await more(
            self.toolless(before)
        )  # a server that accepts tools but not their results answers from the prompt alone

    async def _found(self, call: Mapping[str, Any]) -> str:
        try:
            query = str(orjson.loads(call["function"]["arguments"] or b"{}").get("query", ""))
        except (orjson.JSONDecodeError, AttributeError):
            query = ""
        return await anyio.to_thread.run_sync(lambda: self.search(query))

    def search(self, query: str) -> str:
        """The tool's result: dated lines, as data."""
        found = (
            self.role.search(
                query,
                limit=FOUND,
                user=self.call.user or "",
                chat=self.call.chat,
                present=self.call.present,
                members=self.call.members,
            )
            if query.strip()
            else []
        )
        lines = [
            f"- [{one.memory.created:%Y-%m-%d}] " if one.memory.created else "- " for one in found
        ]
        return "\n".join(
            head + tame(one.memory.content) for head, one in zip(lines, found, strict=True)
        ) or translated("Nothing is remembered about this.", self.language)


async def _events(answer: httpx.Response) -> AsyncIterator[bytes]:
    events = SseParser()
    async for chunk in answer.aiter_bytes():
        for data in events.feed(chunk):
            yield data
    for data in events.feed(END):
        yield data


def _delta(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    first = object_of(next(iter(list_of(raw.get("choices"))), None))
    return object_of(first.get("delta") or first.get("message"))


def _is_ours(tool: object) -> bool:
    return object_of(object_of(tool).get("function")).get("name") == TOOL


def _asked_for(turn: StreamedReply) -> set[int]:
    """The indexes of the calls of our tool."""
    return {index for index, call in turn.tool_calls.items() if call["function"]["name"] == TOOL}


def _without_ours(raw: dict[str, Any], turn: StreamedReply) -> dict[str, Any]:
    """The response, or a chunk of it, without calls of our tool; the frontend's own stay."""
    ours = _asked_for(turn)
    if not ours or not isinstance(raw.get("choices"), list):
        return raw
    ends = "stop" if len(ours) == len(turn.tool_calls) else "tool_calls"
    return {**raw, "choices": [_choice(choice, ours, ends) for choice in raw["choices"]]}


def _choice(choice: Any, ours: set[int], ends: str) -> Any:
    if not isinstance(choice, Mapping):
        return choice
    out = {**choice}
    if choice.get("finish_reason") == "tool_calls":
        out["finish_reason"] = ends
    for where in ("delta", "message"):
        said = choice.get(where)
        if isinstance(said, Mapping) and isinstance(said.get("tool_calls"), list):
            out[where] = _said(said, ours)
    return out


def _said(said: Mapping[str, Any], ours: set[int]) -> dict[str, Any]:
    calls = enumerate(said["tool_calls"])
    kept = [call for place, call in calls if _place(call, place) not in ours]
    rest = without(said, "tool_calls")
    return {**rest, "tool_calls": kept} if kept else rest


def _place(call: Any, otherwise: int) -> int:
    index = object_of(call).get("index")
    return index if isinstance(index, int) else otherwise
