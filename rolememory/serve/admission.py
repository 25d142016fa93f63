"""Admission of large requests: they are read at a pace and worked on one at a time, so that they are not what everybody else waits for."""

import asyncio
import time
from collections.abc import Hashable

LARGE = 256 * 1024  # bytes from which on a body is large
PACE = (
    4 * 2**20
)  # bytes of large bodies that are read in a second, of all together, where others ask too
REST = 5  # so many times as long as a large request was worked on the next one waits, where others ask too
OTHERS_S = 60.0  # who asked so long ago is still there
BODIES = 4  # of the largest bodies, as many as may be held at once by all requests together


class Admission:
    """What all requests of a server share: room for bodies, the pace at which large ones are read, one turn for their work."""

    def __init__(self) -> None:
        self._small = self._large = 0  # bytes that are held of either
        self._freed = asyncio.Event()
        self._paid = self._rested = 0.0  # until then, by the monotonic clock
        self._asker: Hashable = None  # who asked last with a request that is not large
        self._asked = self._before = float("-inf")  # when that was; when somebody else did
        self._turn = asyncio.Lock()

    def hold(self, size: int, most: int) -> bool:
        """Take so much of the room for small bodies; false where that is more than there is."""
        self._small += size
        return self._small <= BODIES * most

    async def reserve(self, size: int, most: int, within_s: float) -> bool:
        """Wait for so much room for large bodies and take it; false when that takes longer."""
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
        """Give room back."""
        if large:
            self._large -= size
            self._freed.set()
        else:
            self._small -= size

    def note_small(self, asker: Hashable = None) -> None:
        """A request came that is not large: large ones of others leave it time."""
        if asker != self._asker:
            self._asker, self._before = asker, self._asked
        self._asked = time.monotonic()

    async def pace(self, size: int, asker: Hashable = None) -> None:
        """Wait as long as so much of large bodies takes, where others ask too."""
        if not self.others(asker):
            return
        now = time.monotonic()
        self._paid = max(self._paid, now) + size / PACE
        await asyncio.sleep(self._paid - now)

    async def enter(
        self, within_s: float | None = None, asker: Hashable = None
    ) -> "QueueTicket | None":
        """Wait for the turn of a large request; None when that takes longer. `QueueTicket.leave` ends it."""
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
        """The turn is over."""
        self.left_after(took_s)
        self._turn.release()

    def left_after(self, took_s: float) -> None:
        """The others have the next while."""
        self._rested = time.monotonic() + REST * took_s

    def others(self, asker: Hashable = None) -> bool:
        """Whether anybody else asks what is not large."""
        asked = self._before if asker == self._asker else self._asked
        return time.monotonic() - asked < OTHERS_S


class QueueTicket:
    """The work on one large request."""

    def __init__(self, admission: Admission) -> None:
        self._admission, self._began, self._over = admission, time.monotonic(), False

    def leave(self) -> None:
        """Let the next one begin. Once is enough."""
        if not self._over:
            self._over = True
            self._admission.left(time.monotonic() - self._began)
