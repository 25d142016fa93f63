"""An ASGI application that is created at its first call, to keep slow imports out of the start."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio.to_thread

from rolememory.serve.guard import App, Receive, Scope, Send

Lifespan = Callable[[], AbstractAsyncContextManager[None]]


class LazyApp:
    """ASGI: forwards calls to the application of `make` (which returns it and its lifespan), run in its own task from the first call on."""

    def __init__(self, make: Callable[[], tuple[App, Lifespan]]) -> None:
        self._make = make
        self._server: asyncio.Task[None] | None = None
        self._app: asyncio.Future[App] | None = None
        self._over = asyncio.Event()

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """The lifespan: ends the application, if created, with the server."""
        try:
            yield
        finally:
            self._over.set()
            if self._server:
                await self._server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one call."""
        app = await asyncio.shield(
            self.begin()
        )  # shielded: a client that disconnects must not cancel it for others
        await app(scope, receive, send)

    def begin(self) -> "asyncio.Future[App]":
        """Create the application if needed; a future of it."""
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._server = asyncio.create_task(self._serve(self._app))
        return self._app

    async def _serve(self, ready: "asyncio.Future[App]") -> None:
        try:
            app, lifespan = await anyio.to_thread.run_sync(self._make)
            async with lifespan():
                ready.set_result(app)
                await self._over.wait()
        except Exception as error:  # raised to all who wait; the next call tries again
            self._app = None
            if not ready.done():
                ready.set_exception(error)
