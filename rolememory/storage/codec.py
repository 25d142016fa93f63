"""Decodes memories (any known spelling of fields and values) and encodes them (without defaults)."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from rolememory.errors import misspelt
from rolememory.locales import LocalizedText
from rolememory.schema.entry import SelectiveLogic
from rolememory.schema.explain_invalid import explained
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.memory import Memory, MemoryType, Source, lean
from rolememory.schema.problem import Problem, quoted
from rolememory.text.timestamps import iso, moment

FIELDS = (
    "content",
    *(name for name in Memory.model_fields if name not in ("id", "type", "content")),
)
"""Field names in writing order, `id` first; the type is that of the array."""

#: aliases of a field; written back under the author's name
ALIASES = {
    "text": "content",
    "keywords": "keys",
    "secondaryKeys": "secondary_keys",
    "selectiveLogic": "selective_logic",
    "isConstant": "constant",
    "relevanceWeight": "weight",
    "emotionalWeight": "salience",
    "timeDecayFactor": "decay",
    "relatedTopics": "topics",
    "emotionalContext": "emotions",
    "timestamp": "created",
    "createdAt": "created",
    "created_at": "created",
    "expiresAt": "expires",
    "expires_at": "expires",
}
#: foreign fields with another meaning; never rewritten, overridden by our own field
MEANINGS = ("triggerType", "tag", "emotion", "emotionLabel")

_OURS = frozenset(Memory.model_fields)
_FOREIGN = frozenset(ALIASES) | frozenset(MEANINGS)
_NUMBERS = ("priority", "weight", "salience", "decay", "confidence")
_LISTS = ("keys", "secondary_keys", "triggers", "topics", "emotions", "tags", "supersedes")
_MOMENTS = ("created", "written", "expires")
_COMMAS = re.compile("[,，、;；]")
_ON, _OFF = (
    frozenset({"true", "yes", "on", "1", "是", "开"}),
    frozenset({"false", "no", "off", "0", "否", "关"}),
)
_LOGICS = (
    SelectiveLogic.AND_ANY,
    SelectiveLogic.NOT_ALL,
    SelectiveLogic.NOT_ANY,
    SelectiveLogic.AND_ALL,
)  # SillyTavern's 0..3
_TRIGGERS = {
    "temporal": ("dates", "recency")
}  # S1.13's time strategy: triggered by dates, weighted by recency
_SPEAKERS = {"user": Source.USER_INPUT, "ai": Source.AI_OUTPUT, "assistant": Source.AI_OUTPUT}
_SOURCES = frozenset(source.value for source in Source)
_FACTS = ("fact", "preference", "project")  # S4.24
_KINDS: dict[str, tuple[MemoryType, str | None]] = {
    **{kind.value: (kind, None) for kind in MemoryType},
    **{kind.array: (kind, None) for kind in MemoryType},
    **{fact: (MemoryType.SEMANTIC, fact) for fact in _FACTS},
    "scene": (MemoryType.EPISODIC, "scene"),  # S1.2
    "emotional": (MemoryType.EPISODIC, None),  # S1.4
}


class EntryError(ValueError):
    """An entry is not a valid memory; `problems` say why, with fields relative to the entry."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(problem.text() for problem in problems))
        self.problems = problems


def decode(raw: JsonObject | str, array: MemoryType | None, memory_id: str) -> Memory:
    """The memory of an entry of memory.json; unknown fields are kept.

    `array` is the type of its array; a type in the entry wins.
    Raises: EntryError.

    >>> decode("The beacon failed.", MemoryType.SEMANTIC, "a1").type.value
    'semantic'
    >>> decode({"text": "She likes rain.", "type": "preference", "timestamp": 1714586400}, None, "a2").tags
    ('preference',)
    """
    if isinstance(raw, str):
        raw = {"content": raw}
    fields = translated(raw) if not _FOREIGN.isdisjoint(raw) else dict(raw)
    fields["id"] = memory_id
    _settle_type(fields, array)
    _settle_values(fields)
    if not str(fields.get("content") or "").strip():
        raise EntryError(*_nearly_content(fields))
    try:
        memory = Memory.model_validate(fields)
        told = _shared_names(tuple(sorted(memory.__pydantic_fields_set__)))
        return lean(memory.__dict__, told, memory.__pydantic_extra__)
    except ValidationError as error:
        raise EntryError(
            *(explained(row) for row in error.errors(include_url=False, include_context=True))
        ) from error


@lru_cache(maxsize=256)
def _shared_names(names: tuple[str, ...]) -> set[str]:
    """One shared set for all memories with the same fields: a set of its own would nearly double a memory."""
    return set(names)


def _nearly_content(fields: JsonObject) -> Iterator[Problem]:
    """Why an entry has no content: a misspelt field name, or none."""
    near = next(
        (name for name in fields if name not in _OURS and misspelt(name, ("content", "text"))), None
    )
    if near is None:
        yield Problem("no_content")
    else:
        yield Problem.of("unknown_field", field=near, found=quoted(near), wanted='"content"')


def translated(raw: JsonObject) -> JsonObject:
    """The entry with aliases replaced by our names. If both are present, ours wins."""
    fields: JsonObject = {}
    for name, value in raw.items():
        ours = ALIASES.get(name, name)
        if ours is name or ours not in raw:
            fields.setdefault(ours, value)
    for name in MEANINGS:
        if name in fields:
            _understand(name, fields)
    return fields


def _understand(name: str, fields: JsonObject) -> None:
    """Translate a foreign field unless ours is set; without a translation it stays an unknown field."""
    ours, meant = _meaning(name, fields[name])
    if meant:
        fields.setdefault(ours, meant)
        del fields[name]


def _meaning(name: str, value: Any) -> tuple[str, Any]:
    texts = _texts_in(value)
    word = value if isinstance(value, str) else ""
    if name == "triggerType":
        return "triggers", [one for text in texts for one in _TRIGGERS.get(text, (text,))]
    if name == "emotion" and word in _SPEAKERS:  # S3.12
        return "source", _SPEAKERS[word]
    if name in ("emotion", "emotionLabel"):
        return "emotions", texts
    if word in _SOURCES:
        return "source", word
    return "tags", texts


def _texts_in(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [text for text in listed if isinstance(text, str) and text.strip()]


def _settle_type(fields: JsonObject, array: MemoryType | None) -> None:
    written = fields.get("type")
    if written is None:
        fields["type"] = array or MemoryType.EPISODIC
        return
    word = written.strip().casefold() if isinstance(written, str) else ""
    kind, tag = _KINDS.get(word, (None, None))
    if kind is None:
        choices = ", ".join(kind.value for kind in MemoryType)
        raise EntryError(
            Problem.of("unknown_choice", field="type", found=quoted(written), choices=choices)
        )
    fields["type"] = kind
    if tag and isinstance(tags := _texts(fields.get("tags") or []), list) and tag not in tags:
        fields["tags"] = [*tags, tag]


def _settle_values(fields: JsonObject) -> None:
    """Normalise values that people write in several ways; other values are left to the schema."""
    for name, value in tuple(fields.items()):
        read = _READERS.get(name)
        if read is not None and value is not None:
            try:
                fields[name] = read(value)
            except ValueError as error:
                raise EntryError(_unread(name, value)) from error
        elif value is None and name in _DEFAULTED:
            del fields[name]  # null means the default


def _evidence_list(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [{"quote": item} if isinstance(item, str) else item for item in value]


def _texts(value: Any) -> Any:
    """A list; a text is one as JSON (a column of a database), or is split at commas, unless it is a pattern.

    >>> _texts("beacon，lamp"), _texts("/a{1,2}/"), _texts([1887]), _texts('["a, b"]')
    (['beacon', 'lamp'], ['/a{1,2}/'], ['1887'], ['a, b'])
    """
    if isinstance(value, str):
        value = value.strip()
        parts = _packed(value)
        if parts is None:
            parts = [value] if value.startswith("/") else _COMMAS.split(value)
        return [part.strip() for part in parts if part.strip()]
    if isinstance(value, list | tuple):
        return [str(one) if type(one) is int else one for one in value if one is not None]
    return value


def _packed(text: str) -> list[str] | None:
    """The texts of a JSON list; None if it is none."""
    if not text.startswith("["):
        return None
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if all(isinstance(one, str) for one in found) else None


def _number(value: Any) -> Any:
    """A number, also from digits in quotes.

    >>> _number("80"), _number("1.5")
    (80, 1.5)
    """
    if isinstance(value, bool):
        raise ValueError(value)
    if not isinstance(value, str):
        return value
    number = float(value)
    if not isfinite(number):
        raise ValueError(value)
    return int(number) if number.is_integer() else number


def _flag(value: Any) -> Any:
    """A boolean, also from words or numbers.

    >>> _flag("Yes"), _flag("否"), _flag(1)
    (True, False, True)
    """
    word = str(value).strip().casefold()
    return True if word in _ON else False if word in _OFF else value


def _name(value: Any) -> Any:
    return str(value) if type(value) is int else value  # some programs use numbers as user ids


def _logic(value: Any) -> Any:
    """The selective logic: our word in any case, or SillyTavern's number.

    >>> _logic(3).value, _logic("NOT_ALL")
    ('and_all', 'not_all')
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(_LOGICS):
        return _LOGICS[value]
    return value.lower() if isinstance(value, str) else value


def _unread(field: str, found: Any) -> Problem:
    """The problem of a value that is not the date or number a field expects."""
    if field in _MOMENTS:
        return Problem.of("bad_moment", field=field, found=quoted(found))
    return Problem.of(
        "wrong_type",
        field=field,
        wanted=LocalizedText("a number"),
        found=quoted(found),
        example=str(DEFAULTS.get(field, 0.5)),
    )


_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_MOMENTS, moment),
    **dict.fromkeys(_LISTS, _texts),
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(("constant", "archived", "locked"), _flag),
    **dict.fromkeys(("content", "user", "subject"), _name),
    "selective_logic": _logic,
    "evidence": _evidence_list,
}


_DEFAULTED = frozenset(_READERS) - {"content", *_MOMENTS, "user", "subject"} | {"source"}


_PLAIN = frozenset((str, int, float, bool, type(None)))


def _json(value: Any) -> Any:
    """A field's value as JSON."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple):
        return list(map(_json, value))
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value


DEFAULTS: JsonMapping = {
    name: _json(field.get_default())
    for name, field in Memory.model_fields.items()
    if not field.is_required()
}


def value_of(memory: Memory, name: str) -> Any:
    """One field as JSON; None for an absent unknown field.

    >>> value_of(decode("x", None, "a"), "priority")
    50
    """
    if name in _OURS:
        return _json(getattr(memory, name))
    return (memory.model_extra or {}).get(name)


def fields_of(memory: Memory) -> JsonObject:
    """Fields that differ from their default, as JSON, in file order, unknown ones last; without id and type.

    >>> fields_of(decode({"content": "x", "priority": 50, "weight": 2, "mood": "calm"}, None, "a"))
    {'content': 'x', 'weight': 2.0, 'mood': 'calm'}
    """
    found = {
        name: value
        for name in FIELDS
        if (value := value_of(memory, name)) != DEFAULTS.get(name, ...)
    }
    return {**found, **(memory.model_extra or {})}


def difference(before: Memory, after: Memory) -> dict[str, list[Any]]:
    """Field -> [before, after] for every field that differs, including `type`."""
    extras = {**(before.model_extra or {}), **(after.model_extra or {})}
    pairs = (
        (name, value_of(before, name), value_of(after, name)) for name in ("type", *FIELDS, *extras)
    )
    return {name: [one, other] for name, one, other in pairs if one != other}


def patched(memory: Memory, changes: JsonMapping) -> Memory:
    """The memory with some fields changed; None removes an unknown field. Raises: EntryError."""
    fields = {**fields_of(memory), "type": memory.type.value, **changes}
    if memory.chapter and isinstance(told := changes.get("chapter"), Mapping):
        fields["chapter"] = {**_json(memory.chapter), **told}
    gone = [name for name, value in changes.items() if value is None and name not in _OURS]
    for name in gone:
        del fields[name]
    return decode(fields, None, memory.id)


def write_field(raw: JsonObject, name: str, value: Any) -> None:
    """Set one field of an author's entry, under the author's name for it; defaults are omitted."""
    here = next(
        (
            alias
            for alias, ours in ALIASES.items()
            if ours == name and alias in raw and name not in raw
        ),
        name,
    )
    absent = value is None and name not in _OURS
    if absent or (name in DEFAULTS and value == DEFAULTS[name]):
        raw.pop(here, None)
    else:
        raw[here] = value


def encode(memory: Memory) -> JsonObject:
    """A memory as a new entry."""
    return {"id": memory.id, **fields_of(memory)}
