"""The API for async code, each call run on a thread: `aio` wraps any call, `AsyncHome` a home and its roles.

async with AsyncHome.open("memories") as home:
    mira = await home.role("mira", create=True)
    turn = await mira.recall("Why is the beacon dark?")
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from rolememory.engine.home import Home
from rolememory.engine.role import RoleMemory
from rolememory.storage.port import Storage
from rolememory.text.embed.base import Embedder

Args = ParamSpec("Args")
Given = TypeVar("Given")
Sync = TypeVar("Sync")


def aio(call: Callable[Args, Given]) -> Callable[Args, Awaitable[Given]]:
    """Make a call awaitable; it runs on a thread.

    turn = await aio(mira.recall)(messages)
    """

    @wraps(call)
    async def awaited(*args: Args.args, **kwargs: Args.kwargs) -> Given:
        return await asyncio.to_thread(call, *args, **kwargs)

    return awaited


class _Awaited(Generic[Sync]):
    """An async wrapper; `sync` is the wrapped object."""

    def __init__(self, sync: Sync) -> None:
        self.sync: Sync = sync

    def __repr__(self) -> str:
        return f"<Async{repr(self.sync)[1:]}"


def _of(
    call: Callable[Concatenate[Sync, Args], Given],
) -> Callable[Concatenate[_Awaited[Sync], Args], Awaitable[Given]]:
    @wraps(call)
    async def awaited(self: _Awaited[Sync], /, *args: Args.args, **kwargs: Args.kwargs) -> Given:
        return await asyncio.to_thread(call, self.sync, *args, **kwargs)

    return awaited


class AsyncRoleMemory(_Awaited[RoleMemory]):
    """An async `RoleMemory`; `sync` is the wrapped one. Made by `AsyncHome.role`."""

    @property
    def id(self) -> str:
        """The role's UUID."""
        return self.sync.id

    recall = _of(RoleMemory.recall)
    search = _of(RoleMemory.search)
    observe = _of(RoleMemory.observe)
    learned = _of(RoleMemory.learned)
    ready = _of(RoleMemory.ready)
    remember = _of(RoleMemory.remember)
    remember_all = _of(RoleMemory.remember_all)
    edit = _of(RoleMemory.edit)
    keep = _of(RoleMemory.keep)
    archive = _of(RoleMemory.archive)
    delete = _of(RoleMemory.delete)
    undo = _of(RoleMemory.undo)
    history = _of(RoleMemory.history)
    waiting = _of(RoleMemory.waiting)
    refused = _of(RoleMemory.refused)
    accept = _of(RoleMemory.accept)
    reject = _of(RoleMemory.reject)
    forget = _of(RoleMemory.forget)
    clean = _of(RoleMemory.clean)
    backup = _of(RoleMemory.backup)
    restore = _of(RoleMemory.restore)
    export = _of(RoleMemory.export)
    stats = _of(RoleMemory.stats)
    problems = _of(RoleMemory.problems)


class AsyncHome(_Awaited[Home]):
    """An async `Home`; `sync` is the wrapped one. Use it with `async with`."""

    @classmethod
    def open(
        cls,
        storage: Storage | Path | str,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """As `Home.open`; not awaited, it only reads a few small files."""
        return cls(Home.open(storage, settings, embedder))

    async def role(self, name: str, *, create: bool = False) -> AsyncRoleMemory:
        """The role with this UUID, name or alias. `create`: a new one if there is none. Raises: as `Home.role`."""
        return AsyncRoleMemory(await asyncio.to_thread(self.sync.role, name, create=create))

    process_message_with_memory = _of(Home.process_message_with_memory)
    roles = _of(Home.roles)
    users = _of(Home.users)
    bring = _of(Home.bring)
    forget = _of(Home.forget)
    close = _of(Home.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
