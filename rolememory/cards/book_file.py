"""A lorebook document: any format, written back without losing unknown fields."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from rolememory.cards.book import read_book
from rolememory.cards.book_forms import HUB_BOOK, BookForm
from rolememory.cards.containers import Container, new_json
from rolememory.cards.entry_forms import text
from rolememory.schema.json_types import JsonObject
from rolememory.schema.lorebook import Lorebook


@dataclass(frozen=True)
class Book:
    """A lorebook file. `raw` is its document, in the layout `form`."""

    raw: JsonObject = field(repr=False)
    form: BookForm
    container: Container = field(repr=False)
    file: str = ""

    @classmethod
    def new(cls, raw: JsonObject, form: BookForm, file: str = "") -> Self:
        """A book from a document in this layout, as new JSON."""
        return cls(raw, form, new_json(raw), file)

    @property
    def format(self) -> str:
        """The file's format: "sillytavern", "lorebook_v3", or its source: "novelai", "novelai_png", ..."""
        return self.form.name if self.container.name == "json" else self.container.name

    @property
    def name(self) -> str:
        """The book's own name."""
        return text(self.form.head(self.raw).get("name")).strip()

    @cached_property
    def hub(self) -> JsonObject:
        """The book in the V3 shape, the common format, with preserved fields restored."""
        return self.form.to_hub(self.raw)

    @property
    def hub_or_raw(self) -> JsonObject:
        """The V3 shape; a book already in it is not converted."""
        return self.raw if self.form.in_card else self.hub

    def lorebook(self, name: str = "") -> Lorebook:
        """The book as the engine reads it."""
        return read_book(self.raw, name or self.name or self.file)

    def with_raw(self, raw: JsonObject) -> Self:
        """The book with that document."""
        return replace(self, raw=raw)

    def raw_in(self, form: BookForm) -> JsonObject:
        """The document in another layout. One from inside a V2 or V3 card is unchanged in either."""
        alike = self.form.in_card and form.in_card and self.form is not HUB_BOOK
        return self.raw if alike or self.form is form else form.from_hub(self.hub)

    def in_form(self, form: BookForm) -> "Book":
        """The book in another format, as JSON; unsupported fields are kept in its extensions."""
        raw = form.from_hub(self.hub)
        return Book(raw, form, new_json(raw), self.file)

    def write(self) -> bytes:
        """The book in its original format; byte for byte if unchanged."""
        return self.container.write(self.raw)
