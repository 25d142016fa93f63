"""Log lines of a chat: the changes of one observation, with a checksum.

On disk: one JSON object per line; `crc` is the CRC-32 of the line without it. A line without crc, or with a wrong one, never
happened. `said` holds new versions as `[speaker, text, {what is not as usual}]`, `slot` the number of the first of them,
`put` where all of them were put into the visible path (place, and the version before it), `path` any other change of it,
`head` who the chat is (in the first line, again where that was damaged or the format changed), `set` what somebody told about it,
`with` who is in the chat from here on, `look` how much the frontend showed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Literal

import orjson

from rolememory.chats.normalize import digest
from rolememory.chats.presence import Attendance
from rolememory.chats.values import WindowSize
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.learning import ChatMessage, MarkedSpan, SpanKind
from rolememory.schema.value_class import value_class
from rolememory.text.timestamps import iso

FORMAT = 2
"""Of the lines we write; 1 had a JSON object for each version and nobody's presence."""


@value_class
class ChatHead:
    """The identity of a chat; immutable."""

    chat: str
    user: str | None
    created: datetime
    branch_of: str = ""
    unnamed: bool = False
    format: int = FORMAT


@value_class
class Splice:
    """Replaces versions `out` of the path by `put`, after `after` ("" = at the beginning), which was at `place` - 1."""

    place: int
    after: str
    out: tuple[str, ...]
    put: tuple[str, ...]


@value_class
class ChatLogRow:
    """One line."""

    at: datetime
    head: ChatHead | None = None
    said: tuple[ChatMessage, ...] = ()
    splices: tuple[
        Splice, ...
    ] = ()  # from the end of the path to its beginning, so that places stay valid
    look: WindowSize | None = None
    told: JsonMapping = field(default_factory=dict)  # title, titled, archived, story, mode
    present: Attendance | None = None  # participants from here on; None = unchanged
    voice: str | None = None  # default owner of user messages from here on


def encoded(row: ChatLogRow) -> bytes:
    """Serialize a row.

    >>> from datetime import UTC
    >>> row = ChatLogRow(datetime(2024, 5, 1, tzinfo=UTC), told={"title": "灯塔"})
    >>> decoded(encoded(row)) == row
    True
    """
    shown = {
        "at": iso(row.at),
        "head": row.head and _head_shown(row.head),
        "set": dict(row.told),
        "with": _with_shown(row),
        **_words_shown(row),
        "look": row.look and (row.look.messages, row.look.users, row.look.characters),
    }
    return orjson.dumps({name: value for name, value in shown.items() if value})


def decoded(data: bytes) -> ChatLogRow | None:
    """Parse a line; None if invalid."""
    try:
        return _row(orjson.loads(data))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _head_shown(head: ChatHead) -> JsonObject:
    shown = {
        "format": head.format,
        "chat": head.chat,
        "user": head.user,
        "created": iso(head.created),
    }
    optional = {"branch_of": head.branch_of, "unnamed": head.unnamed}
    return {**shown, **{name: value for name, value in optional.items() if value}}


_LETTERS = {"user": "u", "assistant": "a"}
_ROLES: Mapping[str, Literal["user", "assistant"]] = {"u": "user", "a": "assistant"}
_KINDS: Mapping[str, SpanKind] = {
    "q": "quote",
    "a": "action",
    "o": "ooc",
    "c": "command",
    "e": "ending",
    "b": "bare",
}
_STEP = timedelta(milliseconds=1)  # between two messages of a line


def _with_shown(row: ChatLogRow) -> JsonObject:
    shown: JsonObject = {} if row.voice is None else {"user": row.voice}
    if row.present is not None:
        shown |= {"users": row.present.users, "members": row.present.members}
    return shown


def _words_shown(row: ChatLogRow) -> JsonObject:
    """New versions and path changes, with defaults omitted."""
    first = row.said[0].slot if row.said else 0
    said = [_said_shown(one, at, first + place) for place, one, at in _usual(row.said, row.at)]
    shown = {"said": said, "slot": first}
    put = tuple(one.version for one in row.said)
    if len(row.splices) == 1 and row.splices[0].put == put and not row.splices[0].out:
        return {**shown, "put": [row.splices[0].place, row.splices[0].after]}
    path = [
        {"at": each.place, "after": each.after, "out": each.out, "in": each.put}
        for each in row.splices
    ]
    return {**shown, "path": path}


def _usual(said: Sequence[Any], at: datetime) -> Iterator[tuple[int, Any, datetime]]:
    """Each with its place and default time: the last at the line's time, others a step apart."""
    last = len(said) - 1
    for place, one in enumerate(said):
        yield place, one, at - (last - place) * _STEP if place < last else at


def _said_shown(said: ChatMessage, at: datetime, slot: int) -> list[Any]:
    optional = {
        "v": said.version,
        "at": (said.at - at) // timedelta(microseconds=1),
        "name": said.name,
        "raw": said.raw,
        "emotions": said.emotions,
        "kind": said.kind,
        "marks": [(one.kind[0], one.start, one.end) for one in said.spans],
        "stamp": dict(said.stamp),
        "scope": said.scope,
    }
    usual = {"v": digest(said.role, said.text), "kind": "normal", "scope": "on"}
    shown = {name: value for name, value in optional.items() if value and value != usual.get(name)}
    if said.slot != slot:
        shown["slot"] = said.slot
    if said.owner is not None and said.role == "user":
        shown["owner"] = said.owner
    if said.users is not None:
        shown |= {"users": said.users, "members": said.members}
    return [_LETTERS[said.role], said.text, *([shown] if shown else ())]


def _row(raw: JsonMapping) -> ChatLogRow:
    head, look, present = raw.get("head"), raw.get("look"), raw.get("with", {})
    at = datetime.fromisoformat(raw["at"])
    said = tuple(_words(raw.get("said", ()), raw.get("slot", 0), at))
    return ChatLogRow(
        at,
        head and _head(head),
        said,
        _splices(raw, said),
        WindowSize(*look) if look else None,
        raw.get("set", {}),
        Attendance(tuple(present["users"]), tuple(present["members"]))
        if "users" in present
        else None,
        present.get("user"),
    )


def _head(raw: JsonMapping) -> ChatHead:
    created = datetime.fromisoformat(raw["created"])
    branch_of, unnamed = raw.get("branch_of", ""), raw.get("unnamed", False)
    return ChatHead(raw["chat"], raw.get("user"), created, branch_of, unnamed, raw.get("format", 1))


def _splices(raw: JsonMapping, said: Sequence[ChatMessage]) -> tuple[Splice, ...]:
    if "put" in raw:
        place, after = raw["put"]
        return (Splice(place, after, (), tuple([one.version for one in said])),)
    return tuple(
        [
            Splice(each["at"], each["after"], tuple(each["out"]), tuple(each["in"]))
            for each in raw.get("path", ())
        ]
    )


def _words(raw: Sequence[Any], slot: int, at: datetime) -> Iterator[ChatMessage]:
    for place, one, when in _usual(raw, at):
        yield _older(one) if type(one) is dict else _word(one, slot + place, when)


def _word(raw: Sequence[Any], slot: int, at: datetime) -> ChatMessage:
    role, text = _ROLES[raw[0]], raw[1]
    if len(raw) == 2:
        return ChatMessage(digest(role, text), role, text, at, slot)
    more = raw[2]
    users, moved = more.get("users"), more.get("at")
    return ChatMessage(
        more.get("v") or digest(role, text),
        role,
        text,
        at + timedelta(microseconds=moved) if moved else at,
        more.get("slot", slot),
        more.get("name", ""),
        more.get("raw", ""),
        tuple(more.get("emotions", ())),
        more.get("owner"),
        None if users is None else tuple(users),
        tuple(more.get("members", ())),
        more.get("kind", "normal"),
        tuple([MarkedSpan(_KINDS[kind[0]], *span) for kind, *span in more.get("marks", ())]),
        tuple(more.get("stamp", {}).items()),
        more.get("scope", "on"),
    )


def _older(raw: JsonMapping) -> ChatMessage:
    """Parse a version in format 1."""
    at, emotions = datetime.fromisoformat(raw["at"]), tuple(raw.get("emotions", ()))
    name, came = raw.get("name", ""), raw.get("raw", "")
    return ChatMessage(
        raw["version"], raw["role"], raw["text"], at, raw["slot"], name, came, emotions
    )
