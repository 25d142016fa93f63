"""The doors, in the order in which their paths are tried."""

from collections.abc import Callable

from fastapi import FastAPI

from rolememory.serve.health import health
from rolememory.serve.house import House
from rolememory.serve.mcp.door import mcp
from rolememory.serve.page import page
from rolememory.serve.proxy.routes import proxy
from rolememory.serve.rest.door import rest

Door = Callable[[FastAPI, House], None]

DOORS: tuple[Door, ...] = (health, proxy, rest, mcp, page)
