"""Converts character formats to and from the V3 document {spec, spec_version, data: {...}}. Source: spec/frontends.md 7.2.

Unsupported fields are kept in extensions, see `preserved_fields`. A card's book is converted by the book format of its layout.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rolememory.cards import preserved_fields
from rolememory.cards.book_forms import CARD_BOOK, CARD_BOOK_V2, HUB_BOOK, BookForm
from rolememory.cards.entry_forms import text
from rolememory.cards.json_changes import ABSENT, Path, value_at, with_value
from rolememory.cards.other_books import split_keys
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, object_of, objects_of
from rolememory.schema.value_class import value_class

V1_FIELDS = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
V2_TEXTS = (
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
)
V3_ONLY = (
    "nickname",
    "creator_notes_multilingual",
    "source",
    "group_only_greetings",
    "assets",
    "creation_date",
    "modification_date",
)
EMPTY: JsonObject = {
    **dict.fromkeys(V1_FIELDS, ""),
    **dict.fromkeys(V2_TEXTS[:3], ""),
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
}
"""The data of a new V2 card; V3 adds `group_only_greetings`."""
MIRRORS: Mapping[str, str] = {
    **{name: name for name in V1_FIELDS},
    "tags": "tags",
    "creator_notes": "creatorcomment",
}
"""Fields of `data` that older programs look for at the top level, and their name there."""

BOOK: Path = ("data", "character_book")
HUB_EXTENSIONS: Path = ("data", "extensions")

_SPEC = re.compile(r"chara_card_v(\d+)")


@value_class
class CardForm:
    """A JSON format of characters."""

    name: str
    fits: Callable[[JsonMapping], bool]
    to_hub_alone: Callable[[JsonObject], JsonObject]  # the card without its book
    from_hub_alone: Callable[[JsonObject], JsonObject]
    book: BookForm | None = None
    extensions: Path = HUB_EXTENSIONS

    def to_hub(self, raw: JsonMapping) -> JsonObject:
        """The card as a V3 document, preserved fields restored."""
        places = (self.extensions, HUB_EXTENSIONS)
        hub = preserved_fields.lift(
            self.alone(raw), self.name, self.to_hub_alone, self.from_hub_alone, *places
        )
        book = self.book_of(raw)
        return (
            with_value(hub, BOOK, self.book.to_hub(book)) if self.book and book is not None else hub
        )

    def from_hub(self, hub: JsonMapping) -> JsonObject:
        """The V3 document in this format; unsupported fields are preserved."""
        book = value_at(hub, BOOK) if self.book else None
        alone = with_value(hub, BOOK, ABSENT) if isinstance(book, Mapping) else dict(hub)
        places = (self.extensions, HUB_EXTENSIONS)
        raw = preserved_fields.lower(
            alone, self.name, self.to_hub_alone, self.from_hub_alone, *places
        )
        return (
            with_value(raw, BOOK, self.book.from_hub(book))
            if self.book and isinstance(book, Mapping)
            else raw
        )

    def alone(self, raw: JsonMapping) -> JsonObject:
        """The card without its book."""
        return dict(raw) if self.book_of(raw) is None else with_value(raw, BOOK, ABSENT)

    def book_of(self, raw: JsonMapping) -> JsonMapping | None:
        """The book as in the card."""
        found = value_at(raw, BOOK) if self.book else None
        return found if isinstance(found, Mapping) else None


def version_of(raw: JsonMapping) -> int | None:
    """The number in `chara_card_v3`.

    >>> version_of({"spec": "chara_card_v3"}), version_of({"spec": "lorebook_v3"})
    (3, None)
    """
    found = _SPEC.fullmatch(text(raw.get("spec")))
    return int(found[1]) if found and len(found[1]) < 4 else None


def _is_v3(raw: JsonMapping) -> bool:
    return (version_of(raw) or 0) >= 3 and "data" in raw


def _is_v2(raw: JsonMapping) -> bool:
    data = raw.get("data")
    return "data" in raw and (
        version_of(raw) == 2
        or (
            isinstance(data, Mapping)
            and "name" in data
            and _SPEC.match(text(raw.get("spec"))) is None
        )
    )


def _is_v1(raw: JsonMapping) -> bool:
    other = "version" in raw or "entries" in raw  # a package.json, a lorebook
    alone = "description" in raw and not other
    return "name" in raw and (alone or any(field in raw for field in V1_FIELDS[2:]))


def as_v3(raw: JsonObject) -> JsonObject:
    """A V2 card as V3, without its book; adds the field that V3 requires."""
    data = object_of(raw.get("data"))
    return {
        **raw,
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {**data, "group_only_greetings": data.get("group_only_greetings", [])},
    }


def as_v2(hub: JsonObject) -> JsonObject:
    """A V3 card as V2, without its book; drops V3-only fields."""
    data = {
        name: value for name, value in object_of(hub.get("data")).items() if name not in V3_ONLY
    }
    return {**hub, "spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def new_document(**fields: Any) -> JsonObject:
    """A new V3 document. A field given as ABSENT is empty."""
    told = {name: value for name, value in fields.items() if value is not ABSENT}
    return {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {**EMPTY, "group_only_greetings": [], **told},
    }


def _renamed(raw: JsonMapping, names: Mapping[str, str]) -> JsonObject:
    """Another format's fields renamed to ours, if present."""
    return {ours: raw[theirs] for ours, theirs in names.items() if theirs in raw}


def _v1(hub: JsonObject) -> JsonObject:
    data = object_of(hub.get("data"))
    told = {theirs: data.get(ours, "") for ours, theirs in MIRRORS.items()}
    return {name: value for name, value in told.items() if value or name in V1_FIELDS}


_TEXTGEN = {
    "name": "char_name",
    "description": "char_persona",
    "scenario": "world_scenario",
    "first_mes": "char_greeting",
    "mes_example": "example_dialogue",
}


def from_textgen(raw: JsonObject) -> JsonObject:
    """A character of Pygmalion and text-generation-webui as a V3 document."""
    return new_document(**{name: text(value) for name, value in _renamed(raw, _TEXTGEN).items()})


def from_byaf(manifest: JsonMapping, who: JsonMapping, scenes: Sequence[JsonMapping]) -> JsonObject:
    """A character of Backyard with its first scenario as a V3 document; the other scenarios give alternate greetings."""
    author = object_of(manifest.get("author"))
    scenes = scenes or [{}]
    first, *others = map(_byaf_greeting, scenes)
    examples = [_byaf_text(one.get("text")) for one in objects_of(scenes[0].get("exampleMessages"))]
    lore = objects_of(who.get("loreItems"))
    return new_document(
        name=text(who.get("displayName") or who.get("name")),
        description=_byaf_text(who.get("persona")),
        scenario=_byaf_text(scenes[0].get("narrative")),
        first_mes=first,
        mes_example="\n".join(f"<START>\n{example}" for example in examples if example),
        system_prompt=_byaf_text(scenes[0].get("formattingInstructions")),
        alternate_greetings=list(filter(None, others)),
        creator=text(author.get("name")),
        character_book={
            "entries": [_byaf_lore(one, at) for at, one in enumerate(lore)],
            "extensions": {},
        }
        if lore
        else ABSENT,
    )


def _byaf_greeting(scene: JsonMapping) -> str:
    first = next(iter(list_of(scene.get("firstMessages"))), None)
    return _byaf_text(object_of(first).get("text"))


def _byaf_lore(item: JsonMapping, at: int) -> JsonObject:
    keys = [key for key in split_keys(_byaf_text(item.get("key"))) if key]
    told = {"keys": keys, "content": _byaf_text(item.get("value")), "extensions": {}}
    return {**told, "enabled": True, "insertion_order": at, "use_regex": False}


def _byaf_text(value: object) -> str:
    """A text with Backyard's macros under the common names.

    >>> _byaf_text("#{user}: Hello, {character}! {{char}} waves.")
    '{{user}}: Hello, {{char}}! {{char}} waves.'
    """
    said = re.sub(r"#\{(user|character)\}:", r"{\1}:", text(value), flags=re.IGNORECASE)
    said = re.sub(r"(?<!\{)\{character\}(?!\})", "{{char}}", said, flags=re.IGNORECASE)
    return re.sub(r"(?<!\{)\{user\}(?!\})", "{{user}}", said, flags=re.IGNORECASE)


def _same(raw: JsonObject) -> JsonObject:
    return raw


HUB = CardForm("hub", lambda raw: False, _same, _same, HUB_BOOK)
"""The shape between all formats itself."""
V3 = CardForm("v3", _is_v3, _same, _same, CARD_BOOK)
V2 = CardForm("v2", _is_v2, as_v3, as_v2, CARD_BOOK_V2)
V1 = CardForm(
    "v1",
    _is_v1,
    lambda raw: new_document(**_renamed(raw, MIRRORS)),
    _v1,
    extensions=preserved_fields.EXTENSIONS,
)
JSON_FORMS = (V3, V2, V1)
"""Formats a JSON file may have, in the order in which it is asked."""


def card_form_of(raw: JsonMapping) -> CardForm | None:
    """The format this document is written in; None when it is no character."""
    return next((form for form in JSON_FORMS if form.fits(raw)), None)


def has_layout(form: CardForm) -> bool:
    """Whether cards of that format are laid out as V2 and V3 are: fields under `data`."""
    return form.name in ("v2", "v3", "hub")
