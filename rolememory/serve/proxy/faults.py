"""What the proxy says itself, in the shape that frontends show: no upstream, a wrong one, one that cannot be reached."""

from urllib.parse import urlsplit

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from rolememory.serve.guard import local
from rolememory.serve.house import House
from rolememory.serve.refusal import Both, language_of, told

_NONE: Both = ("no model server is set", "还没有设置模型服务")
_SET: Both = (
    "start with --upstream URL, or set serve.upstream in rolememory.toml",
    "请用 --upstream 地址 启动，或在 rolememory.toml 里设置 serve.upstream",
)
_WRITE: Both = ("write it as http://127.0.0.1:5001/v1", "请写成 http://127.0.0.1:5001/v1 这样")
_OTHER: Both = ("set the model's own address there", "请在那里填模型自己的地址")
_RUNS: Both = ("is it running? check serve.upstream", "它在运行吗？请检查 serve.upstream")


def unusable(request: Request, house: House) -> Response | None:
    """Why nobody can be asked; None when the settings name a server."""
    upstream = house.settings.upstream.strip()
    if not upstream:
        return fault(request, house, 503, "no_upstream", _NONE, _SET)
    host, port = place(upstream)
    if not host:
        return fault(
            request,
            house,
            503,
            "bad_upstream",
            (f"{upstream!r} is no address", f"“{upstream}”不是一个地址"),
            _WRITE,
        )
    server = request.scope.get("server") or ("", 0)
    if local(host) and port == server[1]:
        return fault(
            request,
            house,
            508,
            "loop",
            ("serve.upstream is this server itself", "serve.upstream 指向了本服务自己"),
            _OTHER,
        )
    return None


def place(url: str) -> tuple[str, int]:
    """Host and port of a web address; "" for what is none.

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


def unreachable(request: Request, house: House, error: Exception) -> Response:
    """The model's server did not answer."""
    status, code = (
        (504, "upstream_timeout")
        if isinstance(error, httpx.TimeoutException)
        else (502, "upstream_unreachable")
    )
    upstream, kind = shown(house.settings.upstream), type(error).__name__
    said = (
        f"the model server {upstream} cannot be reached: {kind}",
        f"连不上模型服务 {upstream}：{kind}",
    )
    return fault(request, house, status, code, said, _RUNS)


def shown(url: str) -> str:
    """An address without the name and the password that may stand in it.

    >>> shown("http://me:secret@127.0.0.1:5001/v1")
    'http://127.0.0.1:5001/v1'
    """
    scheme, _, rest = url.strip().partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if rest else url


def fault(
    request: Request, house: House, status: int, code: str, message: Both, hint: Both
) -> Response:
    """In the shape OpenAI clients show to their users."""
    language = language_of(request.headers, house.language)
    at = language == "zh"
    return JSONResponse({"error": told(code, message[at], hint[at], language, "/v1/")}, status)
