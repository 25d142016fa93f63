"""Log of the memories in the prompt of each turn, and which of them the reply used. Source: S4.1, S4.13.

A turn is identified by its chat and the version of its user message, so a swipe of the reply replaces the record,
and a turn whose message no longer exists is not counted, without an undo. Texts are not kept.

    note ─▶ single turns (the newest) ─▶ blocks of 32 turns: sums, and their versions ─▶ tallies
"""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from itertools import combinations
from typing import Any

from rolememory.schema.json_types import JsonMapping
from rolememory.schema.usage import BY_HAND, UsageTally, Use
from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog, Values
from rolememory.text.timestamps import iso, moment

OLD = "#old"  # the sums of a chat, in logs of earlier versions
FRESH = 64  # turns of a chat kept singly, in reach of swipes, edits and branches
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
class _Turns:
    """One turn, or the sum of several."""

    versions: tuple[str, ...]  # all of its turns, or a sample
    used: Mapping[str, float]  # memory -> turns that used it
    vain: Mapping[str, float]  # ... that did not use it
    at: str = ""  # time of a single turn

    @property
    def name(self) -> str:
        """A turn is named by its version, a sum by the first of them."""
        return self.versions[0] if self.at else f"#{self.versions[0]}"

    @property
    def memories(self) -> Mapping[str, float]:
        """Every memory in it."""
        return {**self.used, **self.vain}

    @property
    def shown(self) -> list[Any]:
        """In file form."""
        if self.at:
            return [self.at, [*self.used], [*self.vain]]
        return [self.versions, self.used, self.vain]


_ChatUse = Mapping[str, _Turns]
"""The turns and sums of a chat by name, each oldest first."""


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

        Returns whether anything changed: turns already summed up are not recorded again.
        Cost: O(injected); written in the background.
        """
        held = dict.fromkeys(injected, 1.0)
        used = {one: 1.0 for one in held if one in referenced}
        vain = {one: 1.0 for one in held if one not in referenced}
        with self._lock:
            kept = self._current().get(chat, {})
            before = kept.get(version)
            if before is not None:
                fresh = (before.used, before.vain) != (used, vain)
            else:
                fresh = bool(held) and not any(version in one.versions for one in kept.values())
            if fresh:
                self._put(chat, _Turns((version,), used, vain, iso(at)))
            return fresh

    def record(self, memory_id: str, chat: str, query: str, referenced: bool, at: datetime) -> None:
        """Record one use explicitly; it counts independently of the chat's later state.

        The query is kept as a digest. Source: S4.13.
        """
        version = (
            BY_HAND + blake2b(query.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        )
        with self._lock:
            before = self._current().get(chat, {}).get(version) or _Turns((version,), {}, {})
            used = before.used.keys() - {memory_id} | ({memory_id} if referenced else set())
            self.note(chat, version, [*before.memories, memory_id], used, at)

    def of(self, memory_id: str) -> list[Use]:
        """The turns with this memory in the prompt, newest first, as far back as single turns are kept."""
        with self._lock:
            found = [
                Use(memory_id, chat, version, memory_id in turn.used, moment(turn.at))
                for chat, kept in self._current().items()
                for version, turn in kept.items()
                if turn.at and memory_id in turn.memories
            ]
        return sorted(found, key=lambda use: use.at, reverse=True)

    def held(self, chat: str, version: str) -> tuple[str, ...]:
        """The memories in the prompt of this turn, if still kept singly."""
        with self._lock:
            turn = self._current().get(chat, {}).get(version)
        return tuple(turn.memories) if turn else ()

    def pairs(self, least: int = 2) -> list[tuple[str, str]]:
        """Pairs of memories used in the same turn at least `least` times, most frequent first."""
        with self._lock:
            counted = Counter(
                pair
                for kept in self._current().values()
                for turn in kept.values()
                if turn.at
                for pair in combinations(sorted(turn.used)[:_MOST_OF_A_TURN], 2)
            )
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
            self._take({chat: _only(alive, kept) for chat, kept in self._current().items()})
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

    def _take(self, chats: Mapping[str, _ChatUse]) -> None:
        self._chats = {chat: kept for chat, kept in chats.items() if kept}
        self._rows = sum(map(_size, self._chats.values()))
        self._sums.clear()

    def _replaced(self) -> None:
        self._state.replace({chat: _shown(kept) for chat, kept in self._chats.items()})

    def _put(self, chat: str, turn: _Turns) -> None:
        self._chats[chat] = kept = self._chats.pop(chat, {})
        after = {**kept, turn.name: turn}
        if not turn.memories:
            del after[turn.name]
        self._change(chat, _folded(after, FRESH))
        self._make_room(chat)

    def _make_room(self, present: str) -> None:
        """If the log is too long, sum up, then drop the chats idle longest, until a tenth of it is free."""
        if self._rows <= self._most_rows:
            return
        resting = [chat for chat in self._chats if chat != present]
        for dropped in (False, True):
            for chat in resting:
                if self._rows <= self._most_rows * 9 // 10:
                    return
                kept = self._chats[chat]
                if dropped or any(one.at for one in kept.values()):
                    self._change(chat, {} if dropped else _folded(kept, 0))

    def _change(self, chat: str, after: _ChatUse) -> None:
        """Replace what is kept of a chat: write what differs, and count the chat again."""
        before, self._chats[chat] = self._chats[chat], after
        self._rows += _size(after) - _size(before)
        for sums in self._sums.values():
            sums.behind.add(chat)
        news = {name: one for name, one in after.items() if one is not before.get(name)}
        self._state.put(chat, {**dict.fromkeys(before.keys() - after.keys()), **_shown(news)})
        if not after:
            del self._chats[chat]


def _size(kept: _ChatUse) -> int:
    """Number of rows (memories per turn or sum)."""
    return sum(len(one.used) + len(one.vain) for one in kept.values())


def _folded(kept: _ChatUse, fresh: int) -> _ChatUse:
    """Sum up the oldest turns in blocks, until fewer than `fresh` + BLOCK are left."""
    turns = [one for one in kept.values() if one.at]
    blocks = [one for one in kept.values() if not one.at]
    while len(turns) >= fresh + BLOCK or (not fresh and turns):
        blocks.append(_summed(turns[:BLOCK]))
        del turns[:BLOCK]
    while len(blocks) > MOST_BLOCKS:
        blocks[:2] = [_summed(blocks[:2])]
    return {one.name: one for one in (*blocks, *turns)}


def _summed(several: Sequence[_Turns]) -> _Turns:
    """The sum of several; of more than BLOCK versions every second one is kept as a sample."""
    versions = [version for one in several for version in one.versions]
    used, vain = Counter[str](), Counter[str]()
    for one in several:
        used.update(one.used)
        vain.update(one.vain)
    return _Turns(tuple(versions[:: 1 + (len(versions) > BLOCK)]), dict(used), dict(vain))


class _Sums:
    """Incremental tallies for one `visible`; visible turns are counted once until it changes."""

    def __init__(self) -> None:
        self.behind: set[str] = set()  # chats to count again
        self._counted: dict[str, dict[int, tuple[_Turns, float]]] = {}  # with its visible share
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
            self._count(chat, chats.get(chat, {}), visible)
        self.behind.clear()
        return self._tallies

    def _count(self, chat: str, kept: _ChatUse, visible: Visible) -> None:
        """Update the counts of a chat; those not fully visible before are checked again."""
        before = self._counted.pop(chat, {})
        after = dict[int, tuple[_Turns, float]]()
        for one in kept.values():
            known = before.get(id(one))
            whole = known is not None and known[1] == 1.0
            if share := 1.0 if whole else _share(chat, one.versions, visible):
                after[id(one)] = (one, share)
        if after:
            self._counted[chat] = after
        for key, counted in before.items():
            if after.get(key) != counted:
                self._add(*counted, sign=-1)
        for key, counted in after.items():
            if before.get(key) != counted:
                self._add(*counted, sign=1)

    def _add(self, turns: _Turns, share: float, sign: int) -> None:
        for memory_id in turns.memories:
            tally = self._tallies.pop(memory_id, None) or UsageTally()
            more = sign * share
            sums = (
                tally.referenced + more * turns.used.get(memory_id, 0),
                tally.vain + more * turns.vain.get(memory_id, 0),
            )
            if any(sums):
                self._tallies[memory_id] = UsageTally(*sums)


def _share(chat: str, versions: Sequence[str], visible: Visible) -> float:
    """The visible share of these versions, 0..1 in steps of 1/_STEPS."""
    standing = sum(one.startswith(BY_HAND) or visible(chat, one) for one in versions)
    return round(standing / max(len(versions), 1) * _STEPS) / _STEPS


def _only(alive: Container[str], kept: _ChatUse) -> _ChatUse:
    """The chat with only the memories in `alive`, without turns and sums emptied by that."""

    def left(counts: Mapping[str, float]) -> Mapping[str, float]:
        return {one: times for one, times in counts.items() if one in alive}

    found = (replace(one, used=left(one.used), vain=left(one.vain)) for one in kept.values())
    return {one.name: one for one in found if one.memories}


def _shown(kept: _ChatUse) -> dict[str, list[Any]]:
    return {name: one.shown for name, one in kept.items()}


def _parsed_chats(values: Values) -> dict[str, _ChatUse]:
    """The chats in the values; invalid ones are dropped."""
    found: dict[str, _ChatUse] = {}
    for chat, kept in values.items():
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            sums = {one.name: one for one in map(_older_sum, kept.get(OLD, ()))}
            turns = {name: _parsed(name, raw) for name, raw in kept.items() if name != OLD}
            found[chat] = sums | turns
    return found


def _older_sum(raw: JsonMapping) -> _Turns:
    """A sum as earlier versions wrote it, all of a chat under one name."""
    return _Turns(tuple(map(str, raw["versions"])), _counts(raw["used"]), _counts(raw["vain"]))


def _parsed(name: str, raw: Any) -> _Turns:
    first, used, vain = raw
    if isinstance(first, str):
        moment(first)
        return _Turns((name,), dict.fromkeys(used, 1.0), dict.fromkeys(vain, 1.0), first)
    return _Turns(tuple(map(str, first)), _counts(used), _counts(vain))


def _counts(raw: JsonMapping) -> dict[str, float]:
    return {memory_id: float(times) for memory_id, times in raw.items()}
