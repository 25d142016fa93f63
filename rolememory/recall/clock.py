"""The story's clock: user turns, not days. A story that rests for a month has not aged."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from rolememory.text.arrays import Doubles, np

KEPT_TURNS = 5_000  # older ones are only counted


class StoryClock:
    """When the turns of a timeline were, newest last.

    >>> clock = StoryClock([datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 20)])
    >>> clock.turn, clock.at(datetime(2026, 5, 2, 12, tzinfo=UTC))
    (3, 2)
    """

    def __init__(self, moments: Iterable[datetime] = (), before: int = 0) -> None:
        self._seconds = array("d", sorted(moment.timestamp() for moment in moments))
        self._before = before

    @property
    def turn(self) -> int:
        """How many turns there have been."""
        return self._before + len(self._seconds)

    @property
    def first(self) -> int:
        """The number of the oldest turn that is not only counted."""
        return self._before + 1

    def at(self, moment: datetime) -> int:
        """How many turns there had been at that moment."""
        return self._before + bisect_right(self._seconds, moment.timestamp())

    def turns(self, seconds: Doubles) -> Doubles:
        """How many turns there had been at each of these moments, in seconds since 1970; shape kept."""
        found = np.searchsorted(np.array(self._seconds), seconds, side="right")
        return (self._before + found).astype(np.float64)

    def tick(self, moment: datetime) -> None:
        """Count a turn. A moment before the last one counts as the last: the clock never runs back."""
        now = moment.timestamp()
        self._seconds.append(max(now, self._seconds[-1]) if self._seconds else now)
        if len(self._seconds) > 2 * KEPT_TURNS:
            self._before += len(self._seconds) - KEPT_TURNS
            del self._seconds[:-KEPT_TURNS]

    def kept(self) -> dict[str, float]:
        """The turns that are not only counted: seconds since 1970 by the number of the turn."""
        return {str(turn): round(at, 3) for turn, at in enumerate(self._seconds, self._before + 1)}

    @property
    def newest(self) -> dict[str, float]:
        """The newest of `kept`."""
        return {str(self.turn): round(self._seconds[-1], 3)} if self._seconds else {}

    @classmethod
    def of(cls, kept: Mapping[str, object]) -> "StoryClock":
        """The clock of which `kept` told."""
        told = {int(turn): at for turn, at in kept.items() if turn.isdigit()}
        turns = [at for _, at in sorted(told.items()) if isinstance(at, int | float)]
        return cls((datetime.fromtimestamp(at, UTC) for at in turns), min(told, default=1) - 1)
