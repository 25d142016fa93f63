"""The review queue: drafts pending review, refused drafts, and ids that a person declined for good.

One file: state/review.json.
"""

import logging
import threading
from collections.abc import Collection, Iterable
from datetime import datetime
from hashlib import blake2b

import orjson

from rolememory.errors import UnknownNameError
from rolememory.schema.evidence import Reason
from rolememory.schema.json_types import JsonObject
from rolememory.schema.learning import Draft
from rolememory.schema.value_class import value_class
from rolememory.storage.erase import PersonTraces
from rolememory.storage.exact_json import listed
from rolememory.storage.port import Space
from rolememory.storage.review.drafts import as_json, from_json
from rolememory.storage.state import StateFile

MOST_WAITING = 500
MOST_REFUSED = 200
MOST_DECLINED = 50_000
_MOST = {"waiting": MOST_WAITING, "refused": MOST_REFUSED}
_log = logging.getLogger(__name__)


@value_class
class Waiting:
    """A draft that is pending review, or was refused."""

    id: str
    draft: Draft
    reason: Reason  # why
    at: datetime | None  # story time


class Review:
    """The review queue of one role. Changes are durable when the call returns; safe for threads and processes.

    Unreadable entries (of another version) are kept and not shown.

    Raises, from every call that changes something:
        NotWrittenError: the disk refused; the queue is as it was.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._file = StateFile(space, "review")
        self._lock = threading.RLock()
        self._seen: tuple[JsonObject, frozenset[str]] = (
            {},
            frozenset(),
        )  # a state, and its declined ids

    def add(self, draft: Draft, reason: Reason, at: datetime | None, id: str = "") -> str:  # noqa: A002 - the word of the field
        """Queue a draft for review; its id: the given one (the id its memory would have), else a digest of its content.

        Duplicates are not added; "" for a declined draft. Beyond `MOST_WAITING` the oldest are dropped.
        """
        return self._put("waiting", Waiting(id or _digest(draft), draft, reason, at))

    def refuse(self, refused: Iterable[Waiting]) -> None:
        """Keep refused drafts for review; a person may still accept one.

        Beyond `MOST_REFUSED` the oldest are dropped.
        """
        for one in refused:
            self._put("refused", one)

    def _put(self, name: str, one: Waiting) -> str:
        if self.is_declined(one.id):
            return ""
        if all(raw.get("id") != one.id for raw in listed(self._file.load(), name, dict)):
            entry = {
                "id": one.id,
                "at": one.at.isoformat() if one.at else None,
                "reason": as_json(one.reason),
                "draft": as_json(one.draft),
            }
            with self._file.changing() as state:
                grown = [
                    *(raw for raw in listed(state, name, dict) if raw.get("id") != one.id),
                    entry,
                ]
                state[name] = grown[-_MOST[name] :]
            if (more := len(grown) - MOST_WAITING) > 0:
                told = "%s: %d drafts wait; the oldest %d are dropped"
                _log.warning(told, self._space.place, len(grown), more)
        return one.id

    def waiting(self) -> list[Waiting]:
        """Pending drafts, oldest first."""
        return self._held("waiting")

    def refused(self) -> list[Waiting]:
        """Recently refused drafts, oldest first."""
        return self._held("refused")

    def _held(self, name: str) -> list[Waiting]:
        return [found for raw in listed(self._file.load(), name, dict) if (found := _read(raw))]

    def find(self, id: str) -> Waiting:  # noqa: A002
        """The pending or refused draft of this id. Raises: UnknownNameError."""
        found = {one.id: one for one in (*self.refused(), *self.waiting())}
        if id not in found:
            raise UnknownNameError(
                "memory",
                id,
                found,
                remedy="`rolememory review` lists what waits",
            )
        return found[id]

    def take(self, id: str) -> Draft:  # noqa: A002
        """Remove a draft from the queue and return it, to become a memory. Raises: UnknownNameError."""
        found = self.find(id)
        with self._file.changing() as state:
            _remove(state, {id})
        return found.draft

    def drop(self, id: str) -> None:  # noqa: A002
        """Decline a draft for good. Raises: UnknownNameError."""
        self.find(id)
        self.decline([id])

    def decline(self, ids: Iterable[str]) -> None:
        """Never learn the memories of these ids again: a person deleted, rejected or undid them."""
        if new := [one for one in ids if not self.is_declined(one)]:
            with self._file.changing() as state:
                state["declined"] = _grown(state, new)
                _remove(state, set(new))

    def is_declined(self, id: str) -> bool:  # noqa: A002
        """Whether a person has declined the memory of that id. One stat."""
        state = self._file.load()
        with self._lock:
            if state is not self._seen[0]:
                self._seen = (state, frozenset(listed(state, "declined", str)))
            return id in self._seen[1]

    def forget(self, traces: PersonTraces, gone: Collection[str]) -> int:
        """Remove one person's drafts, and the person from all others; the number of removed drafts.

        `gone`: ids of the person's memories (digests of their words), removed from the declined ones.
        """
        with self._file.changing() as state:
            went = 0
            for name in _MOST:
                before = listed(state, name, dict)
                kept = [raw for raw in before if not traces.takes(raw.get("draft") or {})]
                state[name] = [_without(raw, traces, gone) for raw in kept]
                went += len(before) - len(kept)
            state["declined"] = [
                one
                for one in listed(state, "declined", str)
                if one not in gone and not traces.names.found(one)
            ]
            return went


def _remove(state: JsonObject, ids: Collection[str]) -> None:
    for name in _MOST:
        state[name] = [raw for raw in listed(state, name, dict) if raw.get("id") not in ids]


def _read(raw: JsonObject) -> Waiting | None:
    try:
        at = datetime.fromisoformat(raw["at"]) if raw.get("at") else None
        return Waiting(
            str(raw["id"]), from_json(Draft, raw["draft"]), from_json(Reason, raw["reason"]), at
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _grown(state: JsonObject, new: Iterable[str]) -> list[str]:
    grown = list(dict.fromkeys((*listed(state, "declined", str), *new)))
    if (more := len(grown) - MOST_DECLINED) > 0:
        told = "more than %d declined memories: the oldest %d may be learned again"
        _log.warning(told, MOST_DECLINED, more)
    return grown[-MOST_DECLINED:]


def _without(raw: JsonObject, traces: PersonTraces, gone: Collection[str]) -> JsonObject:
    waiting = {name: value for name, value in raw.items() if name != "draft"}
    draft = traces.fields(raw.get("draft") or {}, gone)
    return {**traces.plain(waiting), "id": traces.ids(str(raw.get("id", ""))), "draft": draft}


def _digest(draft: Draft) -> str:
    said = orjson.dumps(as_json(draft), option=orjson.OPT_SORT_KEYS)
    return f"w-{blake2b(said, digest_size=6).hexdigest()}"
