"""Error responses of the proxy in OpenAI's format: no upstream, an unreachable one."""

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from rolememory.locales import LocalizedText
from rolememory.serve.app_state import AppState
from rolememory.serve.http_refusal import error_body, language_of
from rolememory.upstream import asks_itself, shown

_NONE = LocalizedText("no model server is set")
_SET = LocalizedText("start with --upstream URL, or set serve.upstream in rolememory.toml")
_OTHER = LocalizedText("set the model's own address there")
_RUNS = LocalizedText("is it running? check serve.upstream")


def unusable(request: Request, app_state: AppState, upstream: str) -> Response | None:
    """The error response if there is no `upstream`, or it is this server; None if it is usable."""
    if not upstream:
        return fault(request, app_state, 503, "no_upstream", _NONE, _SET)
    if asks_itself(upstream, *(request.scope.get("server") or ("", 0))):
        return fault(
            request,
            app_state,
            508,
            "loop",
            LocalizedText("serve.upstream is this server itself"),
            _OTHER,
        )
    return None


def unreachable(request: Request, app_state: AppState, error: Exception) -> Response:
    """The error response if the upstream did not answer."""
    status, code = (
        (504, "upstream_timeout")
        if isinstance(error, httpx.TimeoutException)
        else (502, "upstream_unreachable")
    )
    upstream = shown(app_state.settings.upstream)
    kind = type(error).__name__
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
