"""Log of the memories in the prompt of each turn, and which of them the reply used. Source: S4.1, S4.13.

A turn is identified by its chat and the version of its user message, so a swipe of the reply replaces the record,
and a turn whose message no longer exists is not counted, without an undo. Texts are not kept.

    note ─▶ single turns (the newest) ─▶ blocks of 32 turns: sums, and their versions ─▶ tallies
"""

import threading
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
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

from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.usage import BY_HAND, UsageTally, Use
from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog, Values
from rolememory.text.timestamps import iso, moment

FRESH = 64  # turns of a chat kept singly, in reach of swipes, edits and branches
OLD = "#old"  # the name of a chat's blocks, among its versions
BLOCK = 32  # older turns per sum, and the most versions kept of a sum
MOST_BLOCKS = 8  # per chat: beyond, the two oldest are merged
MOST_ROWS = (
    40_000  # rows over all chats: beyond, the chats idle longest are summed up, then dropped
)
_MOST_OF_A_TURN = 30  # memories whose pairs are counted
PLACES = 64  # cached tallies: those of currently active users and chats
_STEPS = 1024  # resolution of a share

Visible = Callable[[str, str], bool]
"""(chat, version) -> whether it is visible to the caller."""


def everywhere(chat: str, version: str) -> bool:
    """Every version counts as visible."""
    return True


@value_class
class _Piece:
    """One turn, or the sum of several."""

    versions: tuple[str, ...]  # all of its turns, or a sample
    used: Mapping[str, float]  # memory -> turns that used it
    vain: Mapping[str, float]  # ... that did not use it
    at: str = ""  # time of a turn

    @property
    def memories(self) -> Mapping[str, float]:
        """Every memory in it."""
        return {**self.used, **self.vain}


@dataclass(slots=True)
class _ChatUse:
    turns: dict[str, _Piece] = field(default_factory=dict)  # by version, oldest first
    old: list[_Piece] = field(default_factory=list)

    @property
    def pieces(self) -> list[_Piece]:
        """Blocks and turns."""
        return [*self.old, *self.turns.values()]

    @property
    def size(self) -> int:
        """Number of rows (memories per turn or block)."""
        return sum(len(one.used) + len(one.vain) for one in self.pieces)


class UsageLog:
    """The usage log of one role, in `state/uses`, written in the background: a crash may lose seconds. Thread-safe."""

    def __init__(self, space: Space, most_rows: int = MOST_ROWS) -> None:
        self._most_rows = most_rows
        self._state = StateLog(space, "uses")
        self._lock = threading.RLock()
        self._seen = -1  # the last revision read
        self._chats: dict[str, _ChatUse] = {}  # in order of the last note
        self._rows = 0
        self._sums: dict[Hashable, _Sums] = {}  # by token, least recently used first

    def note(
        self,
        chat: str,
        version: str,
        injected: Iterable[str],
        referenced: Container[str],
        at: datetime,
    ) -> bool:
        """Record what the prompt of a turn held and its reply used, replacing earlier records of this turn.

        Returns whether anything changed. Cost: O(injected); written in the background.
        """
        held = list(dict.fromkeys(injected))
        used = [one for one in held if one in referenced]
        turn = _turn(version, iso(at), used, [one for one in held if one not in referenced])
        with self._lock:
            fresh = _is_news(turn, version, self._current().get(chat) or _ChatUse())
            if fresh:
                self._put(chat, version, turn)
            return fresh

    def record(self, memory_id: str, chat: str, query: str, referenced: bool, at: datetime) -> None:
        """Record one use explicitly; it counts independently of the chat's later state.

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
        """The turns with this memory in the prompt, newest first, as far back as single turns are kept."""
        with self._lock:
            found = [
                use
                for chat, kept in self._current().items()
                for use in _uses(chat, kept, memory_id)
            ]
        return sorted(found, key=lambda use: use.at, reverse=True)

    def held(self, chat: str, version: str) -> tuple[str, ...]:
        """The memories in the prompt of this turn, if still kept singly."""
        with self._lock:
            kept = self._current().get(chat)
            turn = kept.turns.get(version) if kept else None
        return tuple(turn.memories) if turn else ()

    def pairs(self, least: int = 2) -> list[tuple[str, str]]:
        """Pairs of memories used in the same turn at least `least` times, most frequent first."""
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

    def tallies(
        self,
        visible: Visible = everywhere,
        token: Hashable = None,
        since: tuple[Hashable, Collection[str]] | None = None,
    ) -> Mapping[str, UsageTally]:
        """How often each memory was used and unused, over visible turns. Cost: O(rows).

        `token` identifies `visible`: for a recent one, cost is O(rows recorded since). `since`: another token, and the chats whose
        visibility differs from it; then cost is O(their rows).
        """
        with self._lock:
            chats = self._current()
            sums = self._sums.pop(token, None) if token is not None else None
            if sums is None and since and (sums := self._sums.pop(since[0], None)):
                sums.leave(since[1])
            if sums is None:
                sums = _Sums()
                sums.behind.update(chats)
            if token is not None:
                self._sums[token] = sums
                if len(self._sums) > PLACES:
                    del self._sums[next(iter(self._sums))]
            return sums.follow(chats, visible)

    def prune(self, alive: Container[str]) -> None:
        """Forget every memory that is not `alive`. Cost: O(rows)."""
        with self._lock:
            before = self._rows
            chats = {chat: _only_alive(kept, alive) for chat, kept in self._current().items()}
            self._take({chat: kept for chat, kept in chats.items() if kept.pieces})
            if self._rows != before:
                self._replaced()

    def forget(self, chats: Collection[str], alive: Container[str] | None = None) -> None:
        """Forget these chats, and memories that are not `alive`; on disk at once."""
        with self._lock:
            if alive is not None:
                self.prune(alive)
            known = self._current()
            self._take({chat: kept for chat, kept in known.items() if chat not in chats})
            self._replaced()

    def close(self) -> None:
        """Write pending records."""
        self._state.close()

    def _current(self) -> dict[str, _ChatUse]:
        """The chats, including records of other processes."""
        if news := self._state.news(self._seen):
            self._seen, values = news
            self._take(_parsed_chats(values))
        return self._chats

    def _take(self, chats: dict[str, _ChatUse]) -> None:
        self._chats, self._rows = chats, sum(one.size for one in chats.values())
        self._sums.clear()

    def _replaced(self) -> None:
        self._state.replace({chat: _as_values(kept) for chat, kept in self._chats.items()})

    def _put(self, chat: str, version: str, turn: _Piece) -> None:
        kept = self._chats.pop(chat, None) or _ChatUse()
        self._chats[chat] = kept
        before, shown = kept.size, _as_values(kept)
        if turn.memories:
            kept.turns[version] = turn
        else:
            kept.turns.pop(version, None)
        _fold(kept, FRESH)
        self._write_changes(chat, shown, _as_values(kept))
        self._rows += kept.size - before
        self._make_room(chat)

    def _make_room(self, present: str) -> None:
        """Sum up, then drop the chats idle longest, until the log is small enough."""
        resting = [chat for chat in self._chats if chat != present]
        for shrink in (self._fold_all, self._drop):
            for chat in resting:
                if self._rows <= self._most_rows:
                    return
                shown = _as_values(self._chats[chat])
                self._rows += shrink(chat)
                kept = self._chats.get(chat)
                self._write_changes(chat, shown, _as_values(kept) if kept else {})

    def _write_changes(self, chat: str, before: JsonMapping, after: JsonMapping) -> None:
        """Write the changed values of a chat, and mark it for counting again."""
        for sums in self._sums.values():
            sums.behind.add(chat)
        gone = {name: None for name in before if name not in after}
        news = {name: value for name, value in after.items() if before.get(name) != value}
        self._state.put(chat, {**gone, **news})

    def _fold_all(self, chat: str) -> int:
        kept = self._chats[chat]
        before = kept.size
        _fold(kept, 0)
        return kept.size - before

    def _drop(self, chat: str) -> int:
        return -self._chats.pop(chat).size


def _turn(version: str, at: str, used: Iterable[str], vain: Iterable[str]) -> _Piece:
    return _Piece((version,), dict.fromkeys(used, 1), dict.fromkeys(vain, 1), at)


def _is_news(turn: _Piece, version: str, kept: _ChatUse) -> bool:
    """Whether recording a turn changes anything; turns already summed up are not recorded again."""
    before = kept.turns.get(version)
    if before is not None:
        return [*map(list, (before.used, before.vain))] != [*map(list, (turn.used, turn.vain))]
    return bool(turn.memories) and not any(version in block.versions for block in kept.old)


def _fold(kept: _ChatUse, fresh: int) -> None:
    """Sum up the oldest turns in blocks, until fewer than `fresh` + BLOCK are left."""
    turns = kept.turns
    while len(turns) >= fresh + BLOCK or (not fresh and turns):
        oldest = list(islice(turns, BLOCK))
        kept.old.append(_summed([turns.pop(version) for version in oldest]))
    while len(kept.old) > MOST_BLOCKS:
        kept.old[:2] = [_summed(kept.old[:2])]


def _summed(pieces: Sequence[_Piece]) -> _Piece:
    """The sum of several; of more than BLOCK versions every second one is kept as a sample."""
    versions = [version for one in pieces for version in one.versions]
    used, vain = Counter[str](), Counter[str]()
    for one in pieces:
        used.update(one.used)
        vain.update(one.vain)
    return _Piece(tuple(versions[:: 1 + (len(versions) > BLOCK)]), dict(used), dict(vain))


class _Sums:
    """Incremental tallies for one `visible`; a visible turn or block is counted once until it changes."""

    def __init__(self) -> None:
        self.behind: set[str] = set()  # chats to count again
        self._counted: dict[str, dict[int, tuple[_Piece, float]]] = {}  # with its visible share
        self._tallies: dict[str, UsageTally] = {}  # in order of the last change

    def leave(self, chats: Collection[str]) -> None:
        """Remove the counts of these chats, to be counted again: their visibility changed."""
        self._tallies = dict(self._tallies)
        for chat in self._counted.keys() & chats:
            for counted in self._counted.pop(chat).values():
                self._add(*counted, sign=-1)
        self.behind.update(chats)

    def follow(self, chats: Mapping[str, _ChatUse], visible: Visible) -> Mapping[str, UsageTally]:
        """The updated tallies; the same object while nothing changed."""
        if self.behind:
            self._tallies = dict(self._tallies)
        for chat in self.behind:
            self._count(chat, chats.get(chat), visible)
        self.behind.clear()
        return self._tallies

    def _count(self, chat: str, kept: _ChatUse | None, visible: Visible) -> None:
        """Update the counts of a chat; pieces not fully visible before are checked again."""
        before = self._counted.pop(chat, {})
        after = dict[int, tuple[_Piece, float]]()
        for piece in kept.pieces if kept else ():
            known = before.get(id(piece))
            whole = known is not None and known[1] == 1.0
            if share := 1.0 if whole else _share(chat, piece.versions, visible):
                after[id(piece)] = (piece, share)
        if after:
            self._counted[chat] = after
        for key, counted in before.items():
            if after.get(key) != counted:
                self._add(*counted, sign=-1)
        for key, counted in after.items():
            if before.get(key) != counted:
                self._add(*counted, sign=1)

    def _add(self, piece: _Piece, share: float, sign: int) -> None:
        for memory_id in piece.memories:
            tally = self._tallies.pop(memory_id, None) or UsageTally()
            more = sign * share
            sums = (
                tally.referenced + more * piece.used.get(memory_id, 0),
                tally.vain + more * piece.vain.get(memory_id, 0),
            )
            if any(sums):
                self._tallies[memory_id] = UsageTally(*sums)


def _share(chat: str, versions: Sequence[str], visible: Visible) -> float:
    """The visible share of these versions, 0..1 in steps of 1/_STEPS."""
    standing = sum(one.startswith(BY_HAND) or visible(chat, one) for one in versions)
    return round(standing / max(len(versions), 1) * _STEPS) / _STEPS


def _uses(chat: str, kept: _ChatUse, memory_id: str) -> Iterable[Use]:
    for version, turn in kept.turns.items():
        if memory_id in turn.memories:
            yield Use(memory_id, chat, version, memory_id in turn.used, moment(turn.at))


def _only_alive(kept: _ChatUse, alive: Container[str]) -> _ChatUse:
    """The chat with only the memories in `alive`, without turns and blocks emptied by that."""

    def left(piece: _Piece) -> _Piece:
        used, vain = (
            {one: times for one, times in counts.items() if one in alive}
            for counts in (piece.used, piece.vain)
        )
        return replace(piece, used=used, vain=vain)

    turns = {version: left(turn) for version, turn in kept.turns.items()}
    return _ChatUse(
        {version: turn for version, turn in turns.items() if turn.memories},
        [one for one in map(left, kept.old) if one.memories],
    )


def _as_values(kept: _ChatUse) -> JsonObject:
    """A chat in file form: turns by version, and the blocks."""
    shown: JsonObject = {
        version: [turn.at, [*turn.used], [*turn.vain]] for version, turn in kept.turns.items()
    }
    old = [{"versions": one.versions, "used": one.used, "vain": one.vain} for one in kept.old]
    return {**shown, **({OLD: old} if old else {})}


def _parsed_chats(values: Values) -> dict[str, _ChatUse]:
    """The chats in the values; invalid ones are dropped."""
    found: dict[str, _ChatUse] = {}
    for chat, kept in values.items():
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            found[chat] = _ChatUse(
                {version: _read(version, raw) for version, raw in kept.items() if version != OLD},
                [_old(block) for block in kept.get(OLD, ())],
            )
    return found


def _read(version: str, raw: Sequence[Any]) -> _Piece:
    at, used, vain = raw
    moment(at)
    return _turn(version, str(at), map(str, used), map(str, vain))


def _old(raw: JsonMapping) -> _Piece:
    versions = tuple(map(str, raw["versions"]))
    return _Piece(versions, _counts(raw["used"]), _counts(raw["vain"]))


def _counts(raw: JsonMapping) -> dict[str, float]:
    return {str(memory_id): float(times) for memory_id, times in raw.items()}
