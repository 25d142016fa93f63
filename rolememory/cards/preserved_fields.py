"""Preserves fields that a format cannot hold, so that converting back restores them (spec/frontends.md 7.6, point 7).

Every format is converted via a common one, the V3 shape. Two notes may be in `extensions.rolememory` of a card or entry:

    kept        fields of the hub that the file's own format cannot hold: [{"at": [path], "was": value, "now": what is read instead}]
    {format}    fields of that format which the hub cannot hold, the same way

A field is restored only while it still reads as when the note was made: later edits win.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rolememory.cards.json_changes import ABSENT, FieldChange, Path, changes, value_at, with_value
from rolememory.cards.json_edit import same
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, objects_of

Turn = Callable[[JsonObject], JsonObject]

OURS = "rolememory"
KEPT = "kept"
MADE = "made"  # extensions exist only for us: the value before
EXTENSIONS: Path = ("extensions",)
OF_CARD = "of_card"  # in the extensions of a book file: it came from a card


def lift(
    raw: JsonObject,
    name: str,
    to_hub: Turn,
    from_hub: Turn,
    place: Path = EXTENSIONS,
    hub_place: Path = EXTENSIONS,
) -> JsonObject:
    """The V3 shape of `raw`, with preserved fields restored, and notes on fields that V3 cannot hold.

    `place` is the path of extensions in the format, `hub_place` in V3.
    """
    plain, kept = without_note(raw, KEPT, place)
    hub = restored(to_hub(plain), kept)
    return with_note(hub, name, _notes(plain, from_hub(hub)), hub_place)


def lower(
    hub: JsonObject,
    name: str,
    to_hub: Turn,
    from_hub: Turn,
    place: Path = EXTENSIONS,
    hub_place: Path = EXTENSIONS,
) -> JsonObject:
    """The V3 shape in a format; unsupported fields are kept in its extensions."""
    plain, beyond = without_note(hub, name, hub_place)
    raw = restored(from_hub(plain), beyond)
    return with_note(raw, KEPT, _notes(plain, to_hub(raw)), place)


def _notes(before: JsonMapping, after: JsonMapping) -> list[JsonObject]:
    """The differences as JSON."""
    return list(map(_note, changes(before, after)))


def restored(raw: JsonObject, told: Any) -> JsonObject:
    """`raw` with the noted fields restored, unless changed since."""
    for one in _read(told):
        if same(value_at(raw, one.path), one.after):
            raw = with_value(raw, one.path, one.before)
    return raw


def noted(raw: JsonMapping, name: str, place: Path = EXTENSIONS) -> Iterator[FieldChange]:
    """The fields noted under that name."""
    return _read(note_of(raw, name, place))


def note_of(raw: JsonMapping, name: str, place: Path = EXTENSIONS) -> Any:
    """The value under that name in our extensions, or None."""
    found = value_at(raw, (*place, OURS, name))
    return None if found is ABSENT else found


def with_note(raw: JsonObject, name: str, value: Any, place: Path = EXTENSIONS) -> JsonObject:
    """`raw` with that value in our extensions; empty values are not written."""
    at = value_at(raw, place)
    if not value:
        return raw
    if not isinstance(at, Mapping):
        raw = with_value(raw, (*place, OURS, MADE), {} if at is ABSENT else {"was": at})
    return with_value(raw, (*place, OURS, name), value)


def without_note(raw: JsonObject, name: str, place: Path = EXTENSIONS) -> tuple[JsonObject, Any]:
    """`raw` without that note, and the note. Extensions created only for us are removed with the last one."""
    found = note_of(raw, name, place)
    if found is None:
        return raw, None
    rest = with_value(raw, (*place, OURS, name), ABSENT)
    left = value_at(rest, (*place, OURS))
    return (stripped(rest, place) if left == {} or list(left) == [MADE] else rest), found


def stripped(raw: JsonObject, place: Path = EXTENSIONS) -> JsonObject:
    """`raw` without our extensions, as it was before."""
    made = note_of(raw, MADE, place)
    if value_at(raw, (*place, OURS)) is ABSENT:
        return raw
    if isinstance(made, Mapping) and len(value_at(raw, place)) == 1:
        return with_value(raw, place, made.get("was", ABSENT))
    return with_value(raw, (*place, OURS), ABSENT)


def is_empty(value: Any) -> bool:
    """Whether this value means the same as a missing field.

    >>> [is_empty(value) for value in (None, "", [], {}, False, ABSENT, 0)]
    [True, True, True, True, True, True, False]
    """
    return value is ABSENT or value is None or value is False or value in ("", [], {})


def _note(one: FieldChange) -> JsonObject:
    told = (("was", one.before), ("now", one.after))
    return {"at": list(one.path), **{name: value for name, value in told if value is not ABSENT}}


def _read(told: Any) -> Iterator[FieldChange]:
    """The changes in a note; invalid ones are ignored."""
    for one in objects_of(told):
        path = list_of(one.get("at"))
        if path and all(isinstance(name, str) for name in path):
            yield FieldChange(tuple(path), one.get("was", ABSENT), one.get("now", ABSENT))
