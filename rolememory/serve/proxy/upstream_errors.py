"""Error responses of the proxy in OpenAI's format: no upstream, an unreachable one."""

import httpx
from starlette.requests import Request
from starlette.responses import Response

from rolememory.serve.app_state import AppState
from rolememory.serve.http_refusal import HttpRefusal, language_of
from rolememory.upstream import asks_itself, shown

_NO_UPSTREAM = HttpRefusal(
    503,
    "no_upstream",
    "no model server is set",
    "start with --upstream URL, or set serve.upstream in rolememory.toml",
)
_LOOP = HttpRefusal(
    508, "loop", "serve.upstream is this server itself", "set the model's own address there"
)


def unusable(request: Request, app_state: AppState, upstream: str) -> Response | None:
    """The error response if there is no `upstream`, or it is this server; None if it is usable."""
    if not upstream:
        return _response(request, app_state, _NO_UPSTREAM)
    if asks_itself(upstream, *(request.scope.get("server") or ("", 0))):
        return _response(request, app_state, _LOOP)
    return None


def unreachable(request: Request, app_state: AppState, error: Exception) -> Response:
    """The error response if the upstream did not answer."""
    late = isinstance(error, httpx.TimeoutException)
    refusal = HttpRefusal(
        504 if late else 502,
        "upstream_timeout" if late else "upstream_unreachable",
        "the model server {upstream} cannot be reached: {kind}",
        "is it running? check serve.upstream",
        upstream=shown(app_state.settings.upstream),
        kind=type(error).__name__,
    )
    return _response(request, app_state, refusal)


def _response(request: Request, app_state: AppState, refusal: HttpRefusal) -> Response:
    """The refusal in OpenAI's format, which clients show."""
    language = language_of(request.headers, app_state.language)
    return Response(refusal.body(language, "/v1/"), refusal.status, media_type="application/json")
