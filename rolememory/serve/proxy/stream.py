"""Incremental parser of streamed responses of an OpenAI-compatible server.

Source: the event stream format of the HTML standard, and chat.completion(.chunk) objects as servers really send them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from rolememory.schema.json_types import list_of, object_of, objects_of, text_of

DONE = b"[DONE]"
END = b"\n\n"  # ends an event; may be missing at the last one
MOST = 8 * 2**20  # bytes of a reply that are parsed; a longer one is still relayed


class SseParser:
    r"""Takes bytes in any chunks, yields the data of complete events.

    >>> events = SseParser()
    >>> [*events.feed(b'data: {"a"'), *events.feed(b': 1}\r\n\r\ndata: [DONE]\n\n')]
    [b'{"a": 1}', b'[DONE]']
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that this chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MOST:
            self._rest = b""
        for row in lines:
            line = row.rstrip(b"\r")
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                yield b"\n".join(self._data)
                self._data = []


@dataclass(slots=True)
class StreamedReply:
    """The assembled reply: the text of the first choice, its tool calls, whether it is complete."""

    text: str = ""
    finished: bool = False
    reason: str = ""  # finish_reason
    error: bool = False
    tool_calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    _parts: list[str] = field(default_factory=list)
    _size: int = 0

    def take(self, data: bytes) -> dict[str, Any] | None:
        """Process an event of a stream; returns its JSON object, None if it has none."""
        if data.strip() == DONE:
            self.finished = True
            return None
        try:
            raw = orjson.loads(data)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(raw, dict):
            return None
        self.take_object(raw)
        return raw

    def take_object(self, raw: Mapping[str, Any]) -> None:
        """Process a chunk, or a whole response."""
        if raw.get("error") or raw.get("type") == "response.failed":
            self.error = True
        choice = _first(raw["choices"]) if "choices" in raw else _otherwise(raw)
        if choice is None:
            return
        said = object_of(choice.get("delta") or choice.get("message"))
        self._add(choice.get("text") or said.get("content"))
        for call in list_of(said.get("tool_calls")):
            _merge(self.tool_calls, call)
        if choice.get("finish_reason"):
            self.finished = True
            self.reason = str(choice["finish_reason"])

    def whole(self) -> str:
        """The text so far."""
        if self._parts:
            self.text = self.text + "".join(self._parts)
            self._parts = []
        return self.text

    def _add(self, content: object) -> None:
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in objects_of(content))
        if isinstance(content, str) and self._size < MOST:
            self._parts.append(content)
            self._size += len(content)


def _first(choices: object) -> Mapping[str, Any] | None:
    """The first choice: the one with index 0, or the only one."""
    return next((one for one in objects_of(choices) if one.get("index", 0) == 0), None)


def _otherwise(raw: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """An event or whole response of Anthropic's Messages or OpenAI's Responses as a choice, without reasoning and calls.

    >>> _otherwise({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hi"}})
    {'text': 'Hi'}
    """
    match raw:
        case {"type": "content_block_delta", "delta": {"text": text}}:
            return {"text": text}
        case {"type": "response.output_text.delta", "delta": text}:
            return {"text": text}
        case {"type": "message_stop" | "response.completed" | "response.incomplete"}:
            return {"finish_reason": "stop"}
        case {"type": "message", "content": said}:
            return {"text": said}
        case {"object": "response", "output": [*rows]}:
            said = (row for row in objects_of(rows) if row.get("type") == "message")
            return {"text": [part for row in said for part in list_of(row.get("content"))]}
    return None


def _merge(calls: dict[int, dict[str, Any]], piece: object) -> None:
    """Merge a delta of a tool call, whose arguments come in parts; invalid ones are ignored."""
    if not isinstance(piece, Mapping):
        return
    index = piece.get("index")
    begins = bool(piece.get("id") or object_of(piece.get("function")).get("name"))
    place = index if isinstance(index, int) else len(calls) if begins else max(len(calls) - 1, 0)
    call = calls.setdefault(
        place, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
    )
    call["id"] = text_of(piece.get("id")) or call["id"]
    function = object_of(piece.get("function"))
    call["function"]["name"] += text_of(function.get("name"))
    call["function"]["arguments"] += text_of(function.get("arguments"))


def event(data: Mapping[str, Any]) -> bytes:
    """An object as a server-sent event."""
    return b"data: " + orjson.dumps(data) + b"\n\n"
