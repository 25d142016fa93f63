"""Lorebook formats to and from one shape, the V3 book: {name, ..., entries: [{keys, content, ...}]}. Cost: O(entries).

Unsupported fields are kept in the extensions of book and entries, see `preserved_fields`. Source: spec/frontends.md 7.3, 7.5, spec/worldinfo.md 7.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rolememory.cards import preserved_fields
from rolememory.cards.character_book import is_character_book, is_lorebook_v3
from rolememory.cards.entry_forms import CARD, CARD_V2, HUB, WORLD, EntryForm
from rolememory.cards.json_changes import ABSENT, Path, value_at, with_value
from rolememory.cards.json_read import is_whole
from rolememory.cards.sillytavern import in_script_order, is_world
from rolememory.errors import UnknownNameError
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, object_of, without
from rolememory.schema.value_class import value_class

_MOST_UID = 2**31  # above, script engines no longer iterate keys numerically
Turn = Callable[[JsonObject], JsonObject]


@value_class
class BookForm:
    """One format of lorebooks as JSON. `head` is the book without its entries."""

    name: str
    fits: Callable[[JsonMapping], bool]
    entry: EntryForm
    entries: Path = ("entries",)  # field of the entries
    head_to_hub: Turn = lambda raw: raw
    head_from_hub: Turn = lambda hub: hub
    by_uid: bool = False  # entries are an object, keyed by uid
    extensions: Path = preserved_fields.EXTENSIONS  # of the book

    @property
    def in_card(self) -> bool:
        """Whether it is the layout in V2 or V3 cards, which is nearly the common format."""
        return self.name in ("hub", "character_book", "character_book_v2")

    def listed(self, raw: JsonMapping) -> list[tuple[str, Any]]:
        """The entries in order, each with its path for messages: "entries[0]", "entries.7"."""
        found = value_at(raw, self.entries)
        above = ".".join(self.entries)
        if isinstance(found, Mapping):
            return [(f"{above}.{key}", one) for key, one in in_script_order(found)]
        return [(f"{above}[{at}]", one) for at, one in enumerate(list_of(found))]

    def to_hub(self, raw: JsonMapping) -> JsonObject:
        """The book in the V3 shape, preserved fields restored."""
        entries = [
            self.entry.lift(one, at)
            for at, (_, one) in enumerate(self.listed(raw))
            if isinstance(one, Mapping)
        ]
        return {**self.head(raw), "entries": entries}

    def from_hub(self, hub: JsonMapping) -> JsonObject:
        """The book in this format."""
        head = without(hub, "entries")
        raw = preserved_fields.lower(
            head, self.name, self.head_to_hub, self.head_from_hub, self.extensions
        )
        listed = list(hub.get("entries") or [])
        numbers = list(_rising_uids(listed)) if self.by_uid else list(range(len(listed)))
        entries = [
            self.entry.lower(one, number) for one, number in zip(listed, numbers, strict=True)
        ]
        return with_value(
            raw,
            self.entries,
            dict(zip(map(str, numbers), entries, strict=True)) if self.by_uid else entries,
        )

    def head(self, raw: JsonMapping) -> JsonObject:
        """The book's own fields, in the V3 shape."""
        return preserved_fields.lift(
            with_value(raw, self.entries, ABSENT),
            self.name,
            self.head_to_hub,
            self.head_from_hub,
            self.extensions,
        )


def _rising_uids(entries: Iterable[JsonMapping]) -> Iterator[int]:
    """The uid of each entry in a world file: its own id if that keeps the order, as entries are read by number; else the next.

    >>> list(_rising_uids([{"id": 7}, {}, {"id": 7}, {"id": "x"}, {"id": 30}]))
    [7, 8, 9, 10, 30]
    """
    last = -1
    for one in entries:
        own = one.get("id")
        last = own if is_whole(own) and last < own < _MOST_UID else last + 1
        yield last


def _named(raw: JsonObject) -> JsonObject:
    """A world file's own name and extensions."""
    return {name: raw[name] for name in ("name", "extensions") if name in raw}


HUB_BOOK = BookForm("hub", lambda raw: False, HUB)
"""The shape between all formats itself."""
CARD_BOOK = BookForm("character_book", is_character_book, CARD)
CARD_BOOK_V2 = BookForm("character_book_v2", lambda raw: False, CARD_V2)
WORLD_BOOK = BookForm(
    "sillytavern", is_world, WORLD, head_to_hub=_named, head_from_hub=_named, by_uid=True
)
BOOK_FORMS: tuple[BookForm, ...] = (
    BookForm(
        "lorebook_v3",
        is_lorebook_v3,
        CARD,
        ("data", "entries"),
        lambda raw: dict(object_of(raw.get("data"))),
        lambda hub: {"spec": "lorebook_v3", "data": hub},
        extensions=("data", "extensions"),
    ),
    CARD_BOOK,
    CARD_BOOK_V2,
    WORLD_BOOK,
)
"""Every format of lorebooks that we write, in the order in which a document is asked. `character_book` is a book as it stands inside a V3 card."""


def book_form(name: str) -> BookForm:
    """The format of that name. Raises: UnknownNameError."""
    for form in BOOK_FORMS:
        if form.name == name:
            return form
    raise UnknownNameError("format", name, [form.name for form in BOOK_FORMS])


def form_of(raw: JsonMapping) -> BookForm | None:
    """The format this document is written in; None when it is no lorebook."""
    return next((form for form in BOOK_FORMS if form.fits(raw)), None)
