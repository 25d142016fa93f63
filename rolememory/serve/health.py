"""`/healthz`: whether the server runs, and whether the embedding model is loaded."""

from typing import Any

from fastapi import FastAPI

from rolememory import __version__
from rolememory.serve.app_state import AppState


def health(app: FastAPI, app_state: AppState) -> None:
    """Add the path."""

    @app.get("/healthz", tags=["health"])
    def healthz() -> dict[str, Any]:
        """Whether the server stands."""
        return {
            "name": "rolememory",
            "status": "ok",
            "version": __version__,
            "meaning": app_state.home.loader.state,
        }
