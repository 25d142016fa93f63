"""What a format cannot say is kept beside what it can, so that the way back restores it (spec/frontends.md 7.6, point 7).

Every format is turned to and from one hub, the V3 shape. Two notes may stand in `extensions.rolememory` of a card or entry:

    kept        fields of the hub that the file's own format cannot hold: [{"at": [path], "was": value, "now": what is read instead}]
    {format}    fields of that format which the hub cannot hold, the same way

A field is restored only while it still reads as it did when the note was made: later edits stand.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rolememory.cards.json_changes import ABSENT, FieldChange, Path, changes, value_at, with_value
from rolememory.cards.json_edit import same
from rolememory.cards.json_read import list_of, objects_of
from rolememory.schema.json_types import JsonMapping, JsonObject

Turn = Callable[[JsonObject], JsonObject]

OURS = "rolememory"
KEPT = "kept"
MADE = "made"  # the extensions are there only for us: what stood in their place
EXTENSIONS: Path = ("extensions",)
OF_CARD = "of_card"  # in the extensions of a book file: a card brought it along


def lift(
    raw: JsonObject,
    name: str,
    to_hub: Turn,
    from_hub: Turn | None,
    place: Path = EXTENSIONS,
    hub_place: Path = EXTENSIONS,
) -> JsonObject:
    """The hub shape of `raw`: what its format says, with what was kept put back, and what the hub cannot say noted.

    `place` is where extensions stand in the format, `hub_place` in the hub. Without `from_hub` (a format that is only read) nothing is noted.
    """
    plain, kept = without_note(raw, KEPT, place)
    hub = restored(to_hub(plain), kept)
    beyond = notes(changes(plain, from_hub(hub))) if from_hub else []
    return with_note(hub, name, beyond, hub_place)


def lower(
    hub: JsonObject,
    name: str,
    to_hub: Turn,
    from_hub: Turn,
    place: Path = EXTENSIONS,
    hub_place: Path = EXTENSIONS,
) -> JsonObject:
    """The hub shape in a format; what the format cannot hold is kept in its extensions."""
    plain, beyond = without_note(hub, name, hub_place)
    raw = restored(from_hub(plain), beyond)
    return with_note(raw, KEPT, notes(changes(plain, to_hub(raw))), place)


def notes(found: Iterable[FieldChange]) -> list[JsonObject]:
    """The changes as JSON."""
    return [_note(one) for one in found]


def restored(raw: JsonObject, told: Any) -> JsonObject:
    """`raw` with the noted fields as they were, where nobody has changed them since."""
    for one in _read(told):
        if same(value_at(raw, one.path), one.after):
            raw = with_value(raw, one.path, one.before)
    return raw


def noted(raw: JsonMapping, name: str, place: Path = EXTENSIONS) -> Iterator[FieldChange]:
    """The fields that are noted under that name."""
    return _read(note_of(raw, name, place))


def note_of(raw: JsonMapping, name: str, place: Path = EXTENSIONS) -> Any:
    """What stands under that name in our part of the extensions, or None."""
    found = value_at(raw, (*place, OURS, name))
    return None if found is ABSENT else found


def with_note(raw: JsonObject, name: str, value: Any, place: Path = EXTENSIONS) -> JsonObject:
    """`raw` with that value in our part of its extensions; nothing is written where there is nothing to say."""
    at = value_at(raw, place)
    if not value:
        return raw
    if not isinstance(at, Mapping):
        raw = with_value(raw, (*place, OURS, MADE), {} if at is ABSENT else {"was": at})
    return with_value(raw, (*place, OURS, name), value)


def without_note(raw: JsonObject, name: str, place: Path = EXTENSIONS) -> tuple[JsonObject, Any]:
    """`raw` without that note, and the note. With our last note go the extensions too, if they are there only for us."""
    found = note_of(raw, name, place)
    if found is None:
        return raw, None
    rest = with_value(raw, (*place, OURS, name), ABSENT)
    left = value_at(rest, (*place, OURS))
    return (stripped(rest, place) if left == {} or list(left) == [MADE] else rest), found


def stripped(raw: JsonObject, place: Path = EXTENSIONS) -> JsonObject:
    """`raw` without our part of its extensions, as it was before we wrote there."""
    made = note_of(raw, MADE, place)
    if value_at(raw, (*place, OURS)) is ABSENT:
        return raw
    if isinstance(made, Mapping) and len(value_at(raw, place)) == 1:
        return with_value(raw, place, made.get("was", ABSENT))
    return with_value(raw, (*place, OURS), ABSENT)


def is_empty(value: Any) -> bool:
    """Whether a field with this value says no more than its absence.

    >>> [is_empty(value) for value in (None, "", [], {}, False, ABSENT, 0)]
    [True, True, True, True, True, True, False]
    """
    return value is ABSENT or value is None or value is False or value in ("", [], {})


def _note(one: FieldChange) -> JsonObject:
    told = (("was", one.before), ("now", one.after))
    return {"at": list(one.path), **{name: value for name, value in told if value is not ABSENT}}


def _read(told: Any) -> Iterator[FieldChange]:
    """The changes in a note; what is no change says nothing."""
    for one in objects_of(told):
        path = list_of(one.get("at"))
        if path and all(isinstance(name, str) for name in path):
            yield FieldChange(tuple(path), one.get("was", ABSENT), one.get("now", ABSENT))
