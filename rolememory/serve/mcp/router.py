"""`/mcp`: the tools over streamable HTTP. The protocol's package takes seconds to load, so that is left to the first call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

from rolememory.serve.app_state import AppState
from rolememory.serve.guard import App, Receive, Scope, Send

if TYPE_CHECKING:
    from rolememory.serve.mcp.server import Living

PATH = "/mcp"


def mcp(app: FastAPI, app_state: AppState) -> None:
    """Add the path. Who may come in is the guard's business."""
    door = McpEndpoint(app_state)
    app.state.living.append(door.living)
    app.router.routes.append(Route(PATH, door, include_in_schema=False))


class McpEndpoint:
    """ASGI: hands every call to the protocol's server, which lives in a task of its own from the first one on."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._server: asyncio.Task[None] | None = None
        self._app: asyncio.Future[App] | None = None
        self._over = asyncio.Event()

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """End the MCP server, where there is one, with the application."""
        try:
            yield
        finally:
            self._over.set()
            if self._server:
                await self._server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one call."""
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._server = asyncio.create_task(self._serve(self._app))
        app = await asyncio.shield(
            self._app
        )  # a caller who hangs up must not take it from the others
        await app(scope, receive, send)

    async def _serve(self, ready: "asyncio.Future[App]") -> None:
        try:
            app, living = await anyio.to_thread.run_sync(self._made)
            async with living():
                ready.set_result(app)
                await self._over.wait()
        except Exception as error:  # whoever waits for it is told, and the next call tries again
            self._app = None
            if not ready.done():
                ready.set_exception(error)

    def _made(self) -> "tuple[App, Living]":
        from rolememory.serve.mcp.server import over_http

        return over_http(self._app_state)
