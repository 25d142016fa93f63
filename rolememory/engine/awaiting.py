"""The same calls for async code, each done on a thread: any call by `aio`, a home and its roles by `AsyncHome`.

async with AsyncHome.open("memories") as home:
    mira = await home.role("mira", create=True)
    turn = await mira.recall("Why is the beacon dark?")
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from rolememory.engine.home import Home
from rolememory.engine.role import RoleMemory
from rolememory.storage.port import Storage
from rolememory.text.embed.base import Embedder

Args = ParamSpec("Args")
Given = TypeVar("Given")
_OfHome = Callable[Concatenate["AsyncHome", Args], Awaitable[Given]]
_OfRole = Callable[Concatenate["AsyncRoleMemory", Args], Awaitable[Given]]


def aio(call: Callable[Args, Given]) -> Callable[Args, Awaitable[Given]]:
    """Make any call awaitable, done on a thread.

    turn = await aio(mira.recall)(messages)
    """

    @wraps(call)
    async def awaited(*args: Args.args, **kwargs: Args.kwargs) -> Given:
        return await asyncio.to_thread(call, *args, **kwargs)

    return awaited


def _of_home(call: Callable[Concatenate[Home, Args], Given]) -> _OfHome[Args, Given]:
    @wraps(call)
    async def awaited(self: "AsyncHome", /, *args: Args.args, **kwargs: Args.kwargs) -> Given:
        return await asyncio.to_thread(call, self.sync, *args, **kwargs)

    return awaited


def _of_role(call: Callable[Concatenate[RoleMemory, Args], Given]) -> _OfRole[Args, Given]:
    @wraps(call)
    async def awaited(self: "AsyncRoleMemory", /, *args: Args.args, **kwargs: Args.kwargs) -> Given:
        return await asyncio.to_thread(call, self.sync, *args, **kwargs)

    return awaited


class AsyncRoleMemory:
    """A `RoleMemory` whose calls are awaited; `sync` is the one behind it. Made by `AsyncHome.role`."""

    def __init__(self, sync: RoleMemory) -> None:
        self.sync, self.id = sync, sync.id

    recall = _of_role(RoleMemory.recall)
    search = _of_role(RoleMemory.search)
    observe = _of_role(RoleMemory.observe)
    learned = _of_role(RoleMemory.learned)
    ready = _of_role(RoleMemory.ready)
    remember = _of_role(RoleMemory.remember)
    remember_all = _of_role(RoleMemory.remember_all)
    edit = _of_role(RoleMemory.edit)
    keep = _of_role(RoleMemory.keep)
    archive = _of_role(RoleMemory.archive)
    delete = _of_role(RoleMemory.delete)
    undo = _of_role(RoleMemory.undo)
    history = _of_role(RoleMemory.history)
    waiting = _of_role(RoleMemory.waiting)
    refused = _of_role(RoleMemory.refused)
    accept = _of_role(RoleMemory.accept)
    reject = _of_role(RoleMemory.reject)
    forget = _of_role(RoleMemory.forget)
    clean = _of_role(RoleMemory.clean)
    backup = _of_role(RoleMemory.backup)
    restore = _of_role(RoleMemory.restore)
    export = _of_role(RoleMemory.export)
    stats = _of_role(RoleMemory.stats)
    problems = _of_role(RoleMemory.problems)

    def __repr__(self) -> str:
        return f"<Async{repr(self.sync)[1:]}"


class AsyncHome:
    """A `Home` whose calls are awaited; `sync` is the one behind it. Use it with `async with`."""

    def __init__(self, sync: Home) -> None:
        self.sync = sync

    @classmethod
    def open(
        cls,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """As `Home.open`: it reads a few small files."""
        return cls(Home.open(storage, settings, embedder))

    async def role(self, name: str, *, create: bool = False) -> AsyncRoleMemory:
        """The role with this UUID, name or alias. `create`: where nobody answers to it, a new one. Raises: as `Home.role`."""
        return AsyncRoleMemory(await asyncio.to_thread(self.sync.role, name, create=create))

    roles = _of_home(Home.roles)
    users = _of_home(Home.users)
    bring = _of_home(Home.bring)
    forget = _of_home(Home.forget)
    close = _of_home(Home.close)

    def __repr__(self) -> str:
        return f"<Async{repr(self.sync)[1:]}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
