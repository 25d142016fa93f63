"""Candidates of recall: memories and passages as one mapping, without copies."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from itertools import compress
from operator import is_not
from typing import TypeVar

from rolememory.schema.entry import Entry
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.passage import Passage
from rolememory.text.change_log import ChangeLog, VersionedDict
from rolememory.triggers.table import Table

Entries = TypeVar("Entries", bound=Entry)
Changes = tuple[list[Memory], list[str]]
"""What is new or changed, and the ids that are gone."""


class Candidates(Mapping[str, Memory]):
    """Memories and passages; if both have an id, the passage. Passages may be added later."""

    def __init__(
        self,
        memories: MemoriesById,
        passages: VersionedDict[Passage],
        version: int | None = None,  # of the passages, where they are taken for earlier ones
        written: tuple[ChangeLog[str], int] | None = None,  # changes of memories, how far they went
    ) -> None:
        self.memories, self.passages = memories, passages
        self.version = passages.version if version is None else version
        self.written = written

    def are(self, memories: MemoriesById, passages: VersionedDict[Passage]) -> bool:
        """Whether these are the current memories and passages."""
        same = self.memories is memories and self.passages is passages
        return same and self.version == passages.version

    def since(self, before: "Candidates") -> list[str] | None:
        """The ids possibly added, changed or removed; None if unknown. Cost: O(changed), O(memories) without a log."""
        said = self.passages.since(before.version) if self.passages is before.passages else None
        if said is None:
            return None
        noted = self._noted(before)
        if noted is None:
            fresh, gone = between(before.memories, self.memories)
            noted = [*(one.id for one in fresh), *gone]
        return [*dict.fromkeys((*noted, *said))]

    def _noted(self, before: "Candidates") -> list[str] | None:
        """The ids of memories written since; None without a log, or if these are the older ones."""
        if self.written is None or before.written is None:
            return None
        (log, own), (known, mark) = self.written, before.written
        return log.since(mark) if log is known and own >= mark else None

    def items(self) -> ItemsView[str, Memory]:
        """A copy of all items. Cost: O(n)."""
        return {**dict(self.memories.items()), **dict(self.passages.items())}.items()

    def values(self) -> ValuesView[Memory]:
        """A copy of all values. Cost: O(n)."""
        return dict(self.items()).values()

    def __getitem__(self, one: str) -> Memory:
        return self.passages[one] if one in self.passages else self.memories[one]

    def __contains__(self, one: object) -> bool:
        return one in self.passages or one in self.memories

    def __len__(self) -> int:
        return len(self.passages) + sum(one not in self.passages for one in self.memories)

    def __iter__(self) -> Iterator[str]:
        yield from (one for one in self.memories if one not in self.passages)
        yield from self.passages


def changed(before: Mapping[str, Entries], after: Mapping[str, Entries]) -> list[str] | None:
    """The ids that may differ; None if unknown. Cost: O(changed), O(memories) if one of those changed."""
    if isinstance(before, Candidates) and isinstance(after, Candidates):
        return after.since(before)
    if isinstance(before, Candidates) or isinstance(after, Candidates):
        return None
    fresh, gone = between(before, after)
    return [*(one.id for one in fresh), *gone]


def differences(before: MemoriesById, after: MemoriesById, table: Table) -> Changes:
    """The changes that update a table from `before` to `after`. Cost: as `changed`, else O(n)."""
    if not table.row_of:
        return list(after.values()), []
    ids = changed(before, after)
    return _changes([*dict.fromkeys((*after, *table.row_of))] if ids is None else ids, after, table)


def _changes(ids: Iterable[str], after: MemoriesById, table: Table) -> Changes:
    fresh, gone = list[Memory](), list[str]()
    for one in ids:
        row, memory = table.row_of.get(one), after.get(one)
        if memory is None:
            gone += [one] if row is not None else []
        elif row is None or table.entry(row) is not memory:
            fresh.append(memory)
    return fresh, gone


def between(
    before: Mapping[str, Entries], after: Mapping[str, Entries]
) -> tuple[list[Entries], list[str]]:
    """What differs between two mappings. Cost: O(memories), some ns each where nothing else is gone."""
    if before is after:
        return [], []
    old, new = [*before.values()], [*after.values()]
    if old == new[: len(old)]:  # most changes only add
        return new[len(old) :], []
    differs = list(map(is_not, old, new))
    if len(new) >= len(old) and [*compress(after, differs)] == [*compress(before, differs)]:
        return [*compress(new, differs), *new[len(old) :]], []
    fresh = [memory for one, memory in after.items() if before.get(one) is not memory]
    return fresh, [one for one in before if one not in after]
