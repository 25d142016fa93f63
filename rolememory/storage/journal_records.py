"""Journal records: one change of one memory each, and applying them to a set of memories.

The records of a transaction are one append of the log.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from rolememory.schema.memory import MemoriesById, Memory, glimpsed
from rolememory.schema.value_class import value_class
from rolememory.storage.codec import (
    DEFAULTS,
    EntryError,
    decode,
    difference,
    fields_of,
    patched,
    value_of,
)
from rolememory.storage.copy_on_write import CopyOnWriteDict
from rolememory.storage.exact_json import dumps, loads

Op = Literal["add", "set", "remove"]
Memories = CopyOnWriteDict[Memory]


@value_class
class JournalRecord:
    """One change, with the values before and after."""

    seq: int
    txn: str
    at: str  # ISO, UTC
    actor: str  # author, user, learn, tend, undo, ...
    op: Op
    id: str
    fields: Mapping[str, Sequence[Any]]  # name -> [before, after]; null = absent
    reason: str = ""
    base: int | None = (
        None  # for an external edit: the seq of the edited file, which contains the change itself
    )
    missed: int | None = (
        None  # seq of a short-lived checkpoint without it, which an editor may have opened
    )

    def applies_to(self, through: int) -> bool:
        """Whether a file that includes everything up to `through` lacks this change."""
        return self.seq > through and (
            self.base is None or through < self.base or through == self.missed
        )


_FIELDS = fields(JournalRecord)
_NAMES = frozenset(place.name for place in _FIELDS)  # fields of later versions are ignored


@value_class
class Conflict:
    """A field where file and journal record disagree; the file wins."""

    line: JournalRecord
    field: str
    found: Any


def encoded(line: JournalRecord) -> bytes:
    """The record as a line of the log.

    >>> decoded(encoded(JournalRecord(1, "t", "2024-05-01T18:00:00Z", "user", "set", "m1", {"weight": [1, 2]}))).fields
    {'weight': [1, 2]}
    """
    told = ((place, getattr(line, place.name)) for place in _FIELDS)
    return dumps({place.name: value for place, value in told if value != place.default})


def decoded(data: bytes) -> JournalRecord | None:
    """The record of a line, or None if invalid.

    >>> decoded(b'{"seq":1}') is None
    True
    """
    try:
        return JournalRecord(
            **{name: value for name, value in loads(data).items() if name in _NAMES}
        )
    except (AttributeError, TypeError, ValueError):
        return None


def applied(
    memories: MemoriesById, lines: Iterable[JournalRecord], through: int
) -> tuple[Memories, list[Conflict]]:
    """The memories after the records they lack; untouched memories stay the same objects. Pure; O(records) on those of an earlier call, else O(memories)."""
    after, conflicts = CopyOnWriteDict.of(memories), list[Conflict]()
    for line in lines:
        if line.applies_to(through):
            conflicts += _apply(after, line)
    return after, conflicts


def _apply(memories: Memories, line: JournalRecord) -> list[Conflict]:
    here = memories.get(line.id)
    if line.op == "add":
        return _add(memories, line) if here is None else []
    if here is None:
        return []  # the author deleted it
    return _remove(memories, here, line) if line.op == "remove" else _set(memories, here, line)


def _add(memories: Memories, line: JournalRecord) -> list[Conflict]:
    try:
        memories[line.id] = decode(
            {name: pair[1] for name, pair in line.fields.items()}, None, line.id
        )
    except (EntryError, IndexError, TypeError):
        return [Conflict(line, "", None)]
    return []


def _remove(memories: Memories, here: Memory, line: JournalRecord) -> list[Conflict]:
    """Remove the memory, unless it was changed since."""
    fields = {**{name: [DEFAULTS.get(name), None] for name in fields_of(here)}, **line.fields}
    conflicts = _disagreements(here, replace(line, fields=fields))
    if not conflicts:
        del memories[line.id]
    return conflicts


def _set(memories: Memories, here: Memory, line: JournalRecord) -> list[Conflict]:
    conflicts = _disagreements(here, line)
    refused = {conflict.field for conflict in conflicts}
    changes = {
        name: pair[1]
        for name, pair in line.fields.items()
        if name not in refused and value_of(here, name) != pair[1]
    }
    if changes:
        try:
            memories[line.id] = patched(here, changes)
        except EntryError:
            conflicts.append(Conflict(line, ", ".join(changes), None))
    return conflicts


def _disagreements(here: Memory, line: JournalRecord) -> list[Conflict]:
    found = ((name, value_of(here, name), pair) for name, pair in line.fields.items())
    return [
        Conflict(line, name, value)
        for name, value, pair in found
        if value != pair[0] and value != pair[1]
    ]


def added(memory: Memory) -> dict[str, list[Any]]:
    """The fields of a record that adds it."""
    told = {"type": memory.type.value, **fields_of(memory)}
    return {name: [None, value] for name, value in told.items()}


def removed(memory: Memory) -> dict[str, list[Any]]:
    """The fields of a record that removes it."""
    return {name: pair[::-1] for name, pair in added(memory).items()}


def between(
    before: MemoriesById, after: MemoriesById
) -> Iterator[tuple[Op, str, dict[str, list[Any]]]]:
    """The changes between two sets: (op, id, fields), removals last."""
    for memory_id, memory in after.items():
        old = before.get(memory_id)
        if old is None:
            yield "add", memory_id, added(glimpsed(memory))
        elif old is not memory and (changes := difference(old, memory)):
            yield "set", memory_id, changes
    for memory_id, memory in before.items():
        if memory_id not in after:
            yield "remove", memory_id, removed(glimpsed(memory))
