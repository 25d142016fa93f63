"""Parses memory fields on a command line: `keys=beacon,storm`, `weight=1.5`, `expires=`."""

from collections.abc import Iterable, Mapping
from typing import Any

from rolememory.cli.output import Row
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.memory import Memory


def split(text: str) -> list[str]:
    """Split a comma list, Western or Chinese.

    >>> split("beacon, storm，灯塔、海")
    ['beacon', 'storm', '灯塔', '海']
    """
    for comma in "，、;；":
        text = text.replace(comma, ",")
    return [one for part in text.split(",") if (one := part.strip())]


def value_of(name: str, text: str) -> Any:
    """The value of a text; None = the default. Lists, numbers and switches are parsed by the reader of memory.json.

    >>> value_of("keys", "a,b"), value_of("user", ""), value_of("chapter", "Fog")
    ('a,b', None, {'title': 'Fog'})
    """
    if not text.strip() and name not in ("content", "type"):
        return None
    special: Row = {"evidence": [{"quote": text}], "chapter": {"title": text}}
    return special.get(name, text)


def assignments(given: Iterable[str], memory: Memory | None = None) -> Row:
    """The changes of `field=value`, `field+=value` and `field-=value`.

    Raises:
        InvalidValueError, UnknownNameError: no assignment, or no such field.
    """
    changes: Row = {}
    for text in given:
        name, joint, value = text.partition("=")
        if not joint:
            raise InvalidValueError(
                "{text!r}: expected field=value; write keys=beacon,storm", text=text
            )
        sign = name[-1:] if name[-1:] in "+-" else ""
        field = field_named(name.rstrip("+-").strip(), memory)
        changes[field] = (
            _joined(field, sign, value, changes, memory) if sign else value_of(field, value)
        )
    return changes


def _joined(
    field: str, sign: str, value: str, changes: Mapping[str, Any], memory: Memory | None
) -> Any:
    """A list with items added or removed."""
    from rolememory.storage.codec import DEFAULTS

    if not isinstance(DEFAULTS.get(field), list | tuple):
        raise InvalidValueError(
            "{field}: is no list, so {field}{sign}= means nothing; write {field}={value}",
            field=field,
            sign=sign,
            value=value,
        )
    before = changes.get(field, getattr(memory, field, ())) or ()
    now = split(before) if isinstance(before, str) else list(before)
    wanted = split(value)
    return (
        [*now, *(one for one in wanted if one not in now)]
        if sign == "+"
        else [one for one in now if one not in wanted]
    )


def field_named(name: str, memory: Memory | None = None) -> str:
    """The field with this name, ours or a known foreign one; custom fields too if the memory has them.

    Raises:
        UnknownNameError: none.
    """
    from rolememory.storage.codec import ALIASES, FIELDS

    if name in (memory.model_extra or {} if memory else {}):
        return name
    known = ("type", *FIELDS)
    ours = ALIASES.get(name, name)
    if ours not in known:
        raise UnknownNameError("field", name, known)
    return ours
