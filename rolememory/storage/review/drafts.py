"""A draft as JSON and back, nothing lost: only what differs from its default is written."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from enum import Enum
from typing import Any

from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Chapter, Evidence, MemoryType, Source
from rolememory.schema.scene import Span

Raw = dict[str, Any]


def draft_raw(draft: Draft) -> Raw:
    """The draft as JSON values.

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
    return Draft(**{name: _DRAFT[name](value) for name, value in raw.items() if name in _DRAFT})


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
    values = tuple((_text(name), value) for name, value in raw.get("values", ()))
    return Reason(_text(raw["code"]), values, Span(*raw["span"]) if raw.get("span") else None)


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


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {value!r:.40}")
    return value


def _maybe_text(value: Any) -> str | None:
    return None if value is None else _text(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(one) for one in value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"expected a number, got {value!r:.40}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, got {value!r:.40}")
    return value


_DRAFT: Mapping[str, Callable[[Any], Any]] = {
    "content": _text,
    "type": MemoryType,
    "source": Source,
    "evidence": lambda raw: tuple(Evidence.model_validate(one) for one in raw),
    "because": reason_from,
    "subject": _maybe_text,
    "user": _maybe_text,
    "created": lambda raw: None if raw is None else datetime.fromisoformat(_text(raw)),
    "keys": _texts,
    "topics": _texts,
    "emotions": _texts,
    "tags": _texts,
    "salience": _number,
    "confidence": _number,
    "corrects": _flag,
    "near": _texts,
    "replaces": _text,
    "rests_on": _texts,
    "explicit": _flag,
    "constant": _flag,
    "chapter": lambda raw: None if raw is None else Chapter.model_validate(raw),
    "context": _texts,
    "fault": lambda raw: None if raw is None else reason_from(raw),
}
