"""What came, went and changed between two states of a role's memories."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from rolememory.schema.memory import Memory
from rolememory.schema.value_class import value_class
from rolememory.storage.codec import difference


@value_class
class MemoryChange:
    """One memory that came, went or changed."""

    did: Literal["added", "removed", "changed"]
    id: str
    content: str  # as it is now, or was
    fields: Mapping[str, list[Any]] = field(default_factory=dict)  # of a changed one


def changes(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> Iterator[MemoryChange]:
    """First what came, then what went, then what is another, each with the fields that differ: before, after."""
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
