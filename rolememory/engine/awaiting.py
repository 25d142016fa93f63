"""The same calls for async code, done on a thread."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Args = ParamSpec("Args")
Given = TypeVar("Given")


def aio(call: Callable[Args, Given]) -> Callable[Args, Awaitable[Given]]:
    """Make any call awaitable, done on a thread.

    turn = await aio(mira.recall)(messages)
    """

    @wraps(call)
    async def awaited(*args: Args.args, **kwargs: Args.kwargs) -> Given:
        import asyncio

        return await asyncio.to_thread(call, *args, **kwargs)

    return awaited
