"""What was said before and after: memories of one conversation lend each other evidence.

An answer rarely repeats its question's words; the line before it does. So a memory gains from what its neighbours
in the same sitting of the same chat have: near ones more than far ones, and the best of them once more.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from rolememory.schema.entry import Entry
from rolememory.schema.memory import Memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

REACH = 3  # neighbours on each side
FADING = 0.7  # of a neighbour's share with each step away
SITTING = timedelta(hours=6)  # a longer silence begins another sitting


def chat_of(entry: Entry) -> str:
    """The chat a memory rests on, or nothing."""
    return entry.evidence[0].chat if isinstance(entry, Memory) and entry.evidence else ""


def told(entries: Sequence[Entry]) -> list[Entry]:
    """The entries in the order they were told: chat by chat, oldest first, else as they came."""
    return [entry for *_, entry in sorted(_places(entries), key=lambda place: place[:3])]


def _places(entries: Sequence[Entry]) -> list[tuple[str, float, int, Entry]]:
    return [(chat_of(entry), _stamp(entry), at, entry) for at, entry in enumerate(entries)]


def _stamp(entry: Entry) -> float:
    created: datetime | None = getattr(entry, "created", None)
    return created.timestamp() if created else 0.0


class Conversations:
    """Who stands beside whom, for entries in the order of `told`. Read-only after it is built."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        import numpy as np

        if not entries:
            self._beside: list[Floats] = []
            return
        chats = [chat_of(entry) for entry in entries]
        stamps = np.array([_stamp(entry) for entry in entries])
        follows = np.array([bool(a) and a == b for a, b in pairwise(chats)], dtype=bool)
        sitting = np.concatenate([[0], np.cumsum(~(follows & (np.diff(stamps) <= SITTING.total_seconds())))])
        together = [sitting[step:] == sitting[:-step] for step in range(1, min(REACH, len(entries) - 1) + 1)]
        self._beside = [beside.astype(np.float32) for beside in together if beside.any()]

    def lent(self, evidence: "Floats", share: float) -> "Floats":
        """What each entry gets from its neighbours: `share` of their fading sum and of the best of them; (n_entries,).

        Cost: O(n_entries), two passes per step.
        """
        import numpy as np

        total, best = np.zeros_like(evidence), np.zeros_like(evidence)
        for step, beside in enumerate(self._beside, start=1):
            before, after = evidence[:-step] * beside, evidence[step:] * beside
            fading = np.float32(FADING ** (step - 1))
            total[step:] += fading * before
            total[:-step] += fading * after
            np.maximum(best[step:], before, out=best[step:])
            np.maximum(best[:-step], after, out=best[:-step])
        return np.float32(share) * (total + best)
