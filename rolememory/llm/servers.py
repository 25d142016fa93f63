"""The model servers of a home, with a circuit breaker for each.

While a server works, nothing is counted. Once its breaker is open, a probe is sent only after the rest is over and the chat
has moved on by a few turns: so a dead server costs the same few requests at any pace of chatting.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from time import monotonic

from rolememory.circuit_breaker import CircuitBreaker, State
from rolememory.llm.traffic import Spending, Traffic
from rolememory.upstream import shown

FAILURES = 3
"""Failures in a row that open the breaker."""

TURNS_BETWEEN_PROBES = 4
"""3 failures and a probe every 4 turns: at most 8 requests in 20 turns, whatever the pace."""

REST_S = 30.0
LONGEST_REST_S = 3600.0  # limit for Retry-After

_log = logging.getLogger(__name__)


class ModelServer:
    """One server. Thread-safe. Every `allows` that returned true is followed by `works` or `fails`."""

    def __init__(self, base: str, turns: Callable[[], int], clock: Callable[[], float]) -> None:
        self.base = shown(base)
        self.requests = 0
        self.breaker = CircuitBreaker(self.base, limit=FAILURES, rest_s=REST_S, clock=clock)
        self._turns = turns
        self._asked_at = 0

    def allows(self, *, patient: bool = True) -> bool:
        """Whether a request may be sent now. `patient`: nobody is waiting, so a failing server is skipped for longer."""
        if (
            patient
            and self.breaker.state is State.FAILED
            and self._turns() - self._asked_at < TURNS_BETWEEN_PROBES
        ):
            return False
        if not self.breaker.allows():
            return False
        self._asked_at = self._turns()
        self.requests += 1
        return True

    def works(self) -> None:
        """Record a usable answer."""
        if self.breaker.success():
            _log.warning("%s: answers again", self.base)

    def fails(self, reason: str, rest_s: float | None = None) -> None:
        """Record a failure; `rest_s`: seconds the server asked for (Retry-After)."""
        begins = (
            self.breaker.failure(reason)
            if rest_s is None
            else self.breaker.trip(reason, min(max(rest_s, REST_S), LONGEST_REST_S))
        )
        if begins:
            _log.warning(
                "%s: %s; it is left alone for a while, what is to be learned waits",
                self.base,
                reason,
            )


class ModelServers:
    """Every server that the roles of a home ask, traffic on the proxy's model, and costs. Thread-safe."""

    def __init__(
        self, clock: Callable[[], float] = monotonic, spending: Spending | None = None
    ) -> None:
        self.traffic = Traffic(clock)
        self.spending = spending or Spending()
        self._clock = clock
        self._known: dict[str, ModelServer] = {}
        self._turns = 0
        self._lock = threading.Lock()

    def turn(self) -> None:
        """Count one turn of a chat."""
        with self._lock:
            self._turns += 1

    def at(self, base: str) -> ModelServer:
        """The server with this base URL; the same object every time."""
        with self._lock:
            if base not in self._known:
                self._known[base] = ModelServer(base, lambda: self._turns, self._clock)
            return self._known[base]

    def all(self) -> Mapping[str, ModelServer]:
        """Every server asked so far, by its base URL without credentials."""
        with self._lock:
            return {one.base: one for one in self._known.values()}
