"""`/healthz`: whether the server runs, and whether the embedding model is loaded."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rolememory import __version__
from rolememory.serve.app_state import AppState


def state_of(app_state: AppState) -> dict[str, str]:
    """The response of `/healthz`."""
    meaning = str(app_state.home.loader.state)
    return {"name": "rolememory", "status": "ok", "version": __version__, "meaning": meaning}


def health(app: Starlette, app_state: AppState) -> None:
    """Add the route."""

    async def healthz(_: Request) -> Response:
        return JSONResponse(state_of(app_state))

    app.router.routes.append(Route("/healthz", healthz, methods=["GET"]))
