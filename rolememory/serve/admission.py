"""Admission control of large requests: throttled reading, processed one at a time, so that they do not delay others."""

import asyncio
import time
from collections.abc import Hashable

LARGE = 256 * 1024  # bytes; bodies of at least this size are large
PACE = (
    4 * 2**20
)  # bytes per second at which all large bodies together are read while there are other clients
REST = 5  # pause after a large request, as a multiple of its processing time, while there are other clients
OTHERS_S = 60.0  # a client counts as active for so long after a request
BODIES = 4  # memory for bodies of all requests together, in bodies of the maximum size


class Admission:
    """Limits shared by all requests: memory for bodies, the rate of reading large ones, a queue for processing them."""

    def __init__(self) -> None:
        self._small = self._large = 0  # bytes held of each kind
        self._freed = asyncio.Event()
        self._paid = self._rested = 0.0  # busy until, by the monotonic clock
        self._asker: Hashable = None  # client of the last small request
        self._asked = self._before = float("-inf")  # its time; the time of another client's
        self._turn = asyncio.Lock()

    def hold(self, size: int, most: int) -> bool:
        """Reserve memory for a small body; false if there is not enough."""
        self._small += size
        return self._small <= BODIES * most

    async def reserve(self, size: int, most: int, within_s: float) -> bool:
        """Reserve memory for a large body, waiting for it; false on timeout."""
        try:
            async with asyncio.timeout(within_s):
                while self._large + size > BODIES * most:
                    self._freed.clear()
                    await self._freed.wait()
        except TimeoutError:
            return False
        self._large += size
        return True

    def free(self, size: int, *, large: bool) -> None:
        """Release reserved memory."""
        if large:
            self._large -= size
            self._freed.set()
        else:
            self._small -= size

    def note_small(self, asker: Hashable = None) -> None:
        """Record a small request: large ones of other clients yield to it."""
        if asker != self._asker:
            self._asker = asker
            self._before = self._asked
        self._asked = time.monotonic()

    async def pace(self, size: int, asker: Hashable = None) -> None:
        """Throttle reading so many bytes of a large body, while there are other clients."""
        if not self.others(asker):
            return
        now = time.monotonic()
        self._paid = max(self._paid, now) + size / PACE
        await asyncio.sleep(self._paid - now)

    async def enter(
        self, within_s: float | None = None, asker: Hashable = None
    ) -> "QueueTicket | None":
        """Queue a large request until it may be processed; None on timeout. `QueueTicket.leave` ends it."""
        try:
            async with asyncio.timeout(within_s):
                await self._turn.acquire()
                try:
                    while (rest := self._rested - time.monotonic()) > 0 and self.others(asker):
                        await asyncio.sleep(min(rest, OTHERS_S))
                except asyncio.CancelledError:
                    self._turn.release()
                    raise
        except TimeoutError:
            return None
        return QueueTicket(self)

    def left(self, took_s: float) -> None:
        """End the processing of a large request."""
        self.left_after(took_s)
        self._turn.release()

    def left_after(self, took_s: float) -> None:
        """Start the pause for other clients."""
        self._rested = time.monotonic() + REST * took_s

    def others(self, asker: Hashable = None) -> bool:
        """Whether another client is active with small requests."""
        asked = self._before if asker == self._asker else self._asked
        return time.monotonic() - asked < OTHERS_S


class QueueTicket:
    """The processing slot of a large request."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._began = time.monotonic()
        self._over = False

    def leave(self) -> None:
        """Let the next one begin. Idempotent."""
        if not self._over:
            self._over = True
            self._admission.left(time.monotonic() - self._began)
