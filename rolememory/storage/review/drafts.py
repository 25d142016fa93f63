"""A draft as JSON and back, nothing lost: only what differs from its default is written."""

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.scene import Span

Raw = dict[str, Any]
Told = TypeVar("Told", Draft, Reason)


def draft_raw(draft: Draft) -> Raw:
    """The draft as JSON values.

    >>> from rolememory.schema.memory import MemoryType, Source
    >>> draft = Draft("It rains.", MemoryType.EPISODIC, Source.USER_INPUT, (), Reason("told"), keys=("rain",))
    >>> draft_raw(draft)
    {'content': 'It rains.', 'type': 'episodic', 'source': 'user_input', 'evidence': [], 'because': {'code': 'told'}, 'keys': ['rain']}
    >>> draft_from(draft_raw(draft)) == draft
    True
    """
    return _raw(Draft, draft)


def draft_from(raw: Mapping[str, Any]) -> Draft:
    """The draft that was written. Raises KeyError, TypeError or ValueError for what is none."""
    reasons = {name: _spanned(raw[name]) for name in ("because", "fault") if raw.get(name)}
    return _read(Draft, {**raw, **reasons})


def reason_raw(reason: Reason) -> Raw:
    """The reason as JSON values, its values in their order."""
    return _raw(Reason, reason)


def reason_from(raw: Mapping[str, Any]) -> Reason:
    """The reason that was written. Raises KeyError, TypeError or ValueError for what is none."""
    return _read(Reason, _spanned(raw))


def _read(kind: type[Told], raw: Raw) -> Told:
    found: Told = _schemas()[kind].validate_json(json.dumps(raw), strict=True)
    return found


def _raw(kind: type[Told], value: Told) -> Raw:
    told = _schemas()[kind].dump_python(value, mode="json", exclude_defaults=True)
    whole = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
    found: Raw = json.loads(whole)  # half characters are no JSON
    return found


def _spanned(raw: Mapping[str, Any]) -> Raw:
    """A reason with its place by names, also as earlier versions wrote it: a list."""
    span = raw.get("span")
    names = (field.name for field in fields(Span))
    return {**raw, "span": dict(zip(names, span, strict=True)) if isinstance(span, list) else span}


@cache
def _schemas() -> Mapping[object, TypeAdapter[Any]]:
    return {kind: TypeAdapter(kind) for kind in (Draft, Reason)}
