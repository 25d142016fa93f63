"""Uninitialised, ready, failed, half-open: one small machine for every dependency that may be down.

A closed breaker lets calls through; after `limit` failures in a row it opens and lets nothing through until
`rest_s` has passed, then exactly one probe; the probe decides. Source: M. Nygard, "Release It!" (the pattern).
"""

import threading
from collections.abc import Callable
from enum import StrEnum
from time import monotonic


class State(StrEnum):
    """What a dependency is good for now."""

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
        self._resting_s = rest_s  # of the rest it is in
        self._lock = threading.Lock()

    @property
    def state(self) -> State:
        """Where it stands now."""
        return self._state

    @property
    def rests(self) -> bool:
        """Whether it is left alone, but for a probe."""
        return self._state in (State.FAILED, State.HALF_OPEN)

    def allows(self) -> bool:
        """Whether a call may go out now; after the rest, true for one probe only."""
        with self._lock:
            if self._state is State.FAILED and self._clock() - self._opened_at >= self._resting_s:
                self._state = State.HALF_OPEN
                return True
            return self._state in (State.UNINITIALISED, State.READY)

    def success(self) -> bool:
        """Tell that a call worked; true when this ended a rest (log it once)."""
        with self._lock:
            rested = self.rests
            self._state, self._failures, self.reason = State.READY, 0, ""
            return rested

    def failure(self, reason: str) -> bool:
        """Tell that a call failed; true when this began a rest (log it once), false when a probe failed as well."""
        with self._lock:
            self._failures += 1
            self.reason = reason
            begins = self._failures >= self._limit and not self.rests
            if begins or self._state is State.HALF_OPEN:
                self._open(self._rest_s)
            return begins

    def trip(self, reason: str, rest_s: float | None = None) -> bool:
        """Open at once, without waiting for `limit` failures: what failed will not mend itself, or has said when to come back."""
        with self._lock:
            begins, self.reason = not self.rests, reason
            self._open(self._rest_s if rest_s is None else rest_s)
            return begins

    def _open(self, rest_s: float) -> None:
        self._state, self._opened_at, self._resting_s = State.FAILED, self._clock(), rest_s
