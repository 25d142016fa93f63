"""Error responses of the proxy in OpenAI's format: no upstream, an invalid one, an unreachable one."""

from functools import lru_cache
from urllib.parse import urlsplit

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from rolememory.locales import LocalizedText
from rolememory.serve.app_state import AppState
from rolememory.serve.guard import local
from rolememory.serve.http_refusal import error_body, language_of
from rolememory.upstream import shown

_NONE = LocalizedText("no model server is set")
_SET = LocalizedText("start with --upstream URL, or set serve.upstream in rolememory.toml")
_WRITE = LocalizedText("write it as http://127.0.0.1:5001/v1")
_OTHER = LocalizedText("set the model's own address there")
_RUNS = LocalizedText("is it running? check serve.upstream")


def unusable(request: Request, app_state: AppState, upstream: str) -> Response | None:
    """The error response for a missing or invalid `upstream`; None if it is usable."""
    upstream = upstream.strip()
    if not upstream:
        return fault(request, app_state, 503, "no_upstream", _NONE, _SET)
    host, port = place(upstream)
    if not host:
        return fault(
            request,
            app_state,
            503,
            "bad_upstream",
            LocalizedText("{upstream!r} is no address", upstream=upstream),
            _WRITE,
        )
    server = request.scope.get("server") or ("", 0)
    if local(host) and port == server[1]:
        return fault(
            request,
            app_state,
            508,
            "loop",
            LocalizedText("serve.upstream is this server itself"),
            _OTHER,
        )
    return None


@lru_cache(maxsize=8)
def place(url: str) -> tuple[str, int]:
    """Host and port of a URL; "" and 0 if invalid.

    >>> place("http://127.0.0.1:5001/v1"), place("https://api.example/v1"), place("127.0.0.1:5001/v1"), place("http://x:y/")
    (('127.0.0.1', 5001), ('api.example', 443), ('', 0), ('', 0))
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL):
        return "", 0
    return (
        (host, port or (443 if parts.scheme == "https" else 80))
        if parts.scheme in ("http", "https") and host
        else ("", 0)
    )


def unreachable(request: Request, app_state: AppState, error: Exception) -> Response:
    """The error response if the upstream did not answer."""
    status, code = (
        (504, "upstream_timeout")
        if isinstance(error, httpx.TimeoutException)
        else (502, "upstream_unreachable")
    )
    upstream, kind = shown(app_state.settings.upstream), type(error).__name__
    said = LocalizedText(
        "the model server {upstream} cannot be reached: {kind}", upstream=upstream, kind=kind
    )
    return fault(request, app_state, status, code, said, _RUNS)


def fault(
    request: Request,
    app_state: AppState,
    status: int,
    code: str,
    message: LocalizedText,
    hint: LocalizedText,
) -> Response:
    """An error response in OpenAI's format, which clients show."""
    language = language_of(request.headers, app_state.language)
    said = error_body(code, message.text(language), hint.text(language), language, "/v1/")
    return JSONResponse({"error": said}, status)
