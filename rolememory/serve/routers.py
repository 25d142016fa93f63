"""The routers, in order of matching; REST gets all remaining paths."""

from collections.abc import Callable

from starlette.applications import Starlette

from rolememory.serve.app_state import AppState
from rolememory.serve.guard import App
from rolememory.serve.health import health
from rolememory.serve.lazy_app import LazyApp, Lifespan
from rolememory.serve.mcp.router import mcp
from rolememory.serve.page import page
from rolememory.serve.proxy.routes import proxy

Router = Callable[[Starlette, AppState], None]


def rest(app: Starlette, app_state: AppState) -> None:
    """Add REST for all other paths. It is created at its first request, or when the page is opened."""

    def made() -> tuple[App, Lifespan]:
        from rolememory.serve.rest.router import rest_app

        return rest_app(app_state)

    lazy = app.state.rest = LazyApp(made)
    app.state.lifespans.append(lazy.lifespan)
    app.router.default = lazy


ROUTERS: tuple[Router, ...] = (health, proxy, mcp, rest, page)
TURNS: tuple[Router, ...] = (proxy,)  # of the additional processes; the first handles the rest
