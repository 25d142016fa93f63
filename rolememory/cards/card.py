"""A character card: its fields, its book, and changes that keep unknown fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, Self

from rolememory.cards.book_file import Book
from rolememory.cards.book_forms import HUB_BOOK
from rolememory.cards.card_forms import EMPTY, MIRRORS, V3_ONLY, CardForm, has_layout
from rolememory.cards.character_book import read_character_book
from rolememory.cards.containers import Container, new_json
from rolememory.cards.entry_forms import text
from rolememory.cards.json_changes import ABSENT, applied, changes, with_value
from rolememory.errors import InvalidValueError, closest
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of, object_of
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.role import Character

FIELDS = (*EMPTY, *V3_ONLY)
"""Every field of a card that the specifications know, `character_book` aside."""


@dataclass(frozen=True)
class Card:
    """A character card. `raw` is the document of its file, in the layout `form`; nothing of it is ever dropped.

    Texts contain unexpanded macros ({{char}}, <USER>, ...); whoever builds a prompt expands them.
    """

    raw: JsonObject = field(repr=False)
    form: CardForm
    container: Container = field(repr=False)
    file: str = ""  # name for messages and character filters
    problems: tuple[LocalizedText, ...] = ()  # oddities, one line each; the card was read anyway
    picture: bytes | None = field(default=None, repr=False)  # a PNG beside the file, if it has none

    @property
    def format(self) -> str:
        """The file's format: "png", "charx", "byaf", "textgen", or for JSON the layout: "v1", "v2", "v3"."""
        return self.form.name if self.container.name == "json" else self.container.name

    @property
    def spec(self) -> str:
        """The specification the card names, else the name of its layout."""
        return text(self.raw.get("spec")) or self.form.name

    @property
    def version(self) -> str:
        """The named version, "" without one."""
        return text(self.raw.get("spec_version"))

    @cached_property
    def hub(self) -> JsonObject:
        """The whole card as a V3 document, the common format, with preserved fields restored."""
        return self.form.to_hub(self.raw)

    @cached_property
    def data(self) -> JsonMapping:
        """The fields by their V3 names, as raw values."""
        return object_of((self.raw if has_layout(self.form) else self.hub).get("data"))

    @property
    def fields(self) -> JsonObject:
        """The standard fields that the card has."""
        return {name: self.data[name] for name in FIELDS if name in self.data}

    def text(self, name: str) -> str:
        """A field as text; "" if missing."""
        return text(self.data.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A field that is a list of texts, in any notation."""
        found = self.data.get(name)
        written = isinstance(found, str) and name == "tags"
        listed = str(found).split(",") if written else list_of(found)
        return tuple(said for one in listed if (said := text(one).strip()))

    @property
    def greetings(self) -> list[str]:
        """The non-blank first messages."""
        every = (self.text("first_mes").strip(), *self.texts("alternate_greetings"))
        return list(filter(None, every))

    @property
    def name(self) -> str:
        """The character's name."""
        return self.text("name").strip()

    @property
    def extensions(self) -> JsonMapping:
        """Data of programs in the card."""
        return object_of(self.data.get("extensions"))

    @cached_property
    def book(self) -> Lorebook | None:
        """The card's lorebook."""
        found = self.book_file
        if found is None:
            return None
        return read_character_book(found.hub_or_raw, self._book_name, BookSource.CHARACTER)

    @property
    def book_file(self) -> Book | None:
        """The card's book as its own document, in its layout inside the card."""
        raw = self._book_raw
        if not isinstance(raw, Mapping):
            return None
        return Book.new(dict(raw), self.form.book or HUB_BOOK, self._book_name)

    @property
    def _book_raw(self) -> Any:
        return self.form.book_of(self.raw) if self.form.book else self.data.get("character_book")

    @property
    def _book_name(self) -> str:
        named = text(object_of(self._book_raw).get("name")).strip()
        return named or self.name or PurePath(self.file).stem

    def character(self, user: str = "User") -> Character:
        """The texts a turn may use. {{char}} is the nickname, if any."""
        prompt = object_of(self.extensions.get("depth_prompt")).get("prompt")
        return Character(
            name=self.text("nickname").strip() or self.name,
            user=user,
            description=self.text("description"),
            personality=self.text("personality"),
            scenario=self.text("scenario"),
            depth_prompt=text(prompt),
            creator_notes=self.text("creator_notes"),
            file=PurePath(self.file).stem,
            tags=self.texts("tags"),
            system_prompt=self.text("system_prompt"),
            post_history=self.text("post_history_instructions"),
            mes_example=self.text("mes_example"),
            first_mes=self.text("first_mes"),
            alternate_greetings=self.texts("alternate_greetings"),
            version=self.text("character_version"),
        )

    def with_fields(self, **fields: Any) -> Self:
        """The card with these fields, by V3 name; None removes a field. Top-level copies for older programs are updated.

        Raises:
            InvalidValueError: there is no such field.
        """
        for name in fields:
            if name not in FIELDS:
                near = closest(name, FIELDS)
                raise InvalidValueError(
                    f"a card has no field {name!r}"
                    + (f"; did you mean {near!r}?" if near else f" (known: {', '.join(FIELDS)})")
                )
        return self._saying(
            {name: ABSENT if value is None else value for name, value in fields.items()}
        )

    def with_book(self, book: Book | None) -> Self:
        """The card with that book instead of its own; None removes it."""
        raw = ABSENT if book is None else book.raw_in(self.form.book or HUB_BOOK)
        return self._saying({"character_book": raw})

    def with_extension(self, name: str, value: Any) -> Self:
        """The card with that key in its extensions."""
        return self._saying({"extensions": {**self.extensions, name: value}})

    def write(self) -> bytes:
        """The card in its original format; byte for byte if unchanged."""
        return self.container.write(self.raw)

    def in_form(self, form: CardForm) -> "Card":
        """The card in another layout, as JSON; unsupported fields are kept in its extensions."""
        raw = form.from_hub(self.hub)
        return Card(raw, form, new_json(raw), self.file, self.problems, self.picture)

    def _saying(self, told: JsonMapping) -> Self:
        if has_layout(self.form):
            return replace(self, raw=_told(self.raw, told))
        before = self.form.from_hub(self.hub)
        after = self.form.from_hub(_told(self.hub, told))
        return replace(self, raw=applied(self.raw, list(changes(before, after))))


def _told(document: JsonObject, fields: JsonMapping) -> JsonObject:
    """A V2 or V3 document with these fields in `data` and in existing top-level copies."""
    for name, value in fields.items():
        document = with_value(document, ("data", name), value)
        mirror = MIRRORS.get(name)
        if mirror in document and value is not ABSENT and mirror is not None:
            document = {**document, mirror: value}
    return document
