"""All doors of the house as one ASGI application behind its guard."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import anyio.to_thread
import orjson
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rolememory import __version__
from rolememory.serve.guard import App, Guard
from rolememory.serve.house import House
from rolememory.serve.refusal import language_of, told


def create_app(house: House) -> App:
    """The application; `house` is opened and closed with it."""
    from rolememory.serve.doors import DOORS

    app = FastAPI(
        title="rolememory",
        version=__version__,
        lifespan=lambda app: _living(app, house),
        openapi_url=None,  # below: it takes a second to write, and nobody's chat is to wait for it
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.add_exception_handler(HTTPException, _lost)
    app.state.house = house
    app.state.living = []
    app.router.routes.append(Route("/api/openapi.json", _described(app), include_in_schema=False))
    for door in DOORS:
        door(app, house)
    return Guard(app, house.rules)


@asynccontextmanager
async def _living(app: Starlette, house: House) -> AsyncIterator[None]:
    """Open the house, and whatever a door keeps open with it."""
    async with AsyncExitStack() as stack:
        house.open()
        stack.callback(house.close)
        for context in app.state.living:
            await stack.enter_async_context(context())
        yield


_LOST = {
    404: (
        "not_found",
        (
            "there is nothing at this address",
            "the API URL of a frontend ends in /v1; REST is described at /api/openapi.json",
        ),
        ("这个地址没有内容", "前端的 API 地址以 /v1 结尾；REST 说明见 /api/openapi.json"),
    ),
    405: (
        "method",
        ("this address is not asked so", "see /api/openapi.json"),
        ("这个地址不支持这种请求方法", "见 /api/openapi.json"),
    ),
}


async def _lost(request: Request, error: Exception) -> Response:
    """The answer to who came to an address that nobody has, in the shape of all errors."""
    status = getattr(error, "status_code", 404)
    code, en, zh = _LOST.get(status, _LOST[404])
    language = language_of(request.headers, request.app.state.house.language)
    shown = (
        "/v1/" if request.url.path.endswith(("/completions", "/models")) else request.url.path
    )  # a frontend with half a URL
    said = told(code, *(zh if language == "zh" else en), language, shown)
    return JSONResponse({"error": said}, status, getattr(error, "headers", None))


def _described(app: FastAPI) -> Callable[[Request], Awaitable[Response]]:
    """The description of REST, written once, on a thread."""
    alone = asyncio.Lock()

    written: list[bytes] = []

    async def described(_: Request) -> Response:
        async with alone:
            if not written:
                written.append(await anyio.to_thread.run_sync(lambda: orjson.dumps(app.openapi())))
        return Response(written[0], media_type="application/json")

    return described
