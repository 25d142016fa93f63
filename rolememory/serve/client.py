"""A small client for a running server: calls are values, a `Client` asks them at once, an `AsyncClient` awaits them.

    with Client("http://127.0.0.1:8787") as server:
        turn = server.ask(recall("mira", ["Why is the beacon dark?"], chat="harbour"))
        print(turn.text, [item.id for item in turn.items])
        server.ask(observe("mira", ["Why is the beacon dark?"], "The storm took it.", chat="harbour"))

Whatever has no call here is asked by `call`: `server.ask(call("GET", "/settings", dict))`.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
import orjson
from pydantic import BaseModel

from rolememory.errors import RoleMemoryError
from rolememory.schema.message import Message
from rolememory.serve.rest.apply_change import ApplyOut
from rolememory.serve.rest.history import UndoOut
from rolememory.serve.rest.insight import InsightOut, MapOut
from rolememory.serve.rest.memories import MemoryDetail
from rolememory.serve.rest.memory_schemas import MemoryOut
from rolememory.serve.rest.recall import ExplainOut, SearchOut
from rolememory.serve.rest.roles import RoleOut
from rolememory.serve.rest.schemas import ChangeOut, Done, Page
from rolememory.serve.rest.turn_schemas import ObservedOut, RecallOut

URL = "http://127.0.0.1:8787"
Answer = TypeVar("Answer")
Said = Message | Mapping[str, Any] | str
"""A message: ours, an OpenAI dict, or plain user text."""


class AnsweredError(RoleMemoryError):
    """The server said no. `code` is for programs, the message and `hint` for people, `current` what stands there now."""

    def __init__(self, status: int, error: Mapping[str, Any], current: Any = None) -> None:
        self.status, self.code = status, str(error.get("code", ""))
        self.hint, self.where = str(error.get("hint", "")), str(error.get("where", ""))
        self.current = current
        super().__init__(
            "; ".join(part for part in (str(error.get("message", status)), self.hint) if part)
        )


class NotThereError(AnsweredError, LookupError):
    """Nothing goes by that name."""


class StaleError(AnsweredError):
    """It was changed since it was seen; `current` is what stands there now."""


class RefusedError(AnsweredError, ValueError):
    """A value that does not fit."""


class NotLetInError(AnsweredError, PermissionError):
    """The token is missing or wrong, or the server does not answer to this name."""


class UnreachableError(AnsweredError, ConnectionError):
    """There is no server, or it did not answer in time."""


_ERRORS: Mapping[int, type[AnsweredError]] = {
    400: RefusedError, 401: NotLetInError, 403: NotLetInError, 404: NotThereError, 412: StaleError, 421: NotLetInError, 422: RefusedError,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """What is to be asked, and how the answer is read."""

    method: str
    path: str  # under /api
    read: Callable[[Any], Answer]
    body: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of the server."""

    number: int
    kind: str
    role: str
    values: Mapping[str, Any]


# ── calls ──


def call(
    method: str, path: str, read: Callable[[Any], Answer], body: Any = None, **params: Any
) -> Call[Answer]:
    """Any call; `read` makes of the answer's JSON what is wanted."""
    return Call(method, path, read, body, params)


def roles(limit: int = 500, offset: int = 0) -> Call[Page[RoleOut]]:
    """Every role."""
    return call("GET", "/roles", Page[RoleOut].model_validate, limit=limit, offset=offset)


def create(name: str, aliases: Sequence[str] = ()) -> Call[RoleOut]:
    """A new role."""
    return Call("POST", "/roles", RoleOut.model_validate, {"name": name, "aliases": list(aliases)})


def recall(role: str, messages: Iterable[Said], **fields: Any) -> Call[RecallOut]:
    """What the character remembers on this turn; `fields`: chat, user, present, members, budget, dry_run, with_messages, lore, ..."""
    body = {"messages": list(map(_plain, messages)), **fields}
    return Call("POST", f"{_of(role)}/recall", RecallOut.model_validate, body)


def explain(
    role: str, messages: Iterable[Said], ids: Sequence[str] = (), **fields: Any
) -> Call[ExplainOut]:
    """Why each memory is in the prompt or is not."""
    body = {"messages": list(map(_plain, messages)), "ids": list(ids), **fields}
    return Call("POST", f"{_of(role)}/explain", ExplainOut.model_validate, body)


def apply(role: str, change: ChangeOut, scope: str = "role") -> Call[ApplyOut]:
    """Make the change that a refusal told of."""
    body = {**change.model_dump(mode="json"), "scope": scope}
    return Call("POST", f"{_of(role)}/apply", ApplyOut.model_validate, body)


def observe(
    role: str, messages: Iterable[Said], reply: Said | None = None, **fields: Any
) -> Call[ObservedOut]:
    """Keep what was said; `fields`: chat, user, present, members, kind, title, now, wait_s."""
    body = {"messages": list(map(_plain, messages)), **fields}
    if reply is not None:
        body["reply"] = reply if isinstance(reply, str) else _plain(reply)
    return Call("POST", f"{_of(role)}/observe", ObservedOut.model_validate, body)


def search(
    role: str, query: str, limit: int = 10, user: str | None = None, **fields: Any
) -> Call[SearchOut]:
    """The memories nearest to a query; `fields`: chat, present, members."""
    body = {"query": query, "limit": limit, "user": user, **fields}
    return Call("POST", f"{_of(role)}/search", SearchOut.model_validate, body)


def memories(
    role: str, limit: int = 500, offset: int = 0, **conditions: Any
) -> Call[Page[MemoryOut]]:
    """The memories that fit every condition: q, type, tag, user, archived, from, to, sort, ..."""
    params = {"limit": limit, "offset": offset, **conditions}
    read = Page[MemoryOut].model_validate
    return Call("GET", f"{_of(role)}/memories", read, params=params)


def memory(role: str, memory_id: str) -> Call[MemoryDetail]:
    """All there is to say about one memory."""
    return Call("GET", _memory(role, memory_id), MemoryDetail.model_validate)


def remember(role: str, content: str, **fields: Any) -> Call[MemoryOut]:
    """Write one memory."""
    return Call(
        "POST", f"{_of(role)}/memories", MemoryOut.model_validate, {"content": content, **fields}
    )


def edit(role: str, memory_id: str, *, etag: str | None = None, **fields: Any) -> Call[MemoryOut]:
    """Change fields of one memory; with the `etag` it had, only if it still is as it was seen."""
    return Call(
        "PATCH", _memory(role, memory_id), MemoryOut.model_validate, fields, headers=_if(etag)
    )


def delete(role: str, memory_id: str, *, etag: str | None = None) -> Call[Done]:
    """Remove one memory."""
    return Call("DELETE", _memory(role, memory_id), Done.model_validate, headers=_if(etag))


def insight(role: str) -> Call[InsightOut]:
    """What stands out: themes, what never came up, which keys are missing."""
    return Call("GET", f"{_of(role)}/insight", InsightOut.model_validate)


def memory_map(role: str) -> Call[MapOut]:
    """A place for every memory, near in meaning near by."""
    return Call("GET", f"{_of(role)}/map", MapOut.model_validate)


def undo(role: str, txn: str | None = None) -> Call[UndoOut]:
    """Take a change back."""
    return Call("POST", f"{_of(role)}/undo", UndoOut.model_validate, {"txn": txn})


def _of(role: str) -> str:
    return f"/roles/{quote(role, safe='')}"


def _memory(role: str, memory_id: str) -> str:
    return f"{_of(role)}/memories/{quote(memory_id, safe='')}"


def _if(etag: str | None) -> dict[str, str]:
    return {} if etag is None else {"if-match": etag}


def _plain(message: Said) -> dict[str, Any]:
    if isinstance(message, str):
        return {"role": "user", "content": message}
    return (
        message.model_dump(mode="json", exclude_none=True)
        if isinstance(message, Message)
        else dict(message)
    )


# ── asking ──


class Client(httpx.Client):
    """Asks at once. Raises from `ask`: AnsweredError and its kinds."""

    def __init__(
        self, url: str = URL, token: str = "", *, timeout_s: float = 30.0, language: str = ""
    ) -> None:
        super().__init__(**_options(url, token, timeout_s, language))

    def ask(self, call: Call[Answer]) -> Answer:
        """The answer, read."""
        try:
            response = self.request(**_request(call))
        except httpx.HTTPError as error:
            raise _unreachable(error) from error
        return call.read(_answered(response))

    def events(self, after: int = 0) -> Iterator[Happened]:
        """Everything that happens from now on, or since that number, until the server ends or the caller stops."""
        try:
            with self.stream(**_EVENTS, params={"after": after}) as response:
                reading = _EventParser()
                for line in response.iter_lines():
                    yield from reading.take(line)
        except httpx.HTTPError as error:
            raise _unreachable(error) from error


class AsyncClient(httpx.AsyncClient):
    """Awaits. Raises from `ask`: AnsweredError and its kinds."""

    def __init__(
        self, url: str = URL, token: str = "", *, timeout_s: float = 30.0, language: str = ""
    ) -> None:
        super().__init__(**_options(url, token, timeout_s, language))

    async def ask(self, call: Call[Answer]) -> Answer:
        """The answer, read."""
        try:
            response = await self.request(**_request(call))
        except httpx.HTTPError as error:
            raise _unreachable(error) from error
        return call.read(_answered(response))

    async def events(self, after: int = 0) -> AsyncIterator[Happened]:
        """Everything that happens from now on, or since that number, until the server ends or the caller stops."""
        try:
            async with self.stream(**_EVENTS, params={"after": after}) as response:
                reading = _EventParser()
                async for line in response.aiter_lines():
                    for happened in reading.take(line):
                        yield happened
        except httpx.HTTPError as error:
            raise _unreachable(error) from error

    async def close(self) -> None:
        """Let go of the connections."""
        await self.aclose()


class _EventParser:
    """Server-sent events, line by line."""

    def __init__(self) -> None:
        self._number, self._kind = 0, ""

    def take(self, line: str) -> Iterator[Happened]:
        """What the line completes."""
        name, _, value = line.partition(": ")
        if name == "id":
            self._number = int(value)
        elif name == "event":
            self._kind = value
        elif name == "data":
            values = orjson.loads(value)
            yield Happened(self._number, self._kind, str(values.pop("role", "")), values)


_EVENTS: Mapping[str, Any] = {
    "method": "GET",
    "url": "/events",
    "timeout": httpx.Timeout(30.0, read=60.0),
}


def _options(url: str, token: str, timeout_s: float, language: str) -> dict[str, Any]:
    told = {"authorization": token and f"Bearer {token}", "accept-language": language}
    return {
        "base_url": f"{url.rstrip('/')}/api",
        "headers": {name: value for name, value in told.items() if value},
        "timeout": timeout_s,
        "trust_env": False,
    }


def _request(call: Call[Any]) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "method": call.method,
        "url": call.path,
        "params": {name: value for name, value in call.params.items() if value is not None},
        "headers": dict(call.headers),
    }
    if call.body is not None:
        asked["content"] = orjson.dumps(call.body, default=_value)
        asked["headers"]["content-type"] = "application/json"
    return asked


def _value(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    raise TypeError(f"cannot be sent: {value!r:.80}")


def _answered(response: httpx.Response) -> Any:
    """The answer's JSON. Raises: AnsweredError."""
    try:
        said = orjson.loads(response.content) if response.content else {}
    except orjson.JSONDecodeError:
        said = {}
    if response.is_success:
        return said
    error = said.get("error") if isinstance(said, dict) else None
    kind = _ERRORS.get(response.status_code, AnsweredError)
    raise kind(
        response.status_code,
        error if isinstance(error, dict) else {"message": response.reason_phrase},
        said.get("current"),
    )


def _unreachable(error: httpx.HTTPError) -> UnreachableError:
    told = {
        "code": "unreachable",
        "message": f"no server answers: {type(error).__name__}",
        "hint": "start one with `rolememory serve`",
    }
    return UnreachableError(0, told)
