"""Sharing the proxy's model: chats have priority, learning runs when it is idle. And token costs per day."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from time import monotonic

from rolememory.storage.in_memory import InMemorySpace
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog

KEPT_DAYS = 31


class Traffic:
    """Who uses the model behind the proxy. Thread-safe; `clock` gives seconds.

    `model` is the one a chat asked for last, `turned_away` how often learning was refused or cancelled.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.model = ""
        self.turned_away = 0
        self._clock = clock
        self._chats = 0
        self._last = clock()
        self._cut: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._learning = threading.Lock()

    def begins(self) -> None:
        """A chat needs the model: cancel the current request of learning."""
        with self._lock:
            self._chats += 1
            cut = self._cut
            self._cut = None
            self.turned_away += cut is not None
        if cut is not None:
            cut()

    def ends(self) -> None:
        """The chat has its answer."""
        with self._lock:
            self._chats -= 1
            self._last = self._clock()

    @property
    def busy(self) -> bool:
        """Whether a chat is being answered."""
        return self._chats > 0

    def wait_s(self, idle_s: float) -> float:
        """Seconds until learning may ask, if no chat does meanwhile."""
        with self._lock:
            return idle_s if self._chats else max(self._last + idle_s - self._clock(), 0.0)

    @contextmanager
    def given(self, idle_s: float, cut: Callable[[], None]) -> Iterator[bool]:
        """Yield whether learning may send one request (the model is idle); one at a time. `cut` is called when a chat needs it."""
        with self._learning:
            free = self.wait_s(idle_s) <= 0.0
            with self._lock:
                free = free and not self._chats
                self._cut = cut if free else None
                self.turned_away += not free
            try:
                yield free
            finally:
                self._cut = None


class Spending:
    """Requests and tokens of learning, by day. Thread-safe; kept in `state/spending` of the home, if there is one."""

    def __init__(self, space: Space | None = None, today: Callable[[], date] = date.today) -> None:
        self._state = StateLog(space or InMemorySpace(), "spending")
        self._today = today
        self._lock = threading.Lock()

    def add(self, tokens: int) -> None:
        """Count one request; `tokens` of question and answer together."""
        with self._lock:
            days = self.days()
            calls, sum_ = days.get(self._now, (0, 0))
            gone = sorted({*days, self._now})[:-KEPT_DAYS]
            self._state.put("days", {**dict.fromkeys(gone), self._now: [calls + 1, sum_ + tokens]})

    def days(self) -> Mapping[str, tuple[int, int]]:
        """Requests and tokens of the last `KEPT_DAYS` days, by date."""
        rows = sorted(self._state.of("days").items())
        return {day: tuple(row) for day, row in rows if isinstance(row, list) and len(row) == 2}

    def today(self) -> tuple[int, int]:
        """Requests and tokens of today."""
        return self.days().get(self._now, (0, 0))

    def close(self) -> None:
        """Write pending records."""
        self._state.close()

    @property
    def _now(self) -> str:
        return self._today().isoformat()
