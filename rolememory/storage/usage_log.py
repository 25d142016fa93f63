"""Which memories stood in the prompt of which turn, and which of them the reply used. Source: S4.1, S4.13.

A turn is named by its chat and the version of its user message, so a swipe of the reply replaces what was noted before,
and a turn whose message no longer stands counts for nothing without anything being undone. What was said is not kept.

    note ─▶ turns, one by one (the newest) ─▶ blocks of 32 turns: sums, and the versions they rest on ─▶ tallies
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

from rolememory.schema.usage import BY_HAND, UsageTally, Use
from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog, Values
from rolememory.text.timestamps import iso, moment

FRESH = 64  # turns of a chat that are kept one by one: swipes, edits and branches reach them
OLD = "#old"  # the name of a chat's blocks, among its versions
BLOCK = 32  # older turns that are summed up together, and the most versions that a sum rests on
MOST_BLOCKS = 8  # of one chat: beyond, the two oldest become one
MOST_ROWS = 40_000  # memories noted, over all chats: beyond, the chats that rested longest are summed up, then left out
_MOST_OF_A_TURN = 30  # memories whose pairs are counted
PLACES = 64  # whose tallies are kept up: those of the users and chats that take turns now
_STEPS = 1024  # of a whole

Visible = Callable[[str, str], bool]
"""Whether a version of a chat stands, as seen from where somebody asks: (chat, version)."""


def everywhere(chat: str, version: str) -> bool:
    """Every version counts as visible."""
    return True


@value_class
class _Piece:
    """What counts as one: a turn, or several that are summed up."""

    versions: tuple[str, ...]  # on which it rests, all or a fair sample
    used: Mapping[str, float]  # memory -> turns that used it
    vain: Mapping[str, float]  # ... and that had it in vain
    at: str = ""  # of a turn

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
        """All that counts."""
        return [*self.old, *self.turns.values()]

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
        self._sums: dict[
            Hashable, _Sums
        ] = {}  # by token, the one that was asked for last comes last

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
        turn = _turn(version, iso(at), used, [one for one in held if one not in referenced])
        with self._lock:
            fresh = _is_news(turn, version, self._current().get(chat) or _ChatUse())
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

    def tallies(
        self,
        visible: Visible = everywhere,
        token: Hashable = None,
        since: tuple[Hashable, Collection[str]] | None = None,
    ) -> Mapping[str, UsageTally]:
        """How often each memory was used and passed over, by turns that stand. Cost: O(rows noted).

        `token` tells one `visible` from another: with one that asked shortly before, O(rows of what was noted since). `since`:
        the token of another one from which only these chats look different; with it, O(their rows).
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
        """Forget every memory that is not `alive`. Cost: O(rows noted)."""
        with self._lock:
            before = self._rows
            chats = {chat: _of_these(kept, alive) for chat, kept in self._current().items()}
            self._take({chat: kept for chat, kept in chats.items() if kept.pieces})
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
        self._sums.clear()

    def _replaced(self) -> None:
        self._state.replace({chat: _shown(kept) for chat, kept in self._chats.items()})

    def _put(self, chat: str, version: str, turn: _Piece) -> None:
        kept = self._chats.pop(chat, None) or _ChatUse()
        self._chats[chat] = kept
        before, shown = kept.size, _shown(kept)
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
        """Write what became another, and have it counted again."""
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
    """Whether noting a turn changes anything; one that was summed up already is too old to be told again."""
    before = kept.turns.get(version)
    if before is not None:
        return [*map(list, (before.used, before.vain))] != [*map(list, (turn.used, turn.vain))]
    return bool(turn.memories) and not any(version in block.versions for block in kept.old)


def _fold(kept: _ChatUse, fresh: int) -> None:
    """Sum up the oldest turns, a block at a time, until at most `fresh` and one block are left."""
    turns = kept.turns
    while len(turns) >= fresh + BLOCK or (not fresh and turns):
        oldest = list(islice(turns, BLOCK))
        kept.old.append(_summed([turns.pop(version) for version in oldest]))
    while len(kept.old) > MOST_BLOCKS:
        kept.old[:2] = [_summed(kept.old[:2])]


def _summed(pieces: Sequence[_Piece]) -> _Piece:
    """Several as one; where their versions are many, every second one is kept as a sample."""
    versions = [version for one in pieces for version in one.versions]
    used, vain = Counter[str](), Counter[str]()
    for one in pieces:
        used.update(one.used)
        vain.update(one.vain)
    return _Piece(tuple(versions[:: 1 + (len(versions) > BLOCK)]), dict(used), dict(vain))


class _Sums:
    """Tallies as seen from one place; a visible turn or block is counted once until it changes."""

    def __init__(self) -> None:
        self.behind: set[str] = set()  # chats that changed
        self._counted: dict[str, dict[int, tuple[_Piece, float]]] = {}  # with its share
        self._tallies: dict[str, UsageTally] = {}  # the one that changed last comes last

    def leave(self, chats: Collection[str]) -> None:
        """Count these anew: what stood in them may stand no longer."""
        self._tallies = dict(self._tallies)
        for chat in self._counted.keys() & chats:
            for counted in self._counted.pop(chat).values():
                self._add(*counted, sign=-1)
        self.behind.update(chats)

    def follow(self, chats: Mapping[str, _ChatUse], visible: Visible) -> Mapping[str, UsageTally]:
        """The tallies of these chats; the same object as long as nothing changed."""
        if self.behind:
            self._tallies = dict(self._tallies)
        for chat in self.behind:
            self._count(chat, chats.get(chat), visible)
        self.behind.clear()
        return self._tallies

    def _count(self, chat: str, kept: _ChatUse | None, visible: Visible) -> None:
        """What does not stand is looked at again: it may be that it was noted behind the back of who asked."""
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
    """How much of what rests on these is visible, in steps in which sums stay exact."""
    standing = sum(one.startswith(BY_HAND) or visible(chat, one) for one in versions)
    return round(standing / max(len(versions), 1) * _STEPS) / _STEPS


def _uses(chat: str, kept: _ChatUse, memory_id: str) -> Iterable[Use]:
    for version, turn in kept.turns.items():
        if memory_id in turn.memories:
            yield Use(memory_id, chat, version, memory_id in turn.used, moment(turn.at))


def _of_these(kept: _ChatUse, alive: Container[str]) -> _ChatUse:
    """The chat with the memories that are alive alone; turns and blocks without any go."""

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


def _shown(kept: _ChatUse) -> dict[str, Any]:
    """A chat as it is written to the file: turns by version, and the blocks."""
    shown: dict[str, Any] = {
        version: [turn.at, [*turn.used], [*turn.vain]] for version, turn in kept.turns.items()
    }
    old = [{"versions": one.versions, "used": one.used, "vain": one.vain} for one in kept.old]
    return {**shown, **({OLD: old} if old else {})}


def _sound(values: Values) -> dict[str, _ChatUse]:
    """The chats; one that does not read as we wrote it is left out: it costs what was noted there."""
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


def _old(raw: Mapping[str, Any]) -> _Piece:
    versions = tuple(map(str, raw["versions"]))
    return _Piece(versions, _counts(raw["used"]), _counts(raw["vain"]))


def _counts(raw: Mapping[str, Any]) -> dict[str, float]:
    return {str(memory_id): float(times) for memory_id, times in raw.items()}
