"""What JSON documents are made of: bodies, rows of a file, state; and reading values that may have any type."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""An object of a JSON document."""

JsonMapping = Mapping[str, Any]
"""One that is only read."""


def object_of(value: object) -> JsonMapping:
    """The object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: object) -> list[Any]:
    """The list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def objects_of(value: object) -> list[JsonMapping]:
    """The objects in a list; none if it is not a list."""
    return [one for one in list_of(value) if isinstance(one, Mapping)]


def text_of(value: object) -> str:
    """The text; "" for anything else.

    >>> text_of("Mira"), text_of(None), text_of({"a": 1})
    ('Mira', '', '')
    """
    return value if isinstance(value, str) else ""


def without(raw: JsonMapping, *names: str) -> JsonObject:
    """A copy without these fields."""
    return {name: value for name, value in raw.items() if name not in names}
