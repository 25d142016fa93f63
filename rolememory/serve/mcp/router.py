"""`/mcp`: the tools over streamable HTTP. The `mcp` package takes seconds to import, so it is loaded at the first call."""

from starlette.applications import Starlette
from starlette.routing import Route

from rolememory.serve.app_state import AppState
from rolememory.serve.guard import App
from rolememory.serve.lazy_app import LazyApp, Lifespan

PATH = "/mcp"


def mcp(app: Starlette, app_state: AppState) -> None:
    """Add the route. Access is checked by the guard."""

    def made() -> tuple[App, Lifespan]:
        from rolememory.serve.mcp.server import over_http

        return over_http(app_state)

    lazy = LazyApp(made)
    app.state.lifespans.append(lazy.lifespan)
    app.router.routes.append(Route(PATH, lazy, include_in_schema=False))
