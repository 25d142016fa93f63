"""A draft as JSON and back, nothing lost: only what differs from its default is written."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any

import orjson
from pydantic import TypeAdapter

from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Chapter, Evidence
from rolememory.schema.scene import Span

Raw = dict[str, Any]


def draft_raw(draft: Draft) -> Raw:
    """The draft as JSON values.

    >>> from rolememory.schema.memory import MemoryType, Source
    >>> draft = Draft("It rains.", MemoryType.EPISODIC, Source.USER_INPUT, (), Reason("told"), keys=("rain",))
    >>> draft_raw(draft)
    {'content': 'It rains.', 'type': 'episodic', 'source': 'user_input', 'evidence': [], 'because': {'code': 'told'}, 'keys': ['rain']}
    >>> draft_from(draft_raw(draft)) == draft
    True
    """
    told = ((field, getattr(draft, field.name)) for field in fields(draft))
    return {
        field.name: _plain(said)
        for field, said in told
        if field.default is MISSING or said != field.default
    }


def draft_from(raw: Mapping[str, Any]) -> Draft:
    """The draft that was written. Raises KeyError, TypeError or ValueError for what is none."""
    reasons = {name: _spanned(raw[name]) for name in ("because", "fault") if raw.get(name)}
    return _drafts().validate_json(orjson.dumps({**raw, **reasons}), strict=True)


def reason_raw(reason: Reason) -> Raw:
    """The reason as JSON values, its values in their order."""
    raw: Raw = {"code": reason.code}
    if reason.values:
        raw["values"] = [list(pair) for pair in reason.values]
    if reason.span:
        raw["span"] = [reason.span.segment, reason.span.start, reason.span.end]
    return raw


def reason_from(raw: Mapping[str, Any]) -> Reason:
    """The reason that was written. Raises KeyError, TypeError or ValueError for what is none."""
    return _reasons().validate_json(orjson.dumps(_spanned(raw)), strict=True)


def _spanned(raw: Mapping[str, Any]) -> Raw:
    """A reason with its place by names."""
    names = (field.name for field in fields(Span))
    span = dict(zip(names, raw["span"], strict=True)) if raw.get("span") else None
    return {**raw, "span": span}


@cache
def _drafts() -> TypeAdapter[Draft]:
    return TypeAdapter(Draft)


@cache
def _reasons() -> TypeAdapter[Reason]:
    return TypeAdapter(Reason)


def _plain(value: Any) -> Any:
    say = next((say for kind, say in _SAYINGS if isinstance(value, kind)), None)
    return say(value) if say else value


_SAYINGS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (tuple, lambda several: [_plain(one) for one in several]),
    (Enum, lambda member: member.value),
    (datetime, datetime.isoformat),
    (
        Evidence,
        lambda support: {
            name: _plain(said)
            for name, said in support.model_dump().items()
            if said not in ("", (), False)
        },
    ),
    (Reason, reason_raw),
    (Chapter, lambda chapter: chapter.model_dump(mode="json", exclude_defaults=True)),
    (str, lambda text: text.encode("utf-8", "replace").decode()),  # half characters are no JSON
)
