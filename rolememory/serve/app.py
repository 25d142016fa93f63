"""All doors of the house as one ASGI application behind its guard."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from starlette.applications import Starlette

from rolememory import __version__
from rolememory.serve.guard import App, Guard
from rolememory.serve.house import House


def create_app(house: House) -> App:
    """The application; `house` is opened and closed with it."""
    from rolememory.serve.doors import DOORS

    app = FastAPI(
        title="rolememory",
        version=__version__,
        lifespan=lambda app: _living(app, house),
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.house = house
    app.state.living = []
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
