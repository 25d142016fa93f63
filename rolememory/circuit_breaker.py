"""A circuit breaker for every dependency that may be down: uninitialised, ready, failed, half-open.

A closed breaker lets calls through; after `limit` failures in a row it opens and lets nothing through until
`rest_s` has passed, then exactly one probe; the probe decides. Source: M. Nygard, "Release It!" (the pattern).
"""

import threading
from collections.abc import Callable
from enum import StrEnum
from time import monotonic


class State(StrEnum):
    """The state of a dependency."""

    UNINITIALISED = "uninitialised"
    READY = "ready"
    FAILED = "failed"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """Guards one dependency. Thread-safe; `clock` gives seconds and may be replaced in tests.

    >>> breaker = CircuitBreaker("model", limit=2)
    >>> [breaker.failure("no file"), breaker.failure("no file"), breaker.allows()]
    [False, True, False]
    """

    def __init__(
        self,
        name: str,
        *,
        limit: int = 5,
        rest_s: float = 30.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.name = name
        self.reason = ""
        self._limit, self._rest_s, self._clock = limit, rest_s, clock
        self._state = State.UNINITIALISED
        self._failures = 0
        self._opened_at = 0.0
        self._resting_s = rest_s  # of the current open period
        self._lock = threading.Lock()

    @property
    def state(self) -> State:
        """The current state."""
        return self._state

    @property
    def rests(self) -> bool:
        """Whether the breaker is open: no calls except a probe."""
        return self._state in (State.FAILED, State.HALF_OPEN)

    def allows(self) -> bool:
        """Whether a call may be made now; after `rest_s`, true for one probe only."""
        with self._lock:
            if self._state is State.FAILED and self._clock() - self._opened_at >= self._resting_s:
                self._state = State.HALF_OPEN
                return True
            return self._state in (State.UNINITIALISED, State.READY)

    def success(self) -> bool:
        """Record a successful call; true if this closed the breaker (log it once)."""
        with self._lock:
            rested = self.rests
            self._state, self._failures, self.reason = State.READY, 0, ""
            return rested

    def failure(self, reason: str) -> bool:
        """Record a failed call; true if this opened the breaker (log it once), false if a probe failed as well."""
        with self._lock:
            self._failures += 1
            self.reason = reason
            begins = self._failures >= self._limit and not self.rests
            if begins or self._state is State.HALF_OPEN:
                self._open(self._rest_s)
            return begins

    def trip(self, reason: str, rest_s: float | None = None) -> bool:
        """Open at once, without waiting for `limit` failures: for permanent errors, or if the server said when to retry."""
        with self._lock:
            begins, self.reason = not self.rests, reason
            self._open(self._rest_s if rest_s is None else rest_s)
            return begins

    def _open(self, rest_s: float) -> None:
        self._state, self._opened_at, self._resting_s = State.FAILED, self._clock(), rest_s
