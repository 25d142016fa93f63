"""Which servers a role may ask, and when: a breaker for each, and patience with the dead.

While a server works, nothing is counted. Once its breaker has opened, a probe goes out only after the rest is over and only when
the chat has moved on by a few turns as well: so a dead server costs the same few requests at any pace of talking.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from time import monotonic

from rolememory.circuit_breaker import CircuitBreaker, State
from rolememory.llm.traffic import Spending, Traffic
from rolememory.upstream import shown

FAILURES = 3
"""In a row, then a server is left alone."""

TURNS_BETWEEN_PROBES = 4
"""3 failures and a probe every 4 turns: at most 8 requests in 20 turns, whatever the pace."""

REST_S = 30.0
LONGEST_REST_S = 3600.0  # that a server may ask for by Retry-After

_log = logging.getLogger(__name__)


class ModelServer:
    """One server. Thread-safe. Every `allows` that was true is followed by `works` or `fails`."""

    def __init__(self, base: str, turns: Callable[[], int], clock: Callable[[], float]) -> None:
        self.base = shown(base)
        self.requests = 0
        self.breaker = CircuitBreaker(self.base, limit=FAILURES, rest_s=REST_S, clock=clock)
        self._turns, self._asked_at = turns, 0

    def allows(self, *, patient: bool = True) -> bool:
        """Whether a request may go out now. `patient`: nobody waits for it, so a dead server may rest longer."""
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
        """It gave an answer that can be used."""
        if self.breaker.success():
            _log.warning("%s: answers again", self.base)

    def fails(self, reason: str, rest_s: float | None = None) -> None:
        """It did not; `rest_s`: it said itself how long it wants to be left alone."""
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
    """Every server that the roles of a home ask, who else uses the one behind the proxy, and what it costs. Thread-safe."""

    def __init__(
        self, clock: Callable[[], float] = monotonic, spending: Spending | None = None
    ) -> None:
        self.traffic, self.spending = Traffic(clock), spending or Spending()
        self._clock = clock
        self._known: dict[str, ModelServer] = {}
        self._turns = 0
        self._lock = threading.Lock()

    def turn(self) -> None:
        """Somebody said something."""
        with self._lock:
            self._turns += 1

    def at(self, base: str) -> ModelServer:
        """The server with this base URL; the same object every time."""
        with self._lock:
            if base not in self._known:
                self._known[base] = ModelServer(base, lambda: self._turns, self._clock)
            return self._known[base]

    def all(self) -> Mapping[str, ModelServer]:
        """Every server asked so far, by its base URL as it may be shown."""
        with self._lock:
            return {one.base: one for one in self._known.values()}
