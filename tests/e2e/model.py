"""The model behind everything: says what it is told to, and remembers what it was asked."""

import json
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from tests.endpoint import Behaviour, Endpoint, Line, Request, completion
from tests.serve.proxy.upstreams import chunk, hangs_after, lines

Body = dict[str, Any]
MODELS = json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode()


class Model:
    """An upstream for a whole session. `asked` are the conversations that reached it, oldest first."""

    def __init__(self) -> None:
        self.endpoint = Endpoint(self._answer)
        self.reply = "Mm."
        self.gone = 0  # conversations the other side broke off
        self._odd: Behaviour | None = None

    @property
    def asked(self) -> list[Body]:
        return [request.json for request in self.endpoint.requests if _is_conversation(request)]

    @property
    def newest(self) -> Body:
        return self.asked[-1]

    @contextmanager
    def hanging(self, *words: str) -> Any:
        """Meanwhile, say these words and never come to an end."""
        self._odd = hangs_after(*words)
        try:
            yield
        finally:
            self._odd = None

    def idle(self) -> bool:
        """Wait until nobody is being answered: what was broken off has been let go."""
        return self.endpoint.idle(20)

    def _answer(self, line: Line) -> None:
        if not _is_conversation(line.request):
            line.reply(MODELS)
        elif self._odd:
            self._odd(line)
        elif line.request.json.get("stream"):
            pieces = [chunk(role="assistant", content=""), chunk(content=self.reply), chunk(finish="stop")]
            line.reply(lines(pieces), kind="text/event-stream")
        else:
            line.reply(completion(self.reply))


def _is_conversation(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith("/completions")


def block(body: Body) -> str:
    """The block of memory in a conversation, "" when there is none; more than one is a fault."""
    said = said_in(body)
    assert said.count("<rolememory>") <= 1, said
    return said.partition("<rolememory>")[2].partition("</rolememory>")[0]


def said_in(body: Body) -> str:
    """All texts of a conversation."""
    return "\n".join(str(message.get("content") or "") for message in body["messages"])


Check = Callable[[], bool]
