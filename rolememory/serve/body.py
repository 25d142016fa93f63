"""The body of a request as it comes in: bounded in size and in time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from rolememory.serve.refusal import Refusal

if TYPE_CHECKING:
    from rolememory.serve.guard import Receive

BODY_S = 60.0  # a body must have arrived after so long
BODIES = 4  # of the largest bodies, as many as may be held at once by all requests together


def too_large(most: int) -> Refusal:
    """The word to one who sends more than so many bytes."""
    size = f"{most / 2**20:g} MB"
    return Refusal(
        413,
        "too_large",
        (f"more than {size}", f"超过 {size}"),
        ("raise serve.max_body_mb", "可调大 serve.max_body_mb"),
    )


_BUSY = Refusal(
    503,
    "busy",
    ("too many large requests at once", "同时到来的大请求太多"),
    ("send it again in a moment", "请稍后再发"),
)


class Held:
    """How much of all bodies together is in memory: many slow large ones must not fill it."""

    def __init__(self) -> None:
        self.size = 0


class Body:
    """The body of a request, with a cap on its size and on the time it takes to come; who is over it is told so and is gone."""

    def __init__(
        self,
        receive: "Receive",
        most: int,
        refuse: Callable[[Refusal], Awaitable[None]],
        within_s: float = BODY_S,
        held: Held | None = None,
    ) -> None:
        self._held = held or Held()
        self._receive, self._most, self._refuse, self._size, self._done = (
            receive,
            most,
            refuse,
            0,
            False,
        )
        self._until = time.monotonic() + within_s

    async def receive(self) -> MutableMapping[str, Any]:
        """The next piece; as if the other side had hung up when there is too much or it takes too long."""
        if self._done:
            return await self._receive()
        try:
            message = await asyncio.wait_for(
                self._receive(), max(self._until - time.monotonic(), 0.01)
            )
        except TimeoutError:
            return await self._over(
                Refusal(
                    408,
                    "slow",
                    ("the body took too long", "请求内容来得太慢"),
                    ("send it in one go", "请一次发完"),
                )
            )
        came = len(message.get("body", b""))
        self._size += came
        self._held.size += came
        self._done = not message.get("more_body", False)
        if self._size > self._most:
            return await self._over(too_large(self._most))
        if self._held.size > BODIES * self._most:
            return await self._over(_BUSY)
        return message

    def let_go(self) -> None:
        """The request is answered: its body is held no longer."""
        self._held.size -= self._size
        self._size = 0

    async def _over(self, refusal: Refusal) -> MutableMapping[str, Any]:
        self._done = True
        await self._refuse(refusal)
        return {"type": "http.disconnect"}
