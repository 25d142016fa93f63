"""The difference between two states of a role's memories."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.value_class import value_class
from rolememory.storage.codec import difference
from rolememory.storage.memories import Snapshot


@value_class
class MemoryChange:
    """An added, removed or changed memory."""

    did: Literal["added", "removed", "changed"]
    id: str
    content: str  # the current one, or the last
    fields: Mapping[str, list[Any]] = field(default_factory=dict)  # if changed


def changed_between(before: Snapshot, after: Snapshot) -> tuple[MemoriesById, MemoriesById]:
    """The memories that may differ between two states of a store: in the first, in the second, those changed last first.

    Cost: O(changed), or O(memories) if what changed is no longer known.
    """
    states = (before.memories, after.memories)
    known = after.changes.since(before.mark)
    if known is None:
        return dict(states[0].items()), dict(states[1].items())
    touched = dict.fromkeys(reversed(known))
    first, second = ({one: here[one] for one in touched if one in here} for here in states)
    return first, second


def changes(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> Iterator[MemoryChange]:
    """Added, then removed, then changed memories, the latter with the fields that differ: before, after."""
    for name, memory in after.items():
        if name not in before:
            yield MemoryChange("added", name, memory.content)
    for name, memory in before.items():
        if name not in after:
            yield MemoryChange("removed", name, memory.content)
    for name, memory in after.items():
        was = before.get(name, memory)
        if was is not memory and (fields := difference(was, memory)):
            yield MemoryChange("changed", name, memory.content, fields)
