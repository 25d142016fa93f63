"""The REST application: its routes, lifespan, and the response to unknown paths."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache

import orjson
from anyio import to_thread
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from rolememory import __version__
from rolememory.serve.app import lost
from rolememory.serve.app_state import AppState
from rolememory.serve.guard import App
from rolememory.serve.health import state_of
from rolememory.serve.lazy_app import Lifespan
from rolememory.serve.rest import (
    apply_change,
    book_tests,
    books,
    cards,
    chapters,
    chats,
    decay,
    deleted_roles,
    error_responses,
    event_stream,
    history,
    imports,
    insight,
    memories,
    models,
    recall,
    review,
    roles,
    settings,
    users,
)
from rolememory.serve.rest.dependencies import UpdateLocks, fault_shapes
from rolememory.serve.rest.reader import read_by

MODULES = (
    roles,
    deleted_roles,
    insight,
    memories,
    decay,
    history,
    recall,
    apply_change,
    chats,
    chapters,
    review,
    users,
    book_tests,
    books,
    cards,
    imports,
    settings,
    models,
    event_stream,
)
"""The modules with `routes`, in order of matching."""
ROUTERS = tuple(module.routes for module in MODULES)
STOP_S = 5.0  # an import stops after the current chat, or resumes at the next start
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]


def rest_app(app_state: AppState) -> tuple[App, Lifespan]:
    """The REST application and its lifespan."""
    app = FastAPI(
        title="rolememory",
        version=__version__,
        openapi_url=None,  # see `_description`: generating takes a second, which must not delay chats
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.add_exception_handler(HTTPException, lost)
    app.state.app_state = app_state
    life = imports.FolderImports(app_state.home.path)
    kept = (UpdateLocks(), insight.Surveys(), life)
    app.state.kept = {type(one): one for one in kept}
    app.router.routes.append(Route("/api/openapi.json", _description(app), include_in_schema=False))
    for router in ROUTERS:
        app.include_router(router)

    async def nobody(request: Request) -> Response:
        read_by(request)
        known = _methods(request)
        response = error_responses.status_response(405 if known else 404)
        if known:
            response.headers["allow"] = ", ".join(sorted(known))
        return response

    app.router.routes.append(
        Route("/api/{path:path}", nobody, methods=METHODS, include_in_schema=False)
    )

    @app.get("/healthz", tags=["health"])
    def healthz() -> dict[str, str]:
        """Whether the server runs, and whether the embedding model is loaded."""
        return state_of(app_state)  # for the documentation; served before REST is loaded

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        try:
            yield
        finally:
            await to_thread.run_sync(life.stop, STOP_S)

    return app, lifespan


def _description(app: FastAPI) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of the OpenAPI document, with API version and error schemas. Generated once, on a thread."""

    @cache
    def document() -> bytes:
        found = app.openapi()
        found["components"]["schemas"].update(fault_shapes())
        found["info"][error_responses.VERSION_HEADER] = error_responses.VERSION
        return orjson.dumps(found)

    async def described(_: Request) -> Response:
        return Response(await to_thread.run_sync(document), media_type="application/json")

    return described


def _methods(request: Request) -> set[str]:
    """The allowed methods of the path."""
    routes = (route for router in ROUTERS for route in router.routes if isinstance(route, Route))
    return {
        method
        for route in routes
        if route.matches(request.scope)[0] is Match.PARTIAL
        for method in route.methods or ()
    }
