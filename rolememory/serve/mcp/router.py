"""`/mcp`: the tools over streamable HTTP. The `mcp` package takes seconds to import, so it is loaded at the first call."""

from starlette.applications import Starlette
from starlette.routing import Route

from rolememory.serve.app_state import AppState
from rolememory.serve.guard import App
from rolememory.serve.late_app import LateApp, Living

PATH = "/mcp"


def mcp(app: Starlette, app_state: AppState) -> None:
    """Add the route. Access is checked by the guard."""

    def made() -> tuple[App, Living]:
        from rolememory.serve.mcp.server import over_http

        return over_http(app_state)

    late = LateApp(made)
    app.state.living.append(late.living)
    app.router.routes.append(Route(PATH, late, include_in_schema=False))
