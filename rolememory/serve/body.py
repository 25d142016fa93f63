"""The body of a request as it comes in: bounded in size and in time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from rolememory.serve.refusal import Refusal

if TYPE_CHECKING:
    from rolememory.serve.guard import Receive

BODY_S = 60.0  # a body must have arrived after so long


def too_large(most: int) -> Refusal:
    """The word to one who sends more than so many bytes."""
    size = f"{most / 2**20:g} MB"
    return Refusal(
        413,
        "too_large",
        (f"more than {size}", f"超过 {size}"),
        ("raise serve.max_body_mb", "可调大 serve.max_body_mb"),
    )


class Body:
    """The body of a request, with a cap on its size and on the time it takes to come; who is over it is told so and is gone."""

    def __init__(
        self,
        receive: "Receive",
        most: int,
        refuse: Callable[[Refusal], Awaitable[None]],
        within_s: float = BODY_S,
    ) -> None:
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
        self._size += len(message.get("body", b""))
        self._done = not message.get("more_body", False)
        if self._size > self._most:
            return await self._over(too_large(self._most))
        return message

    async def _over(self, refusal: Refusal) -> MutableMapping[str, Any]:
        self._done = True
        await self._refuse(refusal)
        return {"type": "http.disconnect"}
