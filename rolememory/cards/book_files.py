"""Lorebooks from files of any known kind: JSON, a NovelAI image, or a character card's book."""

from pathlib import Path

from rolememory.cards import base, limits, png
from rolememory.cards.book_file import Book
from rolememory.cards.book_forms import BOOK_FORMS, WORLD_BOOK, form_of
from rolememory.cards.containers import converted, json_text
from rolememory.cards.formats import JsonFormat
from rolememory.cards.json_changes import value_at
from rolememory.cards.json_read import kind_of, read_json
from rolememory.cards.other_books import OTHER_BOOKS, other_book
from rolememory.errors import FileError
from rolememory.schema.json_types import JsonObject

NAIDATA = "naidata"


def load_book(source: Path | str | bytes, name: str = "") -> Book:
    """The lorebook in a file or in bytes; of a character card the book it carries. `name` stands for the file in messages.

    Raises:
        FileError: there is no lorebook of a known kind, or it is damaged or larger than a book may be.
    """
    data, file = base.read(source, name)
    if png.is_png(data) and (found := next(png.texts(data, file, (NAIDATA,)), None)):
        place = f"chunk {NAIDATA}"
        raw = read_json(png.decoded(found.value, file, place), file, place)
        return _brought("novelai", raw, data, file, "novelai_png")
    if not png.is_png(data) and JsonFormat().fits(data):
        raw = read_json(data, file)
        if other := other_book(raw):
            return _brought(other, raw, data, file, other)
        if (form := form_of(raw)) and "data" not in set(raw) - set(form.entries):
            _check(value_at(raw, form.entries), file, ".".join(form.entries))
            return Book(raw, form, json_text(data, raw), file)
    book = base.load(data, file).book_file
    if book is None:
        raise FileError(file, "is a character card without a lorebook")
    return book


def book_formats() -> tuple[str, ...]:
    """The names of all formats a book can be written in."""
    return tuple(form.name for form in BOOK_FORMS if form.name != "character_book_v2")


def _brought(name: str, raw: JsonObject, data: bytes, file: str, container: str) -> Book:
    """Another program's book, read as a world file; byte for byte while unchanged, else written as a world file."""
    form = OTHER_BOOKS[name]
    _check(form.listed(raw), file, form.entries[0])
    world = form.to_world(raw)
    return Book(world, WORLD_BOOK, converted(container, data, world), file)


def _check(entries: object, file: str, field: str) -> None:
    if not isinstance(entries, list | dict):
        kind = kind_of(entries)
        raise FileError(file, "expected a list of entries, got {kind}", field=field, kind=kind)
    limits.check_entries(entries, file, field)
