"""Edits single entries of a lorebook of any format, by our names for their fields; the rest of the file stays as it is.

A world file is changed in place. Any other format is converted to the world's shape and back, and only differences are written:
unsupported fields are kept in the entry's extensions, as in conversions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rolememory.cards.book_file import Book
from rolememory.cards.entry_forms import WORLD
from rolememory.cards.json_changes import ABSENT, applied, changes, value_at, with_value
from rolememory.cards.sillytavern import (
    FIELD_NAMES,
    LOGICS,
    MATCHES,
    POSITIONS,
    ROLES,
    in_script_order,
    new_entry,
)
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.locales import Listed
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, object_of
from rolememory.schema.lorebook import Lorebook, LoreEntry
from rolememory.schema.value_class import value_class

_PLAIN = (
    "content",
    "comment",
    "constant",
    "selective",
    "depth",
    "probability",
    "group",
    "sticky",
    "cooldown",
    "delay",
    "triggers",
    *(name for name in FIELD_NAMES if name not in ("selective_logic", "character_filter")),
)
FIELDS = (*_PLAIN, "enabled", "selective_logic", "position", "role", "match_sources")
"""What can be changed, by our names; values as in JSON."""


@value_class
class Placed:
    """An entry and its place in the document. `entry` is None if it is invalid."""

    uid: str
    key: str | int  # in the object or the list of entries
    raw: JsonMapping
    entry: LoreEntry | None


def placed(book: Book, lorebook: Lorebook | None = None) -> list[Placed]:
    """Every entry in the order of the file, with the engine's uid. Non-objects are left out.

    An invalid entry is named by its place in brackets. `lorebook`: the book as the engine reads it, if that was read before.
    """
    standing = [(key, raw) for key, raw in _members(book) if isinstance(raw, Mapping)]
    read = list((lorebook or book.lorebook()).entries)
    readable = (
        [True] * len(standing)
        if len(read) == len(standing)
        else [_reads(book, key, raw) for key, raw in standing]
    )
    known = iter(read)
    found = [
        (key, raw, next(known, None) if good else None)
        for (key, raw), good in zip(standing, readable, strict=True)
    ]
    return [Placed(entry.id if entry else f"[{key}]", key, raw, entry) for key, raw, entry in found]


def changed(book: Book, entry: str | Placed, fields: JsonMapping) -> Book:
    """The book with these fields of one entry set; the entry as `placed` gave it, or by its uid.

    Raises:
        UnknownNameError: no such entry or field.
        InvalidValueError: an invalid position, logic or role.
    """
    here = _one(book, entry) if isinstance(entry, str) else entry
    return _with(book, here.key, _edited(book, here, world_fields(fields)))


def added(book: Book, fields: JsonMapping) -> tuple[Book, str]:
    """The book with an entry appended, and its uid. Raises: as `changed`."""
    number = _free_number(book)
    world = {"uid": number, **new_entry(**world_fields(fields))}
    if book.form.by_uid:
        return _with(book, str(number), {"uid": number, **world}), str(number)
    standing = value_at(book.raw, book.form.entries)
    key: str | int = str(number) if isinstance(standing, Mapping) else len(_members(book))
    grown = _with(book, key, book.form.entry.lower(WORLD.lift(world, number), number))
    return grown, placed(grown)[-1].uid


def removed(book: Book, uid: str) -> Book:
    """The book without one entry. Raises: UnknownNameError."""
    return _with(book, _one(book, uid).key, ABSENT)


def world_fields(fields: JsonMapping) -> JsonObject:
    """Our fields converted to a world file's.

    >>> world_fields({"keys": ["beacon"], "enabled": False, "position": "depth", "selective_logic": "and_all"})
    {'key': ['beacon'], 'disable': True, 'position': 4, 'selectiveLogic': 3}
    """
    told: JsonObject = {}
    for name, value in fields.items():
        told |= _told(name, value)
    return told


def _told(name: str, value: Any) -> JsonObject:
    if name in _PLAIN:
        return {FIELD_NAMES.get(name, name): value}
    if name == "enabled":
        return {"disable": not value}
    if name == "match_sources":
        return {field: source.value in value for source, field in MATCHES.items()}
    for field, ours, values in (
        ("selective_logic", "selectiveLogic", LOGICS),
        ("position", "position", POSITIONS),
        ("role", "role", ROLES),
    ):
        if name == field:
            return {ours: _index(field, value, [str(getattr(one, "value", one)) for one in values])}
    raise UnknownNameError("field", name, FIELDS)


def _index(field: str, value: Any, known: Sequence[str]) -> int:
    if value not in known:
        raise InvalidValueError(
            "{field}: expected one of {known}, got {value!r:.60}",
            field=field,
            known=Listed(known),
            value=value,
        )
    return known.index(value)


def _members(book: Book) -> list[tuple[str | int, Any]]:
    standing = value_at(book.raw, book.form.entries)
    if isinstance(standing, Mapping):
        return [(key, one) for key, one in in_script_order(standing)]
    return list(enumerate(list_of(standing)))


def _reads(book: Book, key: str | int, raw: JsonMapping) -> bool:
    """Whether an entry is valid: checked in a book with only this entry."""
    alone = {key: raw} if isinstance(key, str) else [raw]
    return len(_with_entries(book, alone).lorebook().entries) == 1


def _one(book: Book, uid: str) -> Placed:
    found = placed(book)
    for one in found:
        if one.uid == uid:
            return one
    raise UnknownNameError("entry", uid, [one.uid for one in found])


def _edited(book: Book, here: Placed, told: JsonObject) -> JsonObject:
    if book.form.by_uid:
        return {**here.raw, **told}
    number = here.key if isinstance(here.key, int) else _free_number(book)
    world = WORLD.lower(book.form.entry.lift(here.raw, number), number)
    before, after = (
        book.form.entry.lower(WORLD.lift(one, number), number) for one in (world, {**world, **told})
    )
    return applied(here.raw, list(changes(before, after)))


def _with(book: Book, key: str | int, entry: Any) -> Book:
    """The book with that entry set; ABSENT removes it."""
    standing = value_at(book.raw, book.form.entries)
    if isinstance(standing, Mapping):
        return _with_entries(book, with_value(standing, (str(key),), entry))
    listed = [*list_of(standing)]
    at = int(key)
    listed[at : at + 1] = () if entry is ABSENT else (entry,)
    return _with_entries(book, listed)


def _with_entries(book: Book, entries: Any) -> Book:
    return book.with_raw(with_value(book.raw, book.form.entries, entries))


def _free_number(book: Book) -> int:
    return max(_numbers(book), default=-1) + 1


def _numbers(book: Book) -> Iterator[int]:
    """Every number in use as a key, uid or id."""
    for key, raw in _members(book):
        names = (key, *map(object_of(raw).get, ("uid", "id")))
        yield from (
            int(name)
            for name in names
            if isinstance(name, int | str)
            and str(name).isdecimal()
            and str(name).isascii()
            and len(str(name)) < 10
        )
