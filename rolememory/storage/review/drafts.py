"""Lossless JSON encoding of drafts, without defaults."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from rolememory.schema.evidence import Reason
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.learning import Draft

Told = TypeVar("Told", Draft, Reason)


def as_json(value: Draft | Reason) -> JsonObject:
    """The draft or reason as JSON values.

    >>> from rolememory.schema.memory import MemoryType, Source
    >>> draft = Draft("It rains.", MemoryType.EPISODIC, Source.USER_INPUT, (), Reason("told"), keys=("rain",))
    >>> as_json(draft)
    {'content': 'It rains.', 'type': 'episodic', 'source': 'user_input', 'evidence': [], 'because': {'code': 'told'}, 'keys': ['rain']}
    >>> from_json(Draft, as_json(draft)) == draft
    True
    """
    told = _schemas()[type(value)].dump_python(value, mode="json", exclude_defaults=True)
    whole = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
    found: JsonObject = json.loads(whole)  # lone surrogates are not valid JSON
    return found


def from_json(kind: type[Told], raw: JsonMapping) -> Told:
    """The value from JSON. Raises TypeError or ValueError if invalid."""
    found: Told = _schemas()[kind].validate_json(json.dumps(raw), strict=True)
    return found


@cache
def _schemas() -> Mapping[object, TypeAdapter[Any]]:
    return {kind: TypeAdapter(kind) for kind in (Draft, Reason)}
