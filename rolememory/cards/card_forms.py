"""Character formats to and from one shape, the V3 document {spec, spec_version, data: {...}}. Source: spec/frontends.md 7.2.

What a format cannot say is kept in its extensions, see `preserved_fields`. The book of a card goes by the book format that stands in such cards.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rolememory.cards import preserved_fields
from rolememory.cards.book_forms import CARD_BOOK, CARD_BOOK_V2, HUB_BOOK, BookForm
from rolememory.cards.entry_forms import text
from rolememory.cards.json_changes import ABSENT, Path, value_at, with_value
from rolememory.cards.json_read import Raw, object_of

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
EMPTY: Raw = {
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


@dataclass(frozen=True, slots=True)
class CardForm:
    """One format of characters as JSON."""

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    to_hub_alone: Callable[[Raw], Raw]  # the card without its book
    from_hub_alone: Callable[[Raw], Raw]
    book: BookForm | None = None
    extensions: Path = HUB_EXTENSIONS

    def to_hub(self, raw: Mapping[str, Any]) -> Raw:
        """The card as a V3 document, what was kept put back."""
        places = (self.extensions, HUB_EXTENSIONS)
        hub = preserved_fields.lift(
            self.alone(raw), self.name, self.to_hub_alone, self.from_hub_alone, *places
        )
        book = self.book_of(raw)
        return (
            with_value(hub, BOOK, self.book.to_hub(book)) if self.book and book is not None else hub
        )

    def from_hub(self, hub: Mapping[str, Any]) -> Raw:
        """The V3 document in this format; what it cannot say is kept."""
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

    def alone(self, raw: Mapping[str, Any]) -> Raw:
        """The card without its book."""
        return dict(raw) if self.book_of(raw) is None else with_value(raw, BOOK, ABSENT)

    def book_of(self, raw: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The book as it stands in the card."""
        found = value_at(raw, BOOK) if self.book else None
        return found if isinstance(found, Mapping) else None


def version_of(raw: Mapping[str, Any]) -> int | None:
    """The number in `chara_card_v3`.

    >>> version_of({"spec": "chara_card_v3"}), version_of({"spec": "lorebook_v3"})
    (3, None)
    """
    found = _SPEC.fullmatch(text(raw.get("spec")))
    return int(found[1]) if found and len(found[1]) < 4 else None


def _is_v3(raw: Mapping[str, Any]) -> bool:
    return (version_of(raw) or 0) >= 3 and "data" in raw


def _is_v2(raw: Mapping[str, Any]) -> bool:
    data = raw.get("data")
    return "data" in raw and (
        version_of(raw) == 2
        or (
            isinstance(data, Mapping)
            and "name" in data
            and _SPEC.match(text(raw.get("spec"))) is None
        )
    )


def _is_v1(raw: Mapping[str, Any]) -> bool:
    return "name" in raw and any(field in raw for field in V1_FIELDS[1:])


def as_v3(raw: Raw) -> Raw:
    """A V2 card as V3, its book aside: the field that V3 requires is there."""
    data = object_of(raw.get("data"))
    return {
        **raw,
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {**data, "group_only_greetings": data.get("group_only_greetings", [])},
    }


def as_v2(hub: Raw) -> Raw:
    """A V3 card as V2, its book aside: the fields that only V3 knows are gone."""
    data = {
        name: value for name, value in object_of(hub.get("data")).items() if name not in V3_ONLY
    }
    return {**hub, "spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def new_document(**fields: Any) -> Raw:
    """A new V3 document."""
    return {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {**EMPTY, "group_only_greetings": [], **fields},
    }


def _from_v1(raw: Raw) -> Raw:
    return new_document(**{ours: raw[theirs] for ours, theirs in MIRRORS.items() if theirs in raw})


def _v1(hub: Raw) -> Raw:
    data = object_of(hub.get("data"))
    told = {theirs: data.get(ours, "") for ours, theirs in MIRRORS.items()}
    return {name: value for name, value in told.items() if value or name in V1_FIELDS}


def _same(raw: Raw) -> Raw:
    return raw


HUB = CardForm("hub", lambda raw: False, _same, _same, HUB_BOOK)
"""The shape between all formats itself."""
V3 = CardForm("v3", _is_v3, _same, _same, CARD_BOOK)
V2 = CardForm("v2", _is_v2, as_v3, as_v2, CARD_BOOK_V2)
V1 = CardForm("v1", _is_v1, _from_v1, _v1, extensions=preserved_fields.EXTENSIONS)
JSON_FORMS = (V3, V2, V1)
"""Formats a JSON file may have, in the order in which it is asked."""


def card_form_of(raw: Mapping[str, Any]) -> CardForm | None:
    """The format this document is written in; None when it is no character."""
    return next((form for form in JSON_FORMS if form.fits(raw)), None)


def has_layout(form: CardForm) -> bool:
    """Whether cards of that format are laid out as V2 and V3 are: fields under `data`."""
    return form.name in ("v2", "v3", "hub")
