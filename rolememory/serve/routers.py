"""The routers, in order of matching; REST gets all remaining paths."""

from collections.abc import Callable

from starlette.applications import Starlette

from rolememory.serve.app_state import AppState
from rolememory.serve.guard import App
from rolememory.serve.health import health
from rolememory.serve.late_app import LateApp, Living
from rolememory.serve.mcp.router import mcp
from rolememory.serve.page import page
from rolememory.serve.proxy.routes import proxy

Router = Callable[[Starlette, AppState], None]


def rest(app: Starlette, app_state: AppState) -> None:
    """Add REST for all other paths. It is created at its first request, or when the page is opened."""

    def made() -> tuple[App, Living]:
        from rolememory.serve.rest.router import rest_app

        return rest_app(app_state)

    late = app.state.rest = LateApp(made)
    app.state.living.append(late.living)
    app.router.default = late


ROUTERS: tuple[Router, ...] = (health, proxy, mcp, rest, page)
TURNS: tuple[Router, ...] = (proxy,)  # of the additional processes; the first handles the rest
