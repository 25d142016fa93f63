"""The story's clock: counts user turns, not days, so a story paused for a month does not age."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from rolememory.text.arrays import Doubles, np

KEPT_TURNS = 5_000  # older ones are only counted


class StoryClock:
    """The times of a timeline's turns, newest last.

    >>> clock = StoryClock([datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 20)])
    >>> clock.turn, clock.at(datetime(2026, 5, 2, 12, tzinfo=UTC))
    (3, 2)
    """

    def __init__(self, moments: Iterable[datetime] = (), before: int = 0) -> None:
        self._seconds = array("d", sorted(moment.timestamp() for moment in moments))
        self._before = before

    @property
    def turn(self) -> int:
        """Number of turns."""
        return self._before + len(self._seconds)

    @property
    def first(self) -> int:
        """The number of the oldest turn whose time is kept."""
        return self._before + 1

    def at(self, moment: datetime) -> int:
        """Number of turns up to that time."""
        return self._before + bisect_right(self._seconds, moment.timestamp())

    def turns(self, seconds: Doubles) -> Doubles:
        """Number of turns up to each of these times, in seconds since 1970; shape kept."""
        found = np.searchsorted(np.array(self._seconds), seconds, side="right")
        return (self._before + found).astype(np.float64)

    def tick(self, moment: datetime) -> None:
        """Count a turn. A time before the last one counts as the last: the clock is monotonic."""
        now = moment.timestamp()
        self._seconds.append(max(now, self._seconds[-1]) if self._seconds else now)
        if len(self._seconds) > 2 * KEPT_TURNS:
            self._before += len(self._seconds) - KEPT_TURNS
            del self._seconds[:-KEPT_TURNS]

    def kept(self) -> dict[str, float]:
        """The kept times: turn number -> seconds since 1970."""
        return {str(turn): round(at, 3) for turn, at in enumerate(self._seconds, self._before + 1)}

    @property
    def newest(self) -> dict[str, float]:
        """The newest of `kept`."""
        return {str(self.turn): round(self._seconds[-1], 3)} if self._seconds else {}

    @classmethod
    def of(cls, kept: Mapping[str, object]) -> "StoryClock":
        """The clock from the value of `kept`."""
        told = {int(turn): at for turn, at in kept.items() if turn.isdigit()}
        turns = [at for _, at in sorted(told.items()) if isinstance(at, int | float)]
        return cls((datetime.fromtimestamp(at, UTC) for at in turns), min(told, default=1) - 1)
