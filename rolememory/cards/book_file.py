"""A lorebook document: any format, written back without losing unknown fields."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from rolememory.cards.book import read_book
from rolememory.cards.book_forms import HUB_BOOK, BookForm, book_form, form_of
from rolememory.cards.containers import Container, new_json
from rolememory.cards.entry_forms import text
from rolememory.cards.other_books import in_world_shape
from rolememory.errors import InvalidValueError
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.lorebook import BookSource, Lorebook


@dataclass(frozen=True)
class Book:
    """A lorebook file. `raw` is its document, in the layout `form`."""

    raw: JsonObject = field(repr=False)
    form: BookForm
    container: Container = field(repr=False)
    file: str = ""

    @classmethod
    def new(cls, raw: JsonObject, form: str | BookForm = "", file: str = "") -> Self:
        """A book from a document, as new JSON. Without `form` the layout is detected; read-only ones become a world file.

        Raises:
            InvalidValueError: it is no lorebook of a known format.
        """
        if not form:
            raw = in_world_shape(raw)
        found = form if isinstance(form, BookForm) else book_form(form) if form else form_of(raw)
        if found is None:
            raise InvalidValueError(
                "expected the document of a lorebook, got an object without entries"
            )
        return cls(raw, found, new_json(raw), file)

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

    def lorebook(self, name: str = "", source: BookSource = BookSource.GLOBAL) -> Lorebook:
        """The book as the engine reads it."""
        return read_book(self.raw, name or self.name or self.file, source)

    def with_raw(self, raw: JsonObject) -> Self:
        """The book with that document."""
        return replace(self, raw=raw)

    def in_form(self, form: BookForm) -> "Book":
        """The book in another format, as JSON; unsupported fields are kept in its extensions."""
        raw = form.from_hub(self.hub)
        return Book(raw, form, new_json(raw), self.file)

    def write(self) -> bytes:
        """The book in its original format; byte for byte if unchanged."""
        return self.container.write(self.raw)


def book_raw(book: Lorebook | Book | JsonMapping, form: BookForm) -> JsonObject:
    """The book's document in that layout. One from inside a V2 or V3 card is unchanged in either.

    Raises:
        InvalidValueError: a Lorebook without a document, or a document that is no lorebook.
    """
    found = (
        book
        if isinstance(book, Book)
        else Book.new(_document(book) if isinstance(book, Lorebook) else dict(book))
    )
    alike = found.form.in_card and form.in_card and found.form is not HUB_BOOK
    return found.raw if alike or found.form is form else form.from_hub(found.hub)


def _document(book: Lorebook) -> JsonObject:
    if book.raw:
        return book.raw
    if not all(entry.raw for entry in book.entries):
        raise InvalidValueError(
            "lorebook {name!r} has no document to write; read it from a file, or give its entries `raw`",
            name=book.name,
        )
    return {
        "name": book.name,
        "entries": {str(at): entry.raw for at, entry in enumerate(book.entries)},
    }
