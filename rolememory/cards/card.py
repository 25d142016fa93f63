"""A character card: its fields, its book, and changes that keep unknown fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, Self

from rolememory.cards.book_file import Book, book_raw
from rolememory.cards.book_forms import HUB_BOOK
from rolememory.cards.card_forms import EMPTY, MIRRORS, V3_ONLY, CardForm, has_layout
from rolememory.cards.character_book import read_character_book
from rolememory.cards.containers import Container, new_json
from rolememory.cards.entry_forms import text
from rolememory.cards.json_changes import ABSENT, applied, changes, with_value
from rolememory.cards.json_read import list_of, object_of
from rolememory.errors import InvalidValueError, closest
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.role import Character

FIELDS = (*EMPTY, *V3_ONLY)
"""Every field of a card that the specifications know, `character_book` aside."""


@dataclass(frozen=True)
class Card:
    """A character card. `raw` is the document as its file says it, laid out as `form` says; nothing of it is ever thrown away.

    Texts hold macros ({{char}}, <USER>, ...) as they are written; whoever puts them into a prompt expands them.
    """

    raw: JsonObject = field(repr=False)
    form: CardForm
    container: Container = field(repr=False)
    file: str = ""  # name for messages and character filters
    problems: tuple[str, ...] = ()  # what was odd, each in one line; the card was read all the same

    @property
    def format(self) -> str:
        """What the file is: "png", "charx", "byaf", or for JSON the layout: "v1", "v2", "v3", ..."""
        return (
            self.form.name if self.container.name in ("json", "read-only") else self.container.name
        )

    @property
    def spec(self) -> str:
        """The specification the card names, else the name of its layout."""
        return text(self.raw.get("spec")) or self.form.name

    @property
    def version(self) -> str:
        """The version it names, "" without one."""
        return text(self.raw.get("spec_version"))

    @cached_property
    def hub(self) -> JsonObject:
        """The whole card as a V3 document: the shape between all formats, what a conversion kept put back."""
        return self.form.to_hub(self.raw)

    @cached_property
    def data(self) -> JsonMapping:
        """The fields by their V3 names, as raw values."""
        return object_of((self.raw if has_layout(self.form) else self.hub).get("data"))

    @property
    def fields(self) -> JsonObject:
        """Those fields that the specifications know, as far as the card has them."""
        return {name: self.data[name] for name in FIELDS if name in self.data}

    def text(self, name: str) -> str:
        """A field as text; "" when it is not there."""
        return text(self.data.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A field that holds a list of texts, however it is written."""
        found = self.data.get(name)
        written = isinstance(found, str) and name == "tags"
        listed = str(found).split(",") if written else list_of(found)
        return tuple(said for one in listed if (said := text(one).strip()))

    @property
    def greetings(self) -> list[str]:
        """The first messages to choose from; blank ones are none."""
        every = (self.text("first_mes").strip(), *self.texts("alternate_greetings"))
        return list(filter(None, every))

    @property
    def name(self) -> str:
        """The character's name."""
        return self.text("name").strip()

    @property
    def extensions(self) -> JsonMapping:
        """What programs store beside the card."""
        return object_of(self.data.get("extensions"))

    @cached_property
    def book(self) -> Lorebook | None:
        """The lorebook the card carries."""
        found = self.book_file
        if found is None:
            return None
        return read_character_book(found.hub_or_raw, self._book_name, BookSource.CHARACTER)

    @property
    def book_file(self) -> Book | None:
        """The carried book as a document of its own, in the layout it has inside the card."""
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
        """The texts a turn may read. A nickname is what {{char}} says."""
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
        """The card with these fields, by their V3 names; None takes a field away. Copies at the top level that older programs read follow.

        Raises:
            InvalidValueError: there is no such field, or the format is only read.
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

    def with_book(self, book: Lorebook | Book | JsonMapping | None) -> Self:
        """The card with that book in place of its own; None takes it away. Of a Lorebook its document (`raw`) counts.

        Raises:
            InvalidValueError: the book has no document, or the format of the card is only read.
        """
        raw = ABSENT if book is None else book_raw(book, self.form.book or HUB_BOOK)
        return self._saying({"character_book": raw})

    def with_extension(self, name: str, value: Any) -> Self:
        """The card with that key in its extensions."""
        return self._saying({"extensions": {**self.extensions, name: value}})

    def write(self) -> bytes:
        """The card in the format it was read from; the same bytes when nothing changed."""
        return self.container.write(self.raw)

    def in_form(self, form: CardForm) -> "Card":
        """The card in another layout, as JSON; what that cannot say is kept in its extensions."""
        raw = form.from_hub(self.hub)
        return Card(raw, form, new_json(raw), self.file, self.problems)

    def _saying(self, told: JsonMapping) -> Self:
        if has_layout(self.form):
            return self._with_raw(_told(self.raw, told))
        if self.form.from_hub_alone is None:
            self.container.write({})  # says that it is only read
        before, after = self.form.from_hub(self.hub), self.form.from_hub(_told(self.hub, told))
        return self._with_raw(applied(self.raw, list(changes(before, after))))

    def _with_raw(self, raw: JsonObject) -> Self:
        return replace(self, raw=raw)


def _told(document: JsonObject, fields: JsonMapping) -> JsonObject:
    """A V2 or V3 document with these fields in `data` and in the copies beside it that are there."""
    for name, value in fields.items():
        document = with_value(document, ("data", name), value)
        mirror = MIRRORS.get(name)
        if mirror in document and value is not ABSENT and mirror is not None:
            document = {**document, mirror: value}
    return document
