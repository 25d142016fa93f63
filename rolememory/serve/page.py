"""The page for people: `/` and what it needs under `/web/`, straight from the package, nothing from anywhere else."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rolememory.serve.app_state import AppState

WEB = Path(__file__).parent / "web"
START = "index.html"
TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
_SMALL = 500  # bytes; packing less gains nothing


@dataclass(frozen=True)
class Asset:
    """One file of the page, read once."""

    data: bytes
    type: str

    @cached_property
    def tag(self) -> str:
        """Its ETag."""
        return f'"{blake2b(self.data, digest_size=9).hexdigest()}"'

    @cached_property
    def packed(self) -> bytes:
        """The same, gzipped; equal bytes give equal packets."""
        return gzip.compress(self.data, 9, mtime=0)


def assets(folder: Path = WEB) -> dict[str, Asset]:
    """Every file of the page by its path under `/web/`; what is not listed here is not served."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in TYPES)
    return {
        path.relative_to(folder).as_posix(): Asset(path.read_bytes(), TYPES[path.suffix])
        for path in files
    }


def page(app: Starlette, app_state: AppState) -> None:  # a router like the others
    """Add the paths."""
    files = assets()

    async def start(request: Request) -> Response:
        app.state.rest.begin()
        return answered(request, files[START])

    async def file(request: Request) -> Response:
        found = files.get(request.path_params["path"])
        return answered(request, found) if found else Response(status_code=404)

    app.router.routes.append(Route("/", start, methods=["GET", "HEAD"], include_in_schema=False))
    app.router.routes.append(
        Route("/web/{path:path}", file, methods=["GET", "HEAD"], include_in_schema=False)
    )


def answered(request: Request, asset: Asset) -> Response:
    """The file, packed where the caller unpacks, or the word that they have it already."""
    headers = {"etag": asset.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if asset.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if len(asset.data) < _SMALL or "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(asset.data, media_type=asset.type, headers=headers)
    return Response(
        asset.packed, media_type=asset.type, headers={**headers, "content-encoding": "gzip"}
    )
