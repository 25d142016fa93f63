"""The model behind everything: says what it is told to, and remembers what it was asked."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from tests.designs.chats import step_of
from tests.endpoint import Behaviour, Endpoint, Line, Request, answers, completion
from tests.serve.proxy.upstreams import calls_tool, chunk, hangs_after, lines

Body = dict[str, Any]
ONE_THING = (
    ("小狗", "幼犬"),
    ("生病", "感觉"),
)  # words that the scripted model of meaning takes for the same
DIMS = 256
MODELS = json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode()


class Model:
    """An upstream for a whole session. `asked` are the conversations that reached it, oldest first."""

    def __init__(self) -> None:
        self.endpoint = Endpoint(self._answer)
        self.reply = "Mm."
        self.steps: dict[str, Any] = {}  # what a step of learning is answered, by its name
        self._odd: Behaviour | None = None

    @property
    def asked(self) -> list[Body]:
        return [
            request.json
            for request in self.endpoint.requests
            if _is_conversation(request) and not step_of(request)
        ]

    @property
    def newest(self) -> Body:
        return self.asked[-1]

    @contextmanager
    def hanging(self, *words: str) -> Iterator[None]:
        """Meanwhile, say these words and never come to an end."""
        self._odd = hangs_after(*words)
        try:
            yield
        finally:
            self._odd = None

    @contextmanager
    def refusing(self, message: str) -> Iterator[None]:
        """Meanwhile, answer that something is wrong."""
        self._odd = lambda line: line.reply(
            json.dumps({"error": {"message": message}}).encode(), status="500 Internal Server Error"
        )
        try:
            yield
        finally:
            self._odd = None

    def will_call(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Call a tool before the next reply."""

        def once(line: Line) -> None:
            self._odd = None
            calls_tool(tool, arguments, streamed=bool(line.request.json.get("stream")))(line)

        self._odd = once

    def idle(self) -> bool:
        """Wait until nobody is being answered: what was broken off has been let go."""
        return self.endpoint.idle(20)

    def _answer(self, line: Line) -> None:
        if line.request.path.endswith("/embeddings"):
            line.reply(_embedded(line.request.json["input"]))
        elif not _is_conversation(line.request):
            line.reply(MODELS)
        elif step := step_of(line.request):
            answers(self.steps.get(step, {"facts": []}))(line)
        elif self._odd:
            self._odd(line)
        elif "prompt" in line.request.json:
            line.reply(
                json.dumps(
                    {"choices": [{"index": 0, "text": f" {self.reply}", "finish_reason": "stop"}]}
                ).encode()
            )
        elif line.request.json.get("stream"):
            pieces = [
                chunk(role="assistant", content=""),
                chunk(content=self.reply),
                chunk(finish="stop"),
            ]
            line.reply(lines(pieces), kind="text/event-stream")
        else:
            line.reply(completion(self.reply))


def _is_conversation(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith("/completions")


def _embedded(texts: str | list[str]) -> bytes:
    """A vector for each text: its words, and five times as strong those that it knows others for."""
    rows = []
    for at, text in enumerate([texts] if isinstance(texts, str) else texts):
        row = [0.0] * DIMS
        for word in re.findall(r"[a-z]+|[\u4e00-\u9fff]", text.lower()):
            row[crc32(word.encode()) % DIMS] += 1.0
        for words in ONE_THING:
            row[crc32(words[0].encode()) % DIMS] += 5.0 * any(word in text for word in words)
        rows.append({"index": at, "embedding": row})
    return json.dumps({"object": "list", "data": rows}).encode()


def block(body: Body) -> str:
    """The block of memory in a conversation, "" when there is none; more than one is a fault."""
    said = said_in(body)
    assert said.count("<rolememory>") <= 1, said
    return said.partition("<rolememory>")[2].partition("</rolememory>")[0]


def said_in(body: Body) -> str:
    """All texts of a conversation."""
    return (
        str(body["prompt"])
        if "prompt" in body
        else "\n".join(str(message.get("content") or "") for message in body["messages"])
    )
