"""World files of SillyTavern: an object from uid to entry. Other formats are converted to this shape and read by the same code.

Source: spec/worldinfo.md 1 and 7.1. A missing field differs from one with its default value: it is read as
SillyTavern does.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from rolememory.errors import InvalidValueError
from rolememory.locales import Listed, LocalizedText
from rolememory.schema.entry import SelectiveLogic
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, objects_of
from rolememory.schema.lorebook import (
    BookSource,
    CharacterFilter,
    Lorebook,
    LoreEntry,
    LorePosition,
    MatchSource,
    Voice,
)

POSITIONS = tuple(LorePosition)[:8]  # by number; the others are those of decorators
LOGICS = (
    SelectiveLogic.AND_ANY,
    SelectiveLogic.NOT_ALL,
    SelectiveLogic.NOT_ANY,
    SelectiveLogic.AND_ALL,
)
ROLES: tuple[Voice, ...] = ("system", "user", "assistant")
MATCHES = {
    MatchSource.PERSONA: "matchPersonaDescription",
    MatchSource.DESCRIPTION: "matchCharacterDescription",
    MatchSource.PERSONALITY: "matchCharacterPersonality",
    MatchSource.DEPTH_PROMPT: "matchCharacterDepthPrompt",
    MatchSource.SCENARIO: "matchScenario",
    MatchSource.CREATOR_NOTES: "matchCreatorNotes",
}
NEW_ENTRY: JsonObject = {
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": False,
    "order": 100,
    "position": 0,
    "disable": False,
    "ignoreBudget": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    **dict.fromkeys(MATCHES.values(), False),
    "delayUntilRecursion": 0,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "outletName": "",
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": None,
    "cooldown": None,
    "delay": None,
    "triggers": [],
}
"""What the editor gives a newly made entry."""

FIELD_NAMES: Mapping[str, str] = {
    "keys": "key",
    "secondary_keys": "keysecondary",
    "selective_logic": "selectiveLogic",
    "by_meaning": "vectorized",
    "insertion_order": "order",
    "outlet": "outletName",
    "scan_depth": "scanDepth",
    "case_sensitive": "caseSensitive",
    "match_whole_words": "matchWholeWords",
    "use_group_scoring": "useGroupScoring",
    "ignore_budget": "ignoreBudget",
    "exclude_recursion": "excludeRecursion",
    "prevent_recursion": "preventRecursion",
    "delay_until_recursion": "delayUntilRecursion",
    "use_probability": "useProbability",
    "group_override": "groupOverride",
    "group_weight": "groupWeight",
    "character_filter": "characterFilter",
}
"""Fields of an entry that a world file calls otherwise, by our names."""

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_CHOICES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "position": (
        ("before_char", "before", "before_character"),
        ("after_char", "after", "after_character"),
        ("an_top",),
        ("an_bottom",),
        ("at_depth", "depth", "_d"),
        ("em_top",),
        ("em_bottom",),
        ("outlet",),
    ),
    "selectiveLogic": (("and_any",), ("not_all",), ("not_any",), ("and_all",)),
    "role": (("system",), ("user",), ("assistant",)),
}
"""Names of the numbered choices; the first of each is told."""
_NEVER = -1.0  # a probability that never passes
_ALWAYS = 100.00000001  # a probability that always passes, but is rolled
FOLDER = "folder"  # the `mode` of what is a folder of entries in RisuAI
_NOWHERE = "\uffff"  # a key that never matches
_OFF = ("", "false", "0", "no", "off", "null", "none")
_SWITCHES = (
    "selective",
    "constant",
    "by_meaning",
    "ignore_budget",
    "exclude_recursion",
    "prevent_recursion",
    "use_probability",
    "group_override",
    "case_sensitive",
    "match_whole_words",
    "use_group_scoring",
)


def new_entry(**fields: Any) -> JsonObject:
    """A new entry with these fields."""
    return {**NEW_ENTRY, **fields}


def is_world(raw: JsonMapping) -> bool:
    """Whether this looks like a world file: entries by uid, or listed."""
    entries = raw.get("entries")
    return isinstance(entries, Mapping) or is_world_list(entries)


def is_world_list(entries: object) -> bool:
    """Whether this is a world file's list of entries: their keys are in `key`, a card's in `keys`."""
    found = objects_of(entries)
    return any("key" in one for one in found) and not any("keys" in one for one in found)


def read_world(
    raw: JsonMapping, name: str = "", source: BookSource = BookSource.GLOBAL
) -> Lorebook:
    """Read a world file. Invalid entries are left out and reported in `problems`; the others load."""
    given = listed_entries(raw.get("entries"))
    entries, problems = collect((uid, fields, {}) for uid, fields in given)
    title = name or _text(raw.get("name"))
    return Lorebook(
        name=title,
        source=source,
        entries=entries,
        format="sillytavern",
        problems=problems,
        raw=dict(raw),
    )


def folder_mark(source: JsonMapping) -> JsonObject:
    """The field by which `collect` knows a folder of RisuAI, if this is one."""
    return {"mode": FOLDER} if source.get("mode") == FOLDER else {}


def collect(
    given: Iterable[tuple[str, Any, JsonObject]], written: Callable[[str], str] = str
) -> tuple[tuple[LoreEntry, ...], tuple[LocalizedText, ...]]:
    """Read world entries: (key in the file, fields, further fields). Returns entries and problems; folders are no entries.

    Duplicate ids get a suffix, so that no entry hides another. `written` tells a field's name in the file.
    """
    entries: dict[str, LoreEntry] = {}
    problems: list[LocalizedText] = []
    for uid, fields, beyond in given:
        if isinstance(fields, Mapping) and fields.get("mode") == FOLDER:
            continue
        try:
            entry = read_entry(fields, uid)
            entry = entry.model_copy(update=beyond) if beyond else entry
        except (ValidationError, InvalidValueError, TypeError) as why:
            problem = _problem(why, written)
            problems.append(
                LocalizedText(
                    "entry {name!r}: {problem}", name=_called(fields, uid), problem=problem
                )
            )
            continue
        fresh = entry.id
        while fresh in entries:
            fresh += "+"
        problems.extend(entry_problems(fields, uid, written=written))
        entries[fresh] = entry if fresh == entry.id else entry.model_copy(update={"id": fresh})
    return tuple(entries.values()), tuple(problems)


def _problem(why: Exception, written: Callable[[str], str]) -> str | LocalizedText:
    if not isinstance(why, InvalidValueError):
        return _first_line(why)
    field = why.message.values.get("field")
    return why.message.filled(field=written(field)) if isinstance(field, str) else why.message


def in_script_order(entries: JsonMapping) -> list[tuple[str, Any]]:
    """Keys that look like array indexes first, by number; the others as they stand. Source: ECMA-262, OrdinaryOwnPropertyKeys.

    >>> [key for key, _ in in_script_order({"b": 0, "10": 0, "2": 0, "02": 0})]
    ['2', '10', 'b', '02']
    """
    numbered = [pair for pair in entries.items() if is_array_index(pair[0])]
    others = [pair for pair in entries.items() if not is_array_index(pair[0])]
    return [*sorted(numbered, key=lambda pair: int(pair[0])), *others]


def listed_entries(entries: object) -> list[tuple[str, Any]]:
    """The entries of a book by key, in order; a list's are numbered."""
    if isinstance(entries, Mapping):
        return in_script_order(entries)
    return [(str(at), one) for at, one in enumerate(list_of(entries))]


def is_array_index(key: str) -> bool:
    """Whether JavaScript treats this property name as an array index.

    >>> is_array_index("7"), is_array_index("07"), is_array_index("seven")
    (True, False, False)
    """
    return _ARRAY_INDEX.fullmatch(key) is not None and int(key) < 2**32 - 1


def read_entry(fields: JsonMapping, uid: str) -> LoreEntry:
    """Read an entry; `uid` is its key in the file, the entry's own uid wins.

    Raises:
        InvalidValueError: not an object, or an invalid field.
    """
    if not isinstance(fields, Mapping):
        raise InvalidValueError("expected an object, got {row!r:.60}", row=fields)
    own = fields.get("uid")
    return LoreEntry(
        id=str(uid if own is None else own),
        enabled=not _truth(fields.get("disable")),
        match_sources=tuple(
            source for source, field in MATCHES.items() if _truth(fields.get(field))
        ),
        raw=dict(fields),
        **{name: _read(fields, name) for name in _READERS},
        probability=_read(fields, "probability", lambda value: _number(value, 0))
        if "probability" in fields
        else _NEVER,
    )


def _read(fields: JsonMapping, name: str, read: Callable[[Any], Any] | None = None) -> Any:
    """A field of an entry, by our name. Raises: InvalidValueError."""
    written = FIELD_NAMES.get(name, name)
    found = fields.get(written)
    try:
        return (read or _READERS[name])(found)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(
            "{field}: expected a number, got {found!r:.60}; write digits, such as 100",
            field=written,
            found=found,
        ) from error


def _called(fields: Any, uid: str) -> str:
    """What to call an entry that cannot be read: its title, else its key in the file."""
    return str((isinstance(fields, Mapping) and fields.get("comment")) or uid)


def as_scripted(entry: LoreEntry) -> LoreEntry:
    """The entry as SillyTavern reads its file, where a field has another type than its editor writes.

    A switch with any text is on, `disable` must equal true; a position or logic that is not a number is none.
    """
    raw = entry.raw
    said: JsonObject = {
        field: bool(raw[name])
        for field in _SWITCHES
        if isinstance(raw.get(name := FIELD_NAMES.get(field, field)), str)
    }
    if not isinstance(raw.get("disable"), bool | None):
        said["enabled"] = number_or_none(raw["disable"]) != 1
    if raw.get("order", 100) in (None, ""):
        said["insertion_order"] = 0
    said |= _scripted_position(entry)
    if isinstance(raw.get("role"), str) and number_or_none(raw["role"]) is None:
        said["role"] = ROLES[0]
    if isinstance(raw.get("probability"), str | bool):
        said["probability"] = _ALWAYS if entry.probability == 100 else entry.probability
    said |= _scripted_logic(entry) | _scripted_keys(raw) | _scripted_sources(raw)
    return entry.model_copy(update=said) if said else entry


def _scripted_position(entry: LoreEntry) -> JsonObject:
    """A position is the number in the file; a text is none."""
    written = entry.raw.get("position")
    place = None if isinstance(written, str) else _position(written)
    return {} if written is None or place is entry.position else {"position": place}


def _scripted_logic(entry: LoreEntry) -> JsonObject:
    """With a non-numeric logic, secondary keys never pass."""
    logic = entry.raw.get("selectiveLogic")
    known = logic is None or (type(logic) is int and 0 <= logic < len(LOGICS))
    if known or not entry.secondary_keys:
        return {}
    return {"selective_logic": LOGICS[3], "secondary_keys": (_NOWHERE, *entry.secondary_keys)}


def _scripted_keys(raw: JsonMapping) -> JsonObject:
    """Empties keys of 0, which are no text."""
    lists = {"keys": raw.get("key"), "secondary_keys": raw.get("keysecondary")}
    return {
        field: tuple(_text(one or "") for one in listed)
        for field, listed in lists.items()
        if isinstance(listed, list) and any(type(one) is int and one == 0 for one in listed)
    }


def _scripted_sources(raw: JsonMapping) -> JsonObject:
    matches = [raw.get(name) for name in MATCHES.values()]
    if not any(isinstance(value, str) for value in matches):
        return {}
    return {
        "match_sources": tuple(one for one, value in zip(MATCHES, matches, strict=True) if value)
    }


def choice_number(field: str, value: object) -> int | None:
    """The number of a position, logic or role, which may be written as its name; None if there is no such choice.

    >>> [choice_number("position", value) for value in (4, "4", "before_char", "At Depth", "left", 9)]
    [4, 4, 0, 4, None, None]
    """
    if isinstance(value, str):
        named = re.sub(r"\W+", "_", value.strip().casefold())
        value = next((at for at, names in enumerate(_CHOICES[field]) if named in names), value)
    at = None if isinstance(value, bool) else number_or_none(value)
    return at if at is not None and 0 <= at < len(_CHOICES[field]) else None


def entry_problems(
    entry: JsonMapping,
    uid: str,
    fields: Iterable[str] = tuple(_CHOICES),
    written: Callable[[str], str] = str,
) -> tuple[LocalizedText, ...]:
    """What is no position, logic or role in these fields of an entry."""
    return tuple(
        LocalizedText(
            "entry {name!r}: {field}: {found!r:.60} is not known; write one of {names}",
            name=_called(entry, uid),
            field=written(field),
            found=entry[field],
            names=Listed(same[0] for same in _CHOICES[field]),
        )
        for field in fields
        if entry.get(field) not in (None, "") and choice_number(field, entry[field]) is None
    )


def _position(value: object) -> LorePosition | None:
    place = choice_number("position", value)
    return None if place is None else POSITIONS[place]


def _filter(raw: object) -> CharacterFilter | None:
    if not isinstance(raw, Mapping):
        return None
    names = _texts(raw.get("names"))
    tags = _texts(raw.get("tags"))
    return (
        CharacterFilter(names=names, tags=tags, exclude=bool(raw.get("isExclude")))
        if names or tags
        else None
    )


def _truth(value: object) -> bool:
    """Whether a switch is on, in any notation.

    >>> [_truth(value) for value in (True, 1, "true", "false", "0", "", None)]
    [True, True, True, False, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() not in _OFF
    return bool(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    return "" if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_text(one) for one in value) if isinstance(value, list | tuple) else ()


def number_or_none(value: Any) -> int | None:
    """A whole number in any notation, or None."""
    try:
        return None if value is None or value == "" else _whole(value)
    except (TypeError, ValueError):
        return None


def _number(value: Any, absent: int | float) -> int | float:
    if value is None or value == "":
        return absent
    number = (
        value if isinstance(value, int | float) and not isinstance(value, bool) else float(value)
    )
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(f"expected a number, got {value!r}")
    return number


def _whole(value: Any) -> int:
    return math.floor(_number(value, 0))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("content", "comment", "outlet", "group"), _text),
    **dict.fromkeys(("keys", "secondary_keys", "triggers"), _texts),
    **dict.fromkeys(_SWITCHES, _truth),
    **dict.fromkeys(
        ("case_sensitive", "match_whole_words", "use_group_scoring"),
        lambda value: None if value is None else _truth(value),
    ),
    **dict.fromkeys(("insertion_order", "group_weight"), lambda value: _number(value, 100)),
    **dict.fromkeys(
        ("delay_until_recursion", "sticky", "cooldown", "delay"), lambda value: _whole(value or 0)
    ),
    **dict.fromkeys(
        ("depth", "scan_depth"), lambda value: None if value is None else _whole(value)
    ),
    "selective_logic": lambda value: LOGICS[choice_number("selectiveLogic", value) or 0],
    "role": lambda value: ROLES[choice_number("role", value) or 0],
    "position": _position,
    "character_filter": _filter,
}
"""What is made of a field, by our names."""


def _first_line(why: Exception) -> str:
    if isinstance(why, ValidationError):
        first = why.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg'].lower()}, got {first['input']!r:.80}"
    return str(why).splitlines()[0]
