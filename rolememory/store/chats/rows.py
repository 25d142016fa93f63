"""A line of a chat's log: what one look at the chat changed, checked by a crc.

On disk: one JSON object per line; `crc` is the CRC-32 of the line without it. A line without crc, or with a wrong one, never
happened. `said` holds new versions, `path` what was cut out of the visible path and put in its place, `head` who the chat is
(in the first line, and again where that was damaged), `set` what somebody told about it, `look` how much the frontend showed.
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from rolememory.schema.learning import Said
from rolememory.store.chats.values import Look
from rolememory.store.moments import iso

FORMAT = 1
_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}$')


@dataclass(frozen=True, slots=True)
class Head:
    """Who a chat is; it does not change."""

    chat: str
    user: str | None
    created: datetime
    branch_of: str = ""
    unnamed: bool = False


@dataclass(frozen=True, slots=True)
class Splice:
    """Versions `out` leave the path and `put` take their place, behind `after` ("" = at the beginning), which stood at `place` - 1."""

    place: int
    after: str
    out: tuple[str, ...]
    put: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line."""

    at: datetime
    head: Head | None = None
    said: tuple[Said, ...] = ()
    splices: tuple[Splice, ...] = ()  # from the end of the path to its beginning, so that places hold
    look: Look | None = None
    told: Mapping[str, Any] = field(default_factory=dict)  # title, archived, timeline, mode
    times: Mapping[int, datetime] = field(default_factory=dict)  # slots that had to move on in time


def encoded(row: Row) -> bytes:
    r"""The line as it stands on disk, with its newline.

    >>> from datetime import UTC
    >>> row = Row(datetime(2024, 5, 1, tzinfo=UTC), told={"title": "灯塔"})
    >>> decoded(encoded(row)[:-1]) == row
    True
    """
    shown = {
        "at": iso(row.at),
        "head": row.head and _head_shown(row.head),
        "set": dict(row.told),
        "said": [_said_shown(said) for said in row.said],
        "path": [{"at": each.place, "after": each.after, "out": each.out, "in": each.put} for each in row.splices],
        "times": {str(slot): iso(at) for slot, at in row.times.items()},
        "look": row.look and (row.look.messages, row.look.users, row.look.characters),
    }
    text = orjson.dumps({name: value for name, value in shown.items() if value})
    return b'%s,"crc":"%08x"}\n' % (text[:-1], zlib.crc32(text))


def decoded(data: bytes) -> Row | None:
    """The row, or None when the line is damaged: no crc, a wrong one, or not of our making."""
    found = _CRC.search(data)
    if found is None:
        return None
    text = data[: found.start()] + b"}"
    if b"%08x" % zlib.crc32(text) != found.group(1):
        return None
    try:
        return _row(orjson.loads(text))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


@dataclass(slots=True)
class Stretch:
    """What a stretch of log holds."""

    rows: list[Row]
    end: int  # bytes that are settled: what follows may still become a line
    lines: int  # settled lines, good or not
    bad: list[int]  # numbers of damaged lines, from 0
    torn: bool  # something follows `end` that does not close with a newline


def stretch(data: bytes) -> Stretch:
    """Read a stretch of log; a sealed tail is passed over in silence."""
    *lines, rest = data.split(b"\n")
    found = Stretch([], len(data) - len(rest), len(lines), [], bool(rest))
    for number, line in enumerate(lines):
        row = decoded(line) if line else None
        if row is not None:
            found.rows.append(row)
        elif line and not line.endswith(b"~"):
            found.bad.append(number)
    return found


def _head_shown(head: Head) -> dict[str, Any]:
    shown = {"format": FORMAT, "chat": head.chat, "user": head.user, "created": iso(head.created)}
    optional = {"branch_of": head.branch_of, "unnamed": head.unnamed}
    return {**shown, **{name: value for name, value in optional.items() if value}}


def _said_shown(said: Said) -> dict[str, Any]:
    shown = {"version": said.version, "slot": said.slot, "role": said.role, "at": iso(said.at), "text": said.text}
    optional = {"name": said.name, "raw": said.raw, "emotions": said.emotions}
    return {**shown, **{name: value for name, value in optional.items() if value}}


def _row(raw: Mapping[str, Any]) -> Row:
    head, look, moment = raw.get("head"), raw.get("look"), datetime.fromisoformat
    return Row(
        moment(raw["at"]),
        head and Head(head["chat"], head.get("user"), moment(head["created"]), head.get("branch_of", ""), head.get("unnamed", False)),
        tuple([_said(each) for each in raw.get("said", ())]),
        tuple([Splice(each["at"], each["after"], tuple(each["out"]), tuple(each["in"])) for each in raw.get("path", ())]),
        Look(*look) if look else None,
        raw.get("set", {}),
        {int(slot): moment(at) for slot, at in raw.get("times", {}).items()},
    )


def _said(raw: Mapping[str, Any]) -> Said:
    at = datetime.fromisoformat(raw["at"])
    emotions = tuple(raw.get("emotions", ()))
    return Said(raw["version"], raw["role"], raw["text"], at, raw["slot"], raw.get("name", ""), raw.get("raw", ""), emotions)
