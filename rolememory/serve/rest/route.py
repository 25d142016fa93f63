"""How a request becomes a call: its body read strictly, its errors told in one shape, our version on every answer."""

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rolememory.errors import InvalidValueError
from rolememory.serve.rest import error_responses
from rolememory.text.json_depth import is_deeper

LEVELS = 64  # of a body: what is deeper breaks those who write it later
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def among(given: str | None, etag: str) -> bool:
    """Whether a precondition of a caller names this ETag. Source: RFC 9110, 13.1.

    >>> among('W/"a", "b"', '"b"'), among("*", '"b"'), among(None, '"b"')
    (True, True, False)
    """
    tags = [one.strip().removeprefix("W/") for one in (given or "").split(",")]
    return "*" in tags or etag in tags


class Strict(Request):
    """A request whose JSON is JSON: no NaN, no halves of characters, at most `LEVELS` levels."""

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
        """The handler with our manners around it."""
        inner = super().get_route_handler()

        async def asked(request: Request) -> Response:
            try:
                response = await inner(Strict(request.scope, request.receive))
            except ClientDisconnect:  # gone, or sent away by the guard: there is nobody to tell
                return Response(status_code=499)
            except (
                Exception
            ) as error:  # whatever it is: an answer in our shape, the trace in the log
                response = self._told(error, request)
            response.headers[error_responses.VERSION_HEADER] = error_responses.VERSION
            response.headers.setdefault("cache-control", "no-store")
            return response

        return asked

    @staticmethod
    def _told(error: Exception, request: Request) -> Response:
        app_state = request.app.state.app_state
        cause = error.__cause__
        if isinstance(cause, ClientDisconnect):
            return Response(status_code=499)
        if isinstance(error, HTTPException) and isinstance(cause, InvalidValueError):
            error = cause  # of the body; FastAPI has no word for it but 400
        return error_responses.told(
            error, app_state, error_responses.language_of(request, app_state)
        )
