"""All routers as one ASGI application behind the access guard."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rolememory.serve.app_state import AppState
from rolememory.serve.guard import AccessGuard, App
from rolememory.serve.http_refusal import REFUSALS, language_of
from rolememory.serve.relay import RelayAddress, Relayed, WorkerRelay


def create_app(app_state: AppState, relay: RelayAddress | None = None) -> App:
    """The application; it opens and closes `app_state`. `relay`: this is the first of several processes, which the others reach there."""
    from rolememory.serve.routers import ROUTERS, TURNS

    app = Starlette(
        lifespan=lambda app: _lifespan(app, app_state), exception_handlers={HTTPException: lost}
    )
    app.router.redirect_slashes = False
    app.state.app_state = app_state
    app.state.lifespans = []
    first = app_state.peers.first
    for router in ROUTERS if first else TURNS:
        router(app, app_state)
    guard = AccessGuard(app, app_state.rules, app_state.admission)
    if relay is None:
        return guard
    if first:
        return Relayed(guard, relay)
    relaying = WorkerRelay(guard, relay)
    app.state.lifespans.append(relaying.lifespan)
    return relaying


@asynccontextmanager
async def _lifespan(app: Starlette, app_state: AppState) -> AsyncIterator[None]:
    """The lifespan: open the application's state and the lifespans of the routers."""
    async with AsyncExitStack() as stack:
        app_state.open()
        stack.callback(app_state.close)
        for lifespan in app.state.lifespans:
            await stack.enter_async_context(lifespan())
        yield


async def lost(request: Request, error: Exception) -> Response:
    """The error response for unknown paths and methods."""
    status = getattr(error, "status_code", 404)
    language = language_of(request.headers, request.app.state.app_state.language)
    path = request.url.path
    shown = "/v1/" if path.endswith(("/completions", "/models")) else path  # a truncated base URL
    body = REFUSALS.get(status, REFUSALS[404]).body(language, shown)
    headers = getattr(error, "headers", None)
    return Response(body, status, headers, media_type="application/json")
