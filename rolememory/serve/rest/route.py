"""The route class of REST: strict JSON bodies, uniform errors, the API version on every response."""

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rolememory.errors import InvalidValueError
from rolememory.serve.rest import error_responses
from rolememory.serve.rest.reader import read_by
from rolememory.text.json_depth import is_deeper

LEVELS = 64  # of nesting of a body: deeper ones break later serialisation
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def among(given: str | None, etag: str) -> bool:
    """Whether a precondition header contains this ETag. Source: RFC 9110, 13.1.

    >>> among('W/"a", "b"', '"b"'), among("*", '"b"'), among(None, '"b"')
    (True, True, False)
    """
    tags = [one.strip().removeprefix("W/") for one in (given or "").split(",")]
    return "*" in tags or etag in tags


class Strict(Request):
    """A request with strict JSON: no NaN, no lone surrogates, at most `LEVELS` levels."""

    async def json(self) -> Any:
        """The body as values. Raises: orjson.JSONDecodeError, InvalidValueError."""
        if not hasattr(self, "_json"):
            self._json = orjson.loads(await self.body())
            if is_deeper(self._json, LEVELS):
                raise InvalidValueError(
                    "nested deeper than {levels} levels; flatten it", levels=LEVELS
                )
        return self._json


class RestRoute(APIRoute):
    """A path of REST."""

    def get_route_handler(self) -> Handler:
        """The handler with our error handling and headers."""
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            read_by(request)
            try:
                response = await inner(Strict(request.scope, request.receive))
            except ClientDisconnect:  # disconnected, or refused by the guard
                return Response(status_code=499)
            except Exception as error:  # respond in our format, log the traceback
                response = self._error_response(error)
            response.headers[error_responses.VERSION_HEADER] = error_responses.VERSION
            response.headers.setdefault("cache-control", "no-store")
            return response

        return handle

    @staticmethod
    def _error_response(error: Exception) -> Response:
        cause = error.__cause__
        if isinstance(cause, ClientDisconnect):
            return Response(status_code=499)
        if isinstance(error, HTTPException) and isinstance(cause, InvalidValueError):
            error = cause  # of the body; FastAPI only says 400
        return error_responses.error_response(error)
