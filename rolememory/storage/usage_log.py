"""Which memories stood in the prompt of which turn, and which of them the reply used. Source: S4.1, S4.13.

A turn is named by its chat and the version of its user message, so a swipe of the reply replaces what was noted before.
What was said is not kept.

    note ─▶ turns, one by one (the newest of each chat) ─▶ the sum of the older ones ─▶ tallies
"""

import threading
from collections import Counter
from collections.abc import (
    Collection,
    Container,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from itertools import combinations, islice
from typing import Any

from rolememory.schema.usage import BY_HAND, UsageTally, Use
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog, Values
from rolememory.text.timestamps import iso, moment

FRESH = 64  # turns of a chat that are kept one by one: swipes and edits reach them
OLD = "#old"  # the name of the sum of a chat's older turns, among its versions
BLOCK = 32  # older turns that are added to it together
MOST_ROWS = 40_000  # memories noted, over all chats: beyond, the chats that rested longest are summed up, then left out
_MOST_OF_A_TURN = 30  # memories whose pairs are counted


@dataclass(frozen=True, slots=True)
class _Piece:
    """A turn, or several that are summed up."""

    used: Mapping[str, int]  # memory -> turns that used it
    vain: Mapping[str, int]  # ... and that had it in vain
    at: str = ""  # of a turn

    @property
    def memories(self) -> Mapping[str, float]:
        """Every memory in it."""
        return {**self.used, **self.vain}


_NOTHING = _Piece({}, {})


@dataclass(slots=True)
class _ChatUse:
    turns: dict[str, _Piece] = field(default_factory=dict)  # by version, oldest first
    old: _Piece = _NOTHING

    @property
    def pieces(self) -> list[_Piece]:
        """All that counts."""
        return [self.old, *self.turns.values()]

    @property
    def size(self) -> int:
        """How many memories are noted."""
        return sum(len(one.used) + len(one.vain) for one in self.pieces)


class UsageLog:
    """The log of one role, in `state/uses`, written in the background: losing seconds of it is allowed. Thread-safe."""

    def __init__(self, space: Space, most_rows: int = MOST_ROWS) -> None:
        self._most_rows = most_rows
        self._state = StateLog(space, "uses")
        self._lock = threading.RLock()
        self._seen = -1  # the revision of what was last looked at
        self._chats: dict[str, _ChatUse] = {}  # the chat that was noted last comes last
        self._rows = 0
        self._tallies: dict[str, UsageTally] = {}  # another object whenever something changed

    def note(
        self,
        chat: str,
        version: str,
        injected: Iterable[str],
        referenced: Container[str],
        at: datetime,
    ) -> bool:
        """Note what the prompt of a turn held and its reply used; what was noted of this turn before is replaced.

        False where nothing changed by it. Cost: O(injected); the disk is written in the background.
        """
        held = list(dict.fromkeys(injected))
        used = [one for one in held if one in referenced]
        turn = _turn(iso(at), used, [one for one in held if one not in referenced])
        with self._lock:
            kept = self._current().get(chat)
            fresh = _is_news(turn, kept.turns.get(version) if kept else None)
            if fresh:
                self._put(chat, version, turn)
            return fresh

    def record(self, memory_id: str, chat: str, query: str, referenced: bool, at: datetime) -> None:
        """Note one use explicitly, for callers that know it; it counts whatever becomes of the chat.

        The query is kept as a digest. Source: S4.13.
        """
        version = (
            BY_HAND + blake2b(query.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        )
        with self._lock:
            chats = self._current()
            told = chats[chat].turns.get(version) if chat in chats else None
            used, held = (told.used, told.memories) if told else ({}, {})
            others = [one for one in used if one != memory_id]
            held = {**held, memory_id: 1}
            self.note(chat, version, held, {*others, memory_id} if referenced else others, at)

    def of(self, memory_id: str) -> list[Use]:
        """The turns that had this memory, newest first, as far back as turns are kept one by one."""
        with self._lock:
            found = [
                use
                for chat, kept in self._current().items()
                for use in _uses(chat, kept, memory_id)
            ]
        return sorted(found, key=lambda use: use.at, reverse=True)

    def held(self, chat: str, version: str) -> tuple[str, ...]:
        """What the prompt of this turn held, as far as it was noted one by one."""
        with self._lock:
            kept = self._current().get(chat)
            turn = kept.turns.get(version) if kept else None
        return tuple(turn.memories) if turn else ()

    def pairs(self, least: int = 2) -> list[tuple[str, str]]:
        """Pairs of memories that replies used in the same turn, so often at least, the most often first."""
        with self._lock:
            turns = [
                sorted(turn.used)[:_MOST_OF_A_TURN]
                for kept in self._current().values()
                for turn in kept.turns.values()
            ]
        counted = Counter(pair for used in turns for pair in combinations(used, 2))
        return sorted(
            (pair for pair, times in counted.items() if times >= least),
            key=lambda pair: (-counted[pair], pair),
        )

    def tallies(self) -> Mapping[str, UsageTally]:
        """How often each memory was used and passed over; the same object as long as nothing changed."""
        with self._lock:
            self._current()
            return self._tallies

    def prune(self, alive: Container[str]) -> None:
        """Forget every memory that is not `alive`. Cost: O(rows noted)."""
        with self._lock:
            before = self._rows
            chats = {chat: _of_these(kept, alive) for chat, kept in self._current().items()}
            self._take({chat: kept for chat, kept in chats.items() if kept.size})
            if self._rows != before:
                self._replaced()

    def forget(self, chats: Collection[str], alive: Container[str] | None = None) -> None:
        """Forget everything that was noted in these chats, and of memories that are not `alive`; on disk at once."""
        with self._lock:
            if alive is not None:
                self.prune(alive)
            known = self._current()
            self._take({chat: kept for chat, kept in known.items() if chat not in chats})
            self._replaced()

    def close(self) -> None:
        """Write what is still behind."""
        self._state.close()

    def _current(self) -> dict[str, _ChatUse]:
        """The chats as the file has them now, another process's notes included."""
        if news := self._state.news(self._seen):
            self._seen, values = news
            self._take(_sound(values))
        return self._chats

    def _take(self, chats: dict[str, _ChatUse]) -> None:
        self._chats, self._rows = chats, sum(one.size for one in chats.values())
        self._tallies = {}
        for kept in chats.values():
            self._count(kept.pieces)

    def _replaced(self) -> None:
        self._state.replace({chat: _shown(kept) for chat, kept in self._chats.items()})

    def _put(self, chat: str, version: str, turn: _Piece) -> None:
        kept = self._chats.pop(chat, None) or _ChatUse()
        self._chats[chat] = kept
        before, shown = kept.size, _shown(kept)
        self._tallies = dict(self._tallies)
        self._count([kept.turns.get(version, _NOTHING)], -1)
        self._count([turn])
        if turn.memories:
            kept.turns[version] = turn
        else:
            kept.turns.pop(version, None)
        _fold(kept, FRESH)
        self._tell(chat, shown, _shown(kept))
        self._rows += kept.size - before
        self._make_room(chat)

    def _make_room(self, present: str) -> None:
        """Sum up, then drop the chats that were idle longest, until the log is small enough."""
        resting = [chat for chat in self._chats if chat != present]
        for shrink in (self._fold_all, self._drop):
            for chat in resting:
                if self._rows <= self._most_rows:
                    return
                shown = _shown(self._chats[chat])
                self._rows += shrink(chat)
                kept = self._chats.get(chat)
                self._tell(chat, shown, _shown(kept) if kept else {})

    def _tell(self, chat: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Write what became another."""
        gone = {name: None for name in before if name not in after}
        news = {name: value for name, value in after.items() if before.get(name) != value}
        self._state.put(chat, {**gone, **news})

    def _fold_all(self, chat: str) -> int:
        kept = self._chats[chat]
        before = kept.size
        _fold(kept, 0)
        return kept.size - before

    def _drop(self, chat: str) -> int:
        gone = self._chats.pop(chat)
        self._count(gone.pieces, -1)
        return -gone.size

    def _count(self, pieces: Iterable[_Piece], sign: int = 1) -> None:
        """Add these to the tallies, or take them away."""
        for piece in pieces:
            for memory_id in piece.memories:
                tally = self._tallies.pop(memory_id, None) or UsageTally()
                used = tally.referenced + sign * piece.used.get(memory_id, 0)
                vain = tally.vain + sign * piece.vain.get(memory_id, 0)
                if used or vain:
                    self._tallies[memory_id] = UsageTally(used, vain)


def _turn(at: str, used: Iterable[str], vain: Iterable[str]) -> _Piece:
    return _Piece(dict.fromkeys(used, 1), dict.fromkeys(vain, 1), at)


def _is_news(turn: _Piece, before: _Piece | None) -> bool:
    """Whether noting a turn changes anything."""
    if before is None:
        return bool(turn.memories)
    return [*map(list, (before.used, before.vain))] != [*map(list, (turn.used, turn.vain))]


def _fold(kept: _ChatUse, fresh: int) -> None:
    """Add the oldest turns to the sum, a block at a time, until at most `fresh` and one block are left."""
    turns = kept.turns
    while len(turns) >= fresh + BLOCK or (not fresh and turns):
        oldest = list(islice(turns, BLOCK))
        kept.old = _summed([kept.old, *(turns.pop(version) for version in oldest)])


def _summed(pieces: Iterable[_Piece]) -> _Piece:
    """Several as one."""
    used, vain = Counter[str](), Counter[str]()
    for one in pieces:
        used.update(one.used)
        vain.update(one.vain)
    return _Piece(used, vain)


def _uses(chat: str, kept: _ChatUse, memory_id: str) -> Iterable[Use]:
    for version, turn in kept.turns.items():
        if memory_id in turn.memories:
            yield Use(memory_id, chat, version, memory_id in turn.used, moment(turn.at))


def _of_these(kept: _ChatUse, alive: Container[str]) -> _ChatUse:
    """The chat with the memories that are alive alone; turns without any go."""

    def left(piece: _Piece) -> _Piece:
        used, vain = (
            {one: times for one, times in counts.items() if one in alive}
            for counts in (piece.used, piece.vain)
        )
        return replace(piece, used=used, vain=vain)

    turns = {version: left(turn) for version, turn in kept.turns.items()}
    return _ChatUse(
        {version: turn for version, turn in turns.items() if turn.memories}, left(kept.old)
    )


def _shown(kept: _ChatUse) -> dict[str, Any]:
    """A chat as it is written to the file: turns by version, and the sum."""
    shown: dict[str, Any] = {
        version: [turn.at, [*turn.used], [*turn.vain]] for version, turn in kept.turns.items()
    }
    old = [{"used": kept.old.used, "vain": kept.old.vain}] if kept.old.memories else []
    return {**shown, **({OLD: old} if old else {})}


def _sound(values: Values) -> dict[str, _ChatUse]:
    """The chats; one that does not read as we wrote it is left out: it costs what was noted there."""
    found: dict[str, _ChatUse] = {}
    for chat, kept in values.items():
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            found[chat] = _ChatUse(
                {version: _read(raw) for version, raw in kept.items() if version != OLD},
                _summed(
                    _Piece(_counts(old["used"]), _counts(old["vain"])) for old in kept.get(OLD, ())
                ),
            )
    return found


def _read(raw: Sequence[Any]) -> _Piece:
    at, used, vain = raw
    moment(at)
    return _turn(str(at), map(str, used), map(str, vain))


def _counts(raw: Mapping[str, Any]) -> dict[str, int]:
    return {str(memory_id): int(times) for memory_id, times in raw.items()}
