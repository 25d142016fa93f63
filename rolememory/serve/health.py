"""`/healthz`: whether the house stands, and whether meaning works by now."""

from typing import Any

from fastapi import FastAPI

from rolememory import __version__
from rolememory.serve.house import House


def health(app: FastAPI, house: House) -> None:
    """Add the path."""

    @app.get("/healthz", tags=["health"])
    def healthz() -> dict[str, Any]:
        """Whether the server stands."""
        return {
            "name": "rolememory",
            "status": "ok",
            "version": __version__,
            "meaning": house.home.loader.state,
        }
