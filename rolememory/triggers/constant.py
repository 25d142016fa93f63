"""Entries that come every turn."""

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import Scene
from rolememory.triggers.base import Parts, register

_BECAUSE = Reason("constant")


@register("constant")
class ConstantTrigger:
    """Wakes what is marked constant, always and fully. Cost: O(constant entries).

    A memory's `triggers` do not bind it: they say what else may wake it.
    """

    name: ClassVar[str] = "constant"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        del parts
        self._ids = tuple(entry.id for entry in entries if entry.constant)

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield one hit of strength 1 per constant entry."""
        del scene
        return (Hit(entry_id, self.name, 1.0, _BECAUSE) for entry_id in self._ids if entry_id in among)
