"""Which memories stood in the prompt of which turn, and which of them the reply used. Source: S4.1, S4.13.

A turn is named by its chat and the version of its user message, so a swipe of the reply replaces what was noted before,
and a turn whose message no longer stands counts for nothing without anything being undone. What was said is not kept.

    note ─▶ turns, one by one (the newest) ─▶ blocks of 32 turns: sums, and the versions they rest on ─▶ tallies
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

from rolememory.schema.usage import BY_HAND, Tally, Use
from rolememory.store.moments import iso, moment
from rolememory.store.state import StateFile

FRESH = 64  # turns of a chat that are kept one by one: swipes, edits and branches reach them
BLOCK = 32  # older turns that are summed up together, and the most versions that a sum rests on
MOST_BLOCKS = 8  # of one chat: beyond, the two oldest become one
MOST_ROWS = 40_000  # memories noted, over all chats: beyond, the chats that rested longest are summed up, then left out

Visible = Callable[[str, str], bool]
"""Whether a version of a chat stands, as seen from where somebody asks: (chat, version)."""


def everywhere(chat: str, version: str) -> bool:
    """Everything stands."""
    return True


class _Turn(TypedDict):
    at: str
    used: list[str]
    vain: list[str]


class _Block(TypedDict):
    versions: list[str]  # of its turns, all or a fair sample
    used: dict[str, float]  # memory -> turns that used it
    vain: dict[str, float]  # ... and that had it in vain


class _Chat(TypedDict):
    turns: dict[str, _Turn]  # version -> what its prompt held, oldest first
    old: list[_Block]


class Uses:
    """The log of one role, in state/uses.json, written behind: losing seconds of it is allowed. Thread-safe."""

    def __init__(self, role_folder: Path, most_rows: int = MOST_ROWS) -> None:
        self._most_rows = most_rows
        self._file = StateFile(role_folder / "state" / "uses.json")
        self._lock = threading.RLock()
        self._seen: dict[str, Any] | None = None  # what the file held when it was last looked at
        self._chats: dict[str, _Chat] = {}  # the chat that was noted last comes last
        self._rows = 0
        self._revision = 0
        self._told: tuple[int, Hashable, dict[str, Tally]] | None = None

    def note(self, chat: str, version: str, injected: Iterable[str], referenced: Container[str], at: datetime) -> bool:
        """Note what the prompt of a turn held and its reply used; what was noted of this turn before is replaced.

        False where nothing changed by it. Cost: O(injected); the disk is written behind.
        """
        held = list(dict.fromkeys(injected))
        used, vain = [one for one in held if one in referenced], [one for one in held if one not in referenced]
        with self._lock:
            known = self._current().get(chat)
            if known and version not in known["turns"] and any(version in block["versions"] for block in known["old"]):
                return False  # too old to be told anew
            before = known["turns"].get(version) if known else None
            if (before is None and not held) or (before is not None and (before["used"], before["vain"]) == (used, vain)):
                return False
            self._put(chat, version, _Turn(at=iso(at), used=used, vain=vain))
            self._changed()
            return True

    def record(self, memory_id: str, chat: str, query: str, referenced: bool, at: datetime) -> None:
        """Note one use by hand, for callers that know better than the words of the reply; it stands whatever becomes of the chat.

        The query is kept as a digest. Source: S4.13.
        """
        version = BY_HAND + blake2b(query.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        with self._lock:
            chats = self._current()
            told = chats[chat]["turns"].get(version) if chat in chats else None
            used, vain = (told["used"], told["vain"]) if told else ([], [])
            others = [one for one in used if one != memory_id]
            held = dict.fromkeys([*used, *vain, memory_id])
            self.note(chat, version, held, {*others, memory_id} if referenced else others, at)

    def of(self, memory_id: str) -> list[Use]:
        """The turns that had this memory, newest first, as far back as turns are kept one by one."""
        with self._lock:
            found = [use for chat, kept in self._current().items() for use in _uses(chat, kept, memory_id)]
        return sorted(found, key=lambda use: use.at, reverse=True)

    def held(self, chat: str, version: str) -> tuple[str, ...]:
        """What the prompt of this turn held, as far as it was noted one by one."""
        with self._lock:
            kept = self._current().get(chat)
            turn = kept["turns"].get(version) if kept else None
        return (*turn["used"], *turn["vain"]) if turn else ()

    def together(self, memory_id: str) -> list[tuple[str, int]]:
        """Which memories replies used in the same turn as this one, and in how many, most first."""
        with self._lock:
            turns = [turn["used"] for kept in self._current().values() for turn in kept["turns"].values() if memory_id in turn["used"]]
        counted = Counter(other for used in turns for other in used if other != memory_id)
        return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))

    def tallies(self, visible: Visible = everywhere, token: Hashable = None) -> Mapping[str, Tally]:
        """How often each memory was used and passed over, by turns that stand. Cost: O(rows noted).

        `token` tells one `visible` from another: with one, the answer is kept until something is noted.
        """
        with self._lock:
            chats = self._current()
            if self._told and token is not None and self._told[:2] == (self._revision, token):
                return self._told[2]
            found = _summed(chats, visible)
            self._told = (self._revision, token, found)
            return found

    def prune(self, alive: Container[str]) -> None:
        """Forget every memory that is not `alive`: its rows die with it. Cost: O(rows noted)."""
        with self._lock:
            before = self._rows
            chats = {chat: _of_these(kept, alive) for chat, kept in self._current().items()}
            self._take({chat: kept for chat, kept in chats.items() if kept["turns"] or kept["old"]})
            if self._rows != before:
                self._changed()

    def forget(self, chats: Collection[str]) -> None:
        """Forget everything that was noted in these chats."""
        with self._lock:
            known = self._current()
            left = {chat: kept for chat, kept in known.items() if chat not in chats}
            if len(left) < len(known):
                self._take(left)
                self._changed()

    def close(self) -> None:
        """Write what is still behind."""
        self._file.close()

    def _current(self) -> dict[str, _Chat]:
        """The chats as the file has them now, another process's notes included."""
        raw = self._file.load()
        if raw is not self._seen:
            self._take(_sound(raw))
            self._seen, self._revision = raw, self._revision + 1
        return self._chats

    def _take(self, chats: dict[str, _Chat]) -> None:
        self._chats, self._rows = chats, sum(map(_size, chats.values()))

    def _changed(self) -> None:
        self._revision += 1
        self._seen = {"chats": self._chats}
        self._file.later(self._seen)

    def _put(self, chat: str, version: str, turn: _Turn) -> None:
        kept = self._chats.pop(chat, None) or _Chat(turns={}, old=[])
        self._chats[chat] = kept
        before = _size(kept)
        if turn["used"] or turn["vain"]:
            kept["turns"][version] = turn
        else:
            kept["turns"].pop(version, None)
        _fold(kept, FRESH)
        self._rows += _size(kept) - before
        self._make_room(chat)

    def _make_room(self, present: str) -> None:
        """Sum up, then leave out the chats that rested longest, until the log is small enough."""
        resting = [chat for chat in self._chats if chat != present]
        for shrink in (self._fold_all, self._drop):
            for chat in resting:
                if self._rows <= self._most_rows:
                    return
                self._rows += shrink(chat)

    def _fold_all(self, chat: str) -> int:
        kept = self._chats[chat]
        before = _size(kept)
        _fold(kept, 0)
        return _size(kept) - before

    def _drop(self, chat: str) -> int:
        return -_size(self._chats.pop(chat))


def _size(kept: _Chat) -> int:
    return sum(len(turn["used"]) + len(turn["vain"]) for turn in kept["turns"].values()) + sum(
        len(block["used"]) + len(block["vain"]) for block in kept["old"]
    )


def _fold(kept: _Chat, fresh: int) -> None:
    """Sum up the oldest turns, a block at a time, until at most so many and a block stand by themselves."""
    turns = kept["turns"]
    while len(turns) >= fresh + BLOCK or (not fresh and turns):
        oldest = list(islice(turns, BLOCK))
        kept["old"].append(_block({version: turns.pop(version) for version in oldest}))
    while len(kept["old"]) > MOST_BLOCKS:
        kept["old"][:2] = [_joined(*kept["old"][:2])]


def _block(turns: Mapping[str, _Turn]) -> _Block:
    used, vain = Counter[str](), Counter[str]()
    for turn in turns.values():
        used.update(turn["used"])
        vain.update(turn["vain"])
    return _Block(versions=list(turns), used=dict(used), vain=dict(vain))


def _joined(one: _Block, other: _Block) -> _Block:
    """Both in one; every second version stands for the two."""
    versions = [*one["versions"], *other["versions"]]
    return _Block(
        versions=versions[:: 1 + (len(versions) > BLOCK)],
        used=_added(one["used"], other["used"]),
        vain=_added(one["vain"], other["vain"]),
    )


def _added(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {memory_id: one.get(memory_id, 0) + other.get(memory_id, 0) for memory_id in {**one, **other}}


def _summed(chats: Mapping[str, _Chat], visible: Visible) -> dict[str, Tally]:
    """Every visible turn counts in full, a block by the share of its turns that is visible."""
    used: dict[str, float] = defaultdict(float)
    vain: dict[str, float] = defaultdict(float)
    for chat, kept in chats.items():
        for block in kept["old"]:
            share = sum(_stands(chat, version, visible) for version in block["versions"]) / max(len(block["versions"]), 1)
            if share:
                for sums, told in ((used, block["used"]), (vain, block["vain"])):
                    for memory_id, times in told.items():
                        sums[memory_id] += times * share
        for version, turn in kept["turns"].items():
            if _stands(chat, version, visible):
                for memory_id in turn["used"]:
                    used[memory_id] += 1.0
                for memory_id in turn["vain"]:
                    vain[memory_id] += 1.0
    return {memory_id: Tally(used.get(memory_id, 0.0), vain.get(memory_id, 0.0)) for memory_id in {**used, **vain}}


def _stands(chat: str, version: str, visible: Visible) -> bool:
    return version.startswith(BY_HAND) or visible(chat, version)


def _uses(chat: str, kept: _Chat, memory_id: str) -> Iterable[Use]:
    for version, turn in kept["turns"].items():
        if memory_id in turn["used"] or memory_id in turn["vain"]:
            yield Use(memory_id, chat, version, memory_id in turn["used"], moment(turn["at"]))


def _of_these(kept: _Chat, alive: Container[str]) -> _Chat:
    turns = {
        version: _Turn(
            at=turn["at"], used=[one for one in turn["used"] if one in alive], vain=[one for one in turn["vain"] if one in alive]
        )
        for version, turn in kept["turns"].items()
    }
    blocks = [
        _Block(versions=block["versions"], used=_alive(block["used"], alive), vain=_alive(block["vain"], alive)) for block in kept["old"]
    ]
    return _Chat(
        turns={version: turn for version, turn in turns.items() if turn["used"] or turn["vain"]},
        old=[block for block in blocks if block["used"] or block["vain"]],
    )


def _alive(counts: Mapping[str, float], alive: Container[str]) -> dict[str, float]:
    return {memory_id: times for memory_id, times in counts.items() if memory_id in alive}


def _sound(raw: Mapping[str, Any]) -> dict[str, _Chat]:
    """The chats of a file; one that does not read as we wrote it is left out: it costs what was noted there."""
    found: dict[str, _Chat] = {}
    chats = raw.get("chats")
    for chat, kept in chats.items() if isinstance(chats, dict) else ():
        try:
            found[chat] = _Chat(
                turns={version: _turn(turn) for version, turn in kept["turns"].items()}, old=[_old(block) for block in kept["old"]]
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
    return found


def _turn(raw: Mapping[str, Any]) -> _Turn:
    moment(raw["at"])
    return _Turn(at=str(raw["at"]), used=list(map(str, raw["used"])), vain=list(map(str, raw["vain"])))


def _old(raw: Mapping[str, Any]) -> _Block:
    return _Block(versions=list(map(str, raw["versions"])), used=_counts(raw["used"]), vain=_counts(raw["vain"]))


def _counts(raw: Mapping[str, Any]) -> dict[str, float]:
    return {str(memory_id): float(times) for memory_id, times in raw.items()}
