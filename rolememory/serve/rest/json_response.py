"""JSON as it goes out: halves of characters, which no UTF-8 can hold, become `?`."""

import json
from typing import Any

from starlette.responses import JSONResponse


def json_bytes(value: Any) -> bytes:
    r"""A value as JSON that can be sent.

    >>> json_bytes({"name": "a\udc80"})
    b'{"name":"a?"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def sendable(text: str) -> str:
    """A text as it is read by whoever gets it."""
    return text.encode("utf-8", "replace").decode()


class RestResponse(JSONResponse):
    """An answer of REST."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json_bytes(content)
