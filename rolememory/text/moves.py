"""Which ids lie elsewhere in an index since when: a reader follows it without asking for every id again."""

_KEPT = 4096


class Moves:
    """A log of the ids whose row changed its meaning; the newest are kept.

    >>> moves = Moves()
    >>> moves.note("a"); moves.note("b")
    >>> moves.version, moves.since(1), moves.since(7)
    (2, ['b'], [])
    """

    def __init__(self) -> None:
        self.version = 0
        self._ids: list[str] = []

    def note(self, entry_id: str) -> None:
        """The row of this id is another one, or holds something else."""
        self._ids.append(entry_id)
        self.version += 1
        if len(self._ids) > 2 * _KEPT:
            del self._ids[:-_KEPT]

    def all(self) -> None:
        """Every row may be another one."""
        self._ids.clear()
        self.version += 1

    def since(self, version: int) -> list[str] | None:
        """The ids that moved after that version; None where that is not known any more: ask for all."""
        behind = self.version - version
        return None if behind > len(self._ids) else self._ids[len(self._ids) - max(behind, 0) :]
