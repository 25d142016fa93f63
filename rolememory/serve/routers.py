"""The routers, in the order in which their paths are tried."""

from collections.abc import Callable

from fastapi import FastAPI

from rolememory.serve.app_state import AppState
from rolememory.serve.health import health
from rolememory.serve.mcp.router import mcp
from rolememory.serve.page import page
from rolememory.serve.proxy.routes import proxy
from rolememory.serve.rest.router import rest

Router = Callable[[FastAPI, AppState], None]

ROUTERS: tuple[Router, ...] = (health, proxy, rest, mcp, page)
