"""Parses untrusted JSON; errors have line and column.

Stricter than either parser alone: no NaN, surrogates, duplicate names, or excessive depth or size.
Integers keep every digit, floats stay floats, key order is the file's.
"""

import json
from typing import Any, TypeGuard

import orjson

from rolememory.cards import limits
from rolememory.errors import FileError
from rolememory.locales import translatable
from rolememory.schema.json_types import JsonObject
from rolememory.text.json_depth import is_deeper
from rolememory.text.json_diagnostics import invalid_json
from rolememory.text.json_walker import JsonWalker, line_and_column

_AGAIN = translatable("export the file again from the program that made it")


class _DoubledError(ValueError):
    """A duplicate name in an object."""


def read_json(data: bytes, file: str, field: str = "") -> JsonObject:
    """The object in this text; `field` is its path inside the file.

    Raises:
        FileError: no JSON object, or ambiguous JSON.
    """
    value = read_value(data, file, field)
    if not isinstance(value, dict):
        kind = kind_of(value)
        raise FileError(
            file,
            "expected a JSON object, got {kind}",
            remedy=_AGAIN,
            field=field,
            line=1,
            column=1,
            kind=kind,
        )
    return value


def read_value(data: bytes, file: str, field: str = "") -> Any:
    """Any JSON value; see `read_json`."""
    limits.check_size(data, file, limits.TEXT, "JSON text", field)
    body = data.removeprefix(b"\xef\xbb\xbf")
    _check_marks(body, file, field)
    try:
        _check_depth(orjson.loads(body), file, field)
        return json.loads(body.decode(), object_pairs_hook=_object)
    except orjson.JSONDecodeError as error:
        raise invalid_json(body, error, file, field) from error
    except _DoubledError as error:
        raise _doubled(body.decode(), file, field) from error


def _check_marks(body: bytes, file: str, field: str) -> None:
    if sum(body.count(mark) for mark in b"[{,:") > limits.MARKS:
        raise FileError(
            file,
            "more than {marks} values in one JSON text",
            remedy="that is too much for a card or lorebook",
            field=field,
            marks=limits.MARKS,
        )


def _check_depth(value: Any, file: str, field: str) -> None:
    if is_deeper(value, limits.DEPTH + 1):
        raise FileError(
            file,
            "more than {depth} levels of objects and lists",
            remedy=_AGAIN,
            field=field,
            depth=limits.DEPTH,
        )


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _DoubledError
    return found


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is an integer; booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def kind_of(value: object) -> str:
    """The JSON type of a value.

    >>> kind_of(None), kind_of({}), kind_of("x"), kind_of(True), kind_of(1.5)
    ('null', 'object', 'text', 'boolean', 'number')
    """
    kinds = {
        "NoneType": "null",
        "dict": "object",
        "list": "list",
        "str": "text",
        "bool": "boolean",
        "int": "number",
        "float": "number",
    }
    return kinds.get(type(value).__name__, "nothing")


def _doubled(text: str, file: str, field: str) -> FileError:
    _, name, at = JsonWalker(text, doubles=True).doubles[0]
    line, column = line_and_column(text, at)
    shown = json.dumps(name, ensure_ascii=False)[:80]
    return FileError(
        file,
        "{shown} stands twice in one object",
        remedy="keep one of the two",
        field=field,
        line=line,
        column=column,
        shown=shown,
    )
