"""JSON by orjson, but with exact integers beyond 64 bits, so that foreign fields survive a round trip."""

import json
from typing import Any, TypeVar

import orjson

from rolememory.schema.json_types import JsonMapping

Kind = TypeVar("Kind")
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)


def loads(data: bytes) -> Any:
    """Parse strict JSON; raises orjson.JSONDecodeError (also for NaN, lone surrogates, ...).

    >>> loads(b"[18446744073709551617]")
    [18446744073709551617]
    """
    found = orjson.loads(data)
    return json.loads(data) if has_wide_integers(data) else found


def dumps(value: Any) -> bytes:
    r"""Compact JSON. Raises: TypeError, ValueError, RecursionError if not serialisable.

    >>> dumps({"n": 2**70, "词": 1.5})
    b'{"n":1180591620717411303424,"\xe8\xaf\x8d":1.5}'
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()


def listed(document: JsonMapping, name: str, kind: type[Kind]) -> list[Kind]:
    """The items of that type in the list of that name; none without such a list.

    >>> listed({"linked": [["Lin"], 5]}, "linked", list), listed({"linked": "Lin"}, "linked", list)
    ([['Lin']], [])
    """
    found = document.get(name)
    return [one for one in found if isinstance(one, kind)] if isinstance(found, list) else []


def has_wide_integers(data: bytes) -> bool:
    """Whether a number may exceed 64 bits, which the fast parser would round."""
    return b"0" * 19 in data.translate(_DIGITS)
