"""Entries that are recalled every turn."""

from collections.abc import Sequence
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Reason
from rolememory.schema.scene import Scene
from rolememory.text.arrays import Mask
from rolememory.triggers.base import ByRows, Parts, register
from rolememory.triggers.table import TableEvidence

_BECAUSE = Reason("constant")


@register("constant")
class ConstantTrigger(ByRows):
    """Activates entries marked constant, with strength 1. Cost: O(constant entries).

    Ignores a memory's `triggers`, which name the other strategies that may activate it.
    """

    name: ClassVar[str] = "constant"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        super().__init__(entries, parts)
        self._rows: set[int] = set()
        self._listen()

    def add(self, rows: Sequence[int]) -> None:
        """Note which of these are constant."""
        special = self.table.special(rows)
        self._rows.update(row for row in special if self.table.entry(row).constant)

    def remove(self, rows: Sequence[int]) -> None:
        """Forget these rows."""
        self._rows.difference_update(rows)

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Strength 1 for each constant entry."""
        del scene
        return TableEvidence.of([(row, 1.0, _BECAUSE) for row in self._rows if among[row]])
