"""How a request becomes a call: its body read strictly, its errors told in one shape, our version on every answer."""

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rolememory.serve.guard import Refusal
from rolememory.serve.rest import answers
from rolememory.serve.rest.shapes import Fault

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Strict(Request):
    """A request whose JSON is JSON: no NaN, no halves of characters, no thousand levels."""

    async def json(self) -> Any:
        """The body as values. Raises: orjson.JSONDecodeError."""
        if not hasattr(self, "_json"):
            self._json = orjson.loads(await self.body())
        return self._json


class RestRoute(APIRoute):
    """A path of REST."""

    def get_route_handler(self) -> Handler:
        """The handler with our manners around it."""
        inner = super().get_route_handler()

        async def asked(request: Request) -> Response:
            try:
                response = await inner(Strict(request.scope, request.receive))
            except Exception as error:  # whatever it is: an answer in our shape, the trace in the log
                response = self._told(error, request)
            response.headers[answers.VERSION_HEADER] = answers.VERSION
            response.headers.setdefault("cache-control", "no-store")
            return response

        return asked

    @staticmethod
    def _told(error: Exception, request: Request) -> Response:
        house = request.app.state.house
        refusal = error.__cause__ if isinstance(error, HTTPException) else error
        if isinstance(refusal, Refusal):  # the guard's word on a body that is too large or too slow
            return answers.answer(refusal.status, Fault(code=refusal.code, message=refusal.message, hint=refusal.hint))
        return answers.told(error, house, answers.language_of(request, house))
