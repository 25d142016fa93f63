"""Converts lorebook entries to and from the V3 entry {keys, content, extensions, enabled, insertion_order, ...}.

Each pair of functions is pure and may be lossy; `EntryForm.lift` and `lower` preserve the rest. Fields are mapped by meaning,
not by name: a pattern becomes a key in slashes where only those are patterns.
"""

import re
from collections.abc import Callable
from typing import Any

from rolememory.cards import preserved_fields
from rolememory.cards.character_book import WORLD_MARKS, WORLD_OWN, card_entry, snake, world_entry
from rolememory.cards.json_changes import Path
from rolememory.cards.json_edit import same
from rolememory.cards.json_read import is_whole
from rolememory.cards.other_books import split_keys
from rolememory.cards.sillytavern import NEW_ENTRY
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, object_of
from rolememory.schema.value_class import value_class
from rolememory.text.decorators import read_card

_EXTENDED: JsonObject = {
    snake(field): value for field, value in NEW_ENTRY.items() if field not in WORLD_OWN
} | {"delay_until_recursion": False}
"""What SillyTavern writes into the extensions of every entry, with the value it has when nobody chose one."""
_BARE = "bare"  # the card's entry had none of those: they are regenerated, not written back

_SLASHED = re.compile(r"/.+/[a-z]*", re.DOTALL)


@value_class
class EntryForm:
    """A format of entries. `from_hub` also gets the number for an entry without an id."""

    name: str
    to_hub: Callable[[JsonObject], JsonObject]
    from_hub: Callable[[JsonObject, int], JsonObject]
    number: str = ""  # the field with such a number

    def lift(self, raw: JsonMapping, number: int) -> JsonObject:
        """The V3 entry, preserved fields restored."""
        at = self.number_of(raw, number)
        return preserved_fields.lift(
            dict(raw), self.name, self.to_hub, lambda hub: self.from_hub(hub, at)
        )

    def number_of(self, raw: JsonMapping, other: int) -> int:
        """The entry's number in its file."""
        own = raw.get(self.number)
        return own if is_whole(own) else other

    def lower(self, hub: JsonMapping, number: int) -> JsonObject:
        """The entry in this format; unsupported fields are kept in its extensions."""
        return preserved_fields.lower(
            dict(hub),
            self.name,
            self.to_hub,
            lambda one: self.from_hub(one, number),
        )


def as_v3(entry: JsonMapping) -> JsonObject:
    """A V2 entry with V3's required `use_regex`: true if all keys are written as patterns."""
    return dict(entry) if "use_regex" in entry else {**entry, "use_regex": _all_slashed(entry)}


def as_v2(entry: JsonMapping) -> JsonObject:
    """A V3 entry as V2: no decorators, no text as id, and `use_regex` only if keys do not imply it."""
    usual = entry.get("use_regex") is _all_slashed(entry)
    told = {
        name: value
        for name, value in entry.items()
        if not (name == "use_regex" and usual) and not (name == "id" and isinstance(value, str))
    }
    return (
        {**told, "content": read_card(content)[1]}
        if isinstance(content := entry.get("content"), str) and "@@" in content
        else told
    )


def _from_world(raw: JsonObject) -> JsonObject:
    hub = card_entry(raw)
    extensions = {**hub["extensions"], "use_group_scoring": raw.get("useGroupScoring")}
    if preserved_fields.note_of(hub, _BARE):
        usual = {
            **_EXTENDED,
            "position": 0 if raw.get("position") == 0 else 1,
            "display_index": raw.get("uid"),
        }
        extensions = {
            name: value
            for name, value in extensions.items()
            if name not in usual or not same(value, usual[name])
        }
        return preserved_fields.without_note({**hub, "extensions": extensions}, _BARE)[0]
    return {**hub, "extensions": extensions}


def _world(hub: JsonObject, number: int) -> JsonObject:
    """A V3 pattern becomes a key in slashes; such an entry has neither secondary keys nor constancy."""
    told = {
        **hub,
        "comment": title(hub),
        "keys": keys_of(hub),
        "secondary_keys": keys_of(hub, "secondary_keys"),
    }
    if is_pattern(hub):
        told |= {
            "keys": [_slashed(key) for key in told["keys"]],
            "selective": False,
            "constant": False,
        }
    extended = object_of(hub.get("extensions"))
    bare = not any(name in extended for name in (*_EXTENDED, "position", "display_index"))
    return preserved_fields.with_note({**world_entry(told, number), "uid": number}, _BARE, bare)


def is_usual(entry: JsonMapping, path: Path) -> bool:
    """Whether a card field has only a default value that SillyTavern writes into every entry."""
    if path == ("use_regex",):
        return not is_pattern(entry)
    if path == ("selective",):
        return not entry.get("secondary_keys")
    if len(path) != 2 or path[0] != "extensions":
        return False
    return _is_unchosen(path[1], object_of(entry.get("extensions")).get(path[1]))


def _is_unchosen(name: str, value: Any) -> bool:
    """Whether an extension has its default value."""
    if name in ("sticky", "cooldown", "delay") and not value:
        return True
    if name in ("display_index", "position"):
        return name == "display_index" or value in (0, 1)
    return name in _EXTENDED and same(value, _EXTENDED[name])


def is_pattern(hub: JsonMapping) -> bool:
    """Whether the keys are V3 patterns; SillyTavern sets that flag in every entry, where it means nothing."""
    return bool(hub.get("use_regex")) and not any(
        mark in object_of(hub.get("extensions")) for mark in WORLD_MARKS
    )


def title(hub: JsonMapping) -> str:
    """The title that editors show."""
    return text(hub.get("comment") or hub.get("name"))


def keys_of(hub: JsonMapping, field: str = "keys") -> list[str]:
    """The keys as a list, in any notation.

    >>> keys_of({"keys": "beacon, lamp"}), keys_of({"keys": ["beacon", 7, None]}), keys_of({})
    (['beacon', 'lamp'], ['beacon', '7'], [])
    """
    keys = hub.get(field)
    if isinstance(keys, str):
        return split_keys(keys) if keys else []
    return [text(key) for key in list_of(keys) if key is not None]


def text(value: object) -> str:
    """The value as text, whatever its type.

    >>> text(None), text(7), text("lamp")
    ('', '7', 'lamp')
    """
    return (
        ""
        if value is None or isinstance(value, dict | list)
        else value
        if isinstance(value, str)
        else str(value)
    )


def _all_slashed(hub: JsonMapping) -> bool:
    keys = keys_of(hub)
    return bool(keys) and all(_SLASHED.fullmatch(key) for key in keys)


def _slashed(key: str) -> str:
    return key if _SLASHED.fullmatch(key) else "/" + re.sub(r"(?<!\\)/", r"\\/", key) + "/"


HUB = EntryForm("hub", lambda raw: raw, lambda hub, number: hub)
CARD = EntryForm("card", lambda raw: raw, lambda hub, number: hub)
CARD_V2 = EntryForm("card_v2", as_v3, lambda hub, number: as_v2(hub))
WORLD = EntryForm("sillytavern", _from_world, _world, number="uid")
