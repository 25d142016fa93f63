"""JSON responses: lone surrogates, which UTF-8 cannot encode, become `?`."""

import json
from typing import Any

import orjson
from starlette.responses import JSONResponse


def json_bytes(value: Any, *, in_order: bool = False) -> bytes:
    r"""A value as JSON bytes. `in_order`: sorted keys, so that equal values give equal bytes.

    >>> json_bytes({"name": "a\udc80"})
    b'{"name":"a?"}'
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if in_order else None)
    except TypeError:  # a lone surrogate
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=in_order)
        return text.encode("utf-8", "replace")


def sendable(text: str) -> str:
    """A text with lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode()


class RestResponse(JSONResponse):
    """An answer of REST."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json_bytes(content)
