"""What was said before and after: memories of one conversation lend each other evidence.

An answer rarely repeats its question's words; the line before it does. So a memory gains from what its neighbours
in the same sitting of the same chat have: near ones more than far ones, and the best of them once more.
"""

from bisect import bisect_left, insort
from datetime import timedelta
from math import isnan
from typing import TYPE_CHECKING

from rolememory.schema.entry import Entry
from rolememory.triggers.table import Column, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

REACH = 3  # neighbours on each side
FADING = 0.7  # of a neighbour's share with each step away
SITTING = timedelta(hours=6)  # a longer silence begins another sitting

_Place = tuple[float, int, int]
"""Where something was told in its chat: seconds, when its id came, row."""


def chat_of(entry: Entry) -> str:
    """The chat a memory rests on, or nothing."""
    evidence = getattr(entry, "evidence", ())
    return evidence[0].chat if evidence else ""


class Conversations:
    """Who stands beside whom, by row: what was told right before each in the same sitting of its chat, up to three back."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._told: dict[str, list[_Place]] = {}  # chat -> what was told there, in order
        self._back = [Column("i8", -1) for _ in range(REACH)]  # row told so many steps before

    def add(self, row: int, entry: Entry) -> None:
        """Put a row in its place. Cost: O(log n), and a move of the later ones of its chat in memory."""
        for back in self._back:
            back.grow(self._table.n_rows)
            back[row] = -1
        if chat := chat_of(entry):
            told, place = self._told.setdefault(chat, []), self._place(row)
            insort(told, place)
            self._link(told, bisect_left(told, place))

    def remove(self, row: int, entry: Entry) -> None:
        """Close the gap that a row leaves."""
        if chat := chat_of(entry):
            told = self._told[chat]
            at = bisect_left(told, self._place(row))
            del told[at]
            self._link(told, at)

    def _place(self, row: int) -> _Place:
        created = float(self._table.created[row])
        return 0.0 if isnan(created) else created, int(self._table.came[row]), row

    def _link(self, told: list[_Place], at: int) -> None:
        """Tell those from this place on, as far as it can be seen, who stands before them."""
        for place in range(at, min(at + REACH + 1, len(told))):
            row, seen = told[place][2], place
            for back in self._back:
                beside = seen > 0 and told[seen][0] - told[seen - 1][0] <= SITTING.total_seconds()
                seen = seen - 1 if beside else 0
                back[row] = told[seen][2] if beside else -1

    def lent(self, evidence: "Floats", share: float) -> "Floats":
        """What each row gets from its neighbours: `share` of their fading sum and of the best of them; (n_rows,).

        Cost: O(n_rows), some passes per step.
        """
        import numpy as np

        total, best = np.zeros_like(evidence), np.zeros_like(evidence)
        some, ending = np.flatnonzero(evidence), np.append(evidence, np.float32(0.0))
        for step, back in enumerate(self._back):
            back.grow(len(evidence))
            fading, before = np.float32(FADING**step), back.values
            said = ending[before]  # no row before: the zero at the end
            total += fading * said
            np.maximum(best, said, out=best)
            to = before[some]
            lenders, to = some[to >= 0], to[to >= 0]
            total[to] += fading * evidence[lenders]
            best[to] = np.maximum(best[to], evidence[lenders])
        return np.float32(share) * (total + best)
