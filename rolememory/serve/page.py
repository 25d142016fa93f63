"""The web page: `/` and its files under `/web/`, all from the package."""

import mimetypes
import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from rolememory.serve.app_state import AppState

WEB = Path(__file__).parent / "web"
START = "index.html"
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
"""Media types of the served files; fixed, since systems differ."""


class PageFiles(StaticFiles):
    """The files of the page: revalidated on every request."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """A file of the page. Raises: HTTPException for other files."""
        if Path(full_path).suffix not in TYPES:
            raise HTTPException(404)
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = "no-cache"
        return response


def page(app: Starlette, app_state: AppState) -> None:  # a router like the others
    """Add the routes."""
    for suffix, kind in TYPES.items():
        mimetypes.add_type(kind, suffix)
    files = PageFiles(directory=WEB)

    async def start(request: Request) -> Response:
        app.state.rest.begin()
        return await files.get_response(START, request.scope)

    app.router.routes.append(Route("/", start, include_in_schema=False))
    app.router.routes.append(Mount("/web", GZipMiddleware(files)))
