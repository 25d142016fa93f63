"""Request bodies, limited in size and time."""

import asyncio
import time
import zlib
from collections.abc import Awaitable, Callable, Hashable, MutableMapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rolememory.serve.admission import LARGE, Admission, QueueTicket
from rolememory.serve.http_refusal import HttpRefusal
from rolememory.text.cancellation import large_work

if TYPE_CHECKING:
    from rolememory.serve.guard import Receive

BODY_S = 60.0  # timeout of receiving a body
BUSY_S = 10.0  # timeout of waiting for memory for a large body
PACKED = ("gzip", "x-gzip", "deflate")  # supported content encodings
PIECE = 64 * 1024  # bytes decompressed per step; the size is checked after each


def too_large(most: int) -> HttpRefusal:
    """The refusal of a body of more than so many bytes."""
    size = f"{most / 2**20:g} MB"
    return HttpRefusal(413, "too_large", "more than {size}", "raise serve.max_body_mb", size=size)


_BROKEN = HttpRefusal(
    400, "packed", "the body cannot be unpacked", "send it as its Content-Encoding says, or plain"
)
_BUSY = HttpRefusal(503, "busy", "too many large requests at once", "send it again in a moment")


class Unpacked:
    """Decompresses a body in chunks, lazily."""

    def __init__(self, receive: "Receive") -> None:
        self._receive = receive
        self._unpacker = zlib.decompressobj(47)
        self._more = True  # compressed chunks to come
        self._over = False
        self._full = False  # output may remain without further input

    async def receive(self) -> MutableMapping[str, Any]:
        """The next chunk. Raises: zlib.error: invalid or truncated data."""
        if self._over:
            return await self._receive()
        packed = self._unpacker.unconsumed_tail
        if self._more and not (packed or self._full):
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            packed = message.get("body", b"")
            self._more = message.get("more_body", False)
        elif self._full:
            await asyncio.sleep(0)  # let other tasks run between chunks
        plain = b"" if self._unpacker.eof else self._unpacker.decompress(packed, PIECE)
        self._full = len(plain) == PIECE and not self._unpacker.eof
        more = self._more or self._full or bool(self._unpacker.unconsumed_tail)
        if self._unpacker.unused_data or not (more or self._unpacker.eof):
            raise zlib.error
        self._over = not more
        return {"type": "http.request", "body": plain, "more_body": more}


class Body:
    """A request body with limits of size and time; exceeding one is refused and ends the request.

    A large one waits for memory, is read at a limited rate, then queues for processing. If `may_pass`, it is
    passed on without a slot (`turn` is None) if that takes too long.
    """

    def __init__(
        self,
        receive: "Receive",
        most: int,
        refuse: Callable[[HttpRefusal], Awaitable[None]],
        within_s: float = BODY_S,
        admission: Admission | None = None,
        *,
        expected: int | None = None,
        turn_s: float = BODY_S,
        may_pass: bool = False,
        asker: Hashable = None,
    ) -> None:
        self._admission = admission or Admission()
        self.asker = asker
        self._receive = receive
        self._most = most
        self._refuse = refuse
        self._until = time.monotonic() + within_s
        self._expected = expected
        self._turn_s = turn_s
        self._may_pass = may_pass
        self._size = self._held = 0
        self._done = self.large = False
        self.turn: QueueTicket | None = None

    async def receive(self) -> MutableMapping[str, Any]:
        """The next ASGI message; `http.disconnect` if a limit was exceeded."""
        if self._done:
            return await self._receive()
        try:
            message = await asyncio.wait_for(
                self._receive(), max(self._until - time.monotonic(), 0.01)
            )
        except TimeoutError:
            return await self._over(
                HttpRefusal(408, "slow", "the body took too long", "send it in one go")
            )
        except zlib.error:
            return await self._over(_BROKEN)
        came = len(message.get("body", b""))
        self._size += came
        self._done = not message.get("more_body", False)
        if self._size > self._most:
            return await self._over(too_large(self._most))
        if not await self._has_room(came) or not await self._has_turn():
            return await self._over(_BUSY)
        return message

    def done(self) -> None:
        """Its processing has ended: the next large one may begin."""
        if self.turn:
            self.turn.leave()

    def let_go(self) -> None:
        """The request is answered: release the body's memory."""
        self.done()
        self._admission.free(self._held, large=self.large)
        self._held = 0

    async def _has_room(self, came: int) -> bool:
        """Whether there is memory for the chunk. The rest of a large body is only received if all of it fits."""
        if not self.large and max(self._size, self._expected or 0) <= LARGE:
            self._held += came
            return self._admission.hold(came, self._most)
        if not self.large:
            self._admission.free(self._held, large=False)
            self.large = True
            self._held = 0
            whole = min(self._expected or self._most, self._most)
            if not await self._admission.reserve(whole, self._most, BUSY_S):
                return False
            self._held = whole
        await self._admission.pace(came, self.asker)
        return True

    async def _has_turn(self) -> bool:
        if self._done and self.large:
            large_work(partial(self._admission.others, self.asker))
            self.turn = await self._admission.enter(self._turn_s, self.asker)
            return self.turn is not None or self._may_pass
        if self._done and self._size:
            self._admission.note_small(self.asker)
        return True

    async def _over(self, refusal: HttpRefusal) -> MutableMapping[str, Any]:
        self._done = True
        await self._refuse(refusal)
        return {"type": "http.disconnect"}
