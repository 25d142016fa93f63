"""JSON as it goes out: halves of characters, which no UTF-8 can hold, become `?`."""

import json
from typing import Any

import orjson
from starlette.responses import JSONResponse


def json_bytes(value: Any, *, in_order: bool = False) -> bytes:
    r"""A value as JSON that can be sent. `in_order`: names sorted, so that equal values give equal bytes.

    >>> json_bytes({"name": "a\udc80"})
    b'{"name":"a?"}'
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if in_order else None)
    except TypeError:  # half a character somewhere
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=in_order)
        return text.encode("utf-8", "replace")


def sendable(text: str) -> str:
    """A text as it is read by whoever gets it."""
    return text.encode("utf-8", "replace").decode()


class RestResponse(JSONResponse):
    """An answer of REST."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json_bytes(content)
