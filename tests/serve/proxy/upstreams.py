"""A model's server that answers as a test wants: streams, cuts off, calls tools."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.endpoint import Behaviour, Line


def chunk(**delta: Any) -> dict[str, Any]:
    """One piece of a stream."""
    finish = delta.pop("finish", None)
    return {
        "id": "cmpl-1",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def lines(pieces: Iterable[Mapping[str, Any]]) -> bytes:
    """Pieces as an event stream, with its end."""
    return (
        b"".join(
            b"data: " + json.dumps(piece, ensure_ascii=False).encode() + b"\n\n" for piece in pieces
        )
        + b"data: [DONE]\n\n"
    )


def streams(*words: str, extra: Mapping[str, Any] | None = None) -> Behaviour:
    """Stream these words, each as a piece."""
    return plays(
        lines(
            [
                chunk(role="assistant", content=""),
                *(chunk(content=word) for word in words),
                {**chunk(finish="stop"), **(extra or {})},
            ]
        )
    )


def plays(body: bytes) -> Behaviour:
    """An event stream with these bytes."""

    def behave(line: Line) -> None:
        line.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Upstream: yes\r\nConnection: close\r\n\r\n"
            + body
        )

    return behave


def breaks_off(*words: str) -> Behaviour:
    """Stream some words and die."""

    def behave(line: Line) -> None:
        body = lines([chunk(content=word) for word in words]).removesuffix(b"data: [DONE]\n\n")
        line.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        line.send(f"{len(body):x}\r\n".encode() + body + b"\r\n")
        line.cut()

    return behave


def hangs_after(*words: str) -> Behaviour:
    """Stream some words and then nothing, until the other side hangs up."""

    def behave(line: Line) -> None:
        body = lines([chunk(content=word) for word in words]).removesuffix(b"data: [DONE]\n\n")
        line.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        line.send(f"{len(body):x}\r\n".encode() + body + b"\r\n")
        line.wait(30.0)

    return behave


def calls_tool(
    name: str, arguments: Mapping[str, Any], *, streamed: bool, said: str = ""
) -> Behaviour:
    """Ask for a tool, its arguments in shreds."""
    text = json.dumps(arguments, ensure_ascii=False)
    function = {"name": name, "arguments": text}
    if not streamed:
        message = {
            "role": "assistant",
            "content": said or None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
        body = json.dumps(
            {
                "id": "1",
                "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            }
        ).encode()
        return lambda line: line.reply(body)
    half = len(text) // 2
    begun = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": name, "arguments": text[:half]},
    }
    pieces = [
        *([chunk(content=said)] if said else ()),
        chunk(role="assistant", tool_calls=[begun]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": text[half:]}}]),
        chunk(finish="tool_calls"),
    ]
    return plays(lines(pieces))
