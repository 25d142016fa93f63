"""Converts books of character cards (V2, V3) and stand-alone V3 books to world entries and back.

Source: spec/worldinfo.md 7.2, 7.3. Fields without a counterpart (priority, use_regex, the card's own case_sensitive, scan depth
and budget of the book) are kept beside it: the exact rules ignore them, the default rules use them.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from rolememory.cards.sillytavern import (
    NEW_ENTRY,
    POSITIONS,
    choice_number,
    collect,
    entry_problems,
    folder_mark,
    is_world_list,
    listed_entries,
    number_or_none,
)
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping, JsonObject, object_of
from rolememory.schema.lorebook import BookSource, Lorebook

_KEPT_CAMEL = ("useProbability", "selectiveLogic")
_NAMES = {
    "uid": "id",
    "key": "keys",
    "keysecondary": "secondary_keys",
    "comment": "comment",
    "content": "content",
    "constant": "constant",
    "selective": "selective",
    "order": "insertion_order",
}
"""Fields of a world entry, and their names in a card's."""
CARD_NAMES = {ours: name for ours, name in _NAMES.items() if ours not in ("uid", name)}
"""Those of them that a card calls otherwise."""
_IF_EMPTY: JsonObject = {
    "keysecondary": [],
    "comment": "",
    "constant": False,
    "selective": False,
}
WORLD_OWN = (*_NAMES, "disable", "addMemo", "position")
_EXTENDED = tuple(field for field in NEW_ENTRY if field not in WORLD_OWN)
_ABSENT = {**NEW_ENTRY, "delayUntilRecursion": False}
_ABSENT_IN_CARD = {
    **_ABSENT,
    "probability": None,
    "groupWeight": None,
    "useProbability": False,
    "useGroupScoring": False,
}
WORLD_MARKS = ("selectiveLogic", "display_index")  # extensions that only SillyTavern writes


def is_character_book(raw: JsonMapping) -> bool:
    """Whether this is the book of a card, bare or as a stand-alone V3 book."""
    entries = raw.get("entries")
    return is_lorebook_v3(raw) or (isinstance(entries, list) and not is_world_list(entries))


def is_lorebook_v3(raw: JsonMapping) -> bool:
    """Whether this is a stand-alone V3 book."""
    return raw.get("spec") == "lorebook_v3"


def read_character_book(
    raw: JsonMapping, name: str = "", source: BookSource = BookSource.CHARACTER
) -> Lorebook:
    """The book of a card. `raw` is the `character_book` object, or a stand-alone `{"spec": "lorebook_v3", "data": book}`."""
    book = (
        raw["data"]
        if raw.get("spec") == "lorebook_v3" and isinstance(raw.get("data"), Mapping)
        else raw
    )
    given = listed_entries(book.get("entries"))
    entries, problems = collect(
        ((uid, _world_entry_of(one, at), _beyond(one)) for at, (uid, one) in enumerate(given)),
        _written,
    )
    for uid, one in given:
        problems += _without_place(uid, one)
    recursive = book.get("recursive_scanning")
    return Lorebook(
        name=name or str(book.get("name") or ""),
        description=str(book.get("description") or ""),
        source=source,
        entries=entries,
        problems=problems,
        scan_depth=number_or_none(book.get("scan_depth")),
        token_budget=number_or_none(book.get("token_budget")),
        recursive_scanning=None if recursive is None else bool(recursive),
        format="character_book",
        raw=dict(raw),
    )


def _written(field: str) -> str:
    """The name of a world entry's field in a card."""
    return _NAMES.get(field) or f"extensions.{snake(field)}"


def _without_place(uid: str, source: Any) -> tuple[LocalizedText, ...]:
    """The problem of an entry whose own position is none, and that names no other."""
    if not isinstance(source, Mapping) or object_of(source.get("extensions")).get("position"):
        return ()
    return entry_problems(source, uid, ("position",))


def _world_entry_of(one: Any, at: int) -> Any:
    return (
        world_entry(one, at) if isinstance(one, Mapping) else one
    )  # reported as a problem when read


def world_entry(source: JsonMapping, index: int) -> JsonObject:
    """A card entry as world entry. Fields without a counterpart are dropped."""
    if not isinstance(source, Mapping):
        raise TypeError(f"expected an object, got {type(source).__name__}")
    extensions = object_of(source.get("extensions"))
    told = {"uid": index, **{ours: source[name] for ours, name in _NAMES.items() if name in source}}
    told |= {ours: empty for ours, empty in _IF_EMPTY.items() if not told.get(ours)}
    after = source.get("position") != "before_char"
    return {
        **{ours: told[ours] for ours in _NAMES if ours in told},
        "position": _first(extensions.get("position"), int(after)),
        "disable": not source.get("enabled"),
        "addMemo": bool(told["comment"]),
        "displayIndex": _first(extensions.get("display_index"), index),
        "extensions": source.get("extensions") or {},
        **folder_mark(source),
        **{field: _first(extensions.get(snake(field)), _ABSENT[field]) for field in _EXTENDED},
    }


def card_entry(entry: JsonMapping) -> JsonObject:
    """A world entry as card entry. Keys in slashes are patterns there, so `use_regex` is always true."""
    extended = {
        snake(field): _first(entry.get(field), _ABSENT_IN_CARD[field])
        for field in _EXTENDED
        if field != "excludeRecursion"
    }
    plain = {
        "position": "position",
        "exclude_recursion": "excludeRecursion",
        "display_index": "displayIndex",
    }
    return {
        **{name: entry[ours] for ours, name in _NAMES.items() if ours in entry},
        "enabled": not entry.get("disable"),
        "position": "before_char"
        if choice_number("position", entry.get("position")) == 0
        else "after_char",
        "use_regex": True,
        **folder_mark(entry),
        "extensions": {
            **object_of(entry.get("extensions")),
            **{name: entry[field] for name, field in plain.items() if field in entry},
            **extended,
        },
    }


@cache
def snake(field: str) -> str:
    """The name of a world field in a card's `extensions`; two are unchanged.

    >>> snake("matchScenario"), snake("useProbability")
    ('match_scenario', 'useProbability')
    """
    return (
        field
        if field in _KEPT_CAMEL
        else re.sub("[A-Z]", lambda capital: "_" + capital.group().lower(), field)
    )


def _beyond(source: object) -> JsonObject:
    """Card fields that a world file cannot hold and the default rules use."""
    if not isinstance(source, Mapping):
        return {}
    told: JsonObject = {"priority": number_or_none(source.get("priority"))}
    place = choice_number("position", source.get("position"))
    if place is not None and object_of(source.get("extensions")).get("position") is None:
        told["position"] = POSITIONS[place]
    if source.get("case_sensitive") is not None:
        told["card_case_sensitive"] = bool(source["case_sensitive"])
    if source.get("use_regex") is not None and not any(
        mark in object_of(source.get("extensions")) for mark in WORLD_MARKS
    ):
        told["use_regex"] = bool(source["use_regex"])
    for field in ("keys", "secondary_keys"):
        if isinstance(source.get(field), str):
            told[field] = tuple(key.strip() for key in source[field].split(","))
    return told


def _first(value: Any, absent: Any) -> Any:
    return absent if value is None else value
