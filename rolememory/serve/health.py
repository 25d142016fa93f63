"""`/healthz`: whether the server runs, and whether the embedding model is loaded."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rolememory import __version__
from rolememory.serve.app_state import AppState


def health(app: Starlette, app_state: AppState) -> None:
    """Add the path."""

    async def healthz(_: Request) -> Response:
        loaded = app_state.home.loader.state
        said = {"name": "rolememory", "status": "ok", "version": __version__, "meaning": loaded}
        return JSONResponse(said)

    app.router.routes.append(Route("/healthz", healthz, methods=["GET"]))
