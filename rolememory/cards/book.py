"""Reads a lorebook of any known format, detected by content."""

from collections.abc import Callable, Mapping

from rolememory.cards import preserved_fields
from rolememory.cards.character_book import is_character_book, read_character_book
from rolememory.cards.other_books import OTHER_BOOKS, OtherBook
from rolememory.cards.sillytavern import is_world, number_or_none, read_world
from rolememory.errors import FileError
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.lorebook import BookSource, Lorebook, LoreEntry
from rolememory.schema.value_class import value_class

Reader = Callable[[JsonMapping, str, BookSource], Lorebook]


@value_class
class BookFormat:
    """A format: its detector and its reader."""

    name: str
    fits: Callable[[JsonMapping], bool]
    read: Reader


def _through_world(name: str, form: OtherBook) -> Reader:
    def read(raw: JsonMapping, title: str, source: BookSource) -> Lorebook:
        book = read_world(form.to_world(raw), title or str(raw.get("name") or ""), source)
        return book.model_copy(update={"format": name, "raw": dict(raw)})

    return read


def _read_world(raw: JsonMapping, title: str, source: BookSource) -> Lorebook:
    """Read a world file; if converted from a card, it also has card-only fields, which the default rules read."""
    book = read_world(raw, title, source)
    noted = _kept(raw)
    said: JsonObject = {
        name: number_or_none(noted[name])
        for name in ("scan_depth", "token_budget")
        if name in noted
    }
    said |= {
        name: noted[name]
        for name, kind in (("recursive_scanning", bool), ("description", str))
        if isinstance(noted.get(name), kind)
    }
    entries = tuple(_with_kept(entry) for entry in book.entries)
    return (
        book.model_copy(update={**said, "entries": entries})
        if said or entries != book.entries
        else book
    )


def _with_kept(entry: LoreEntry) -> LoreEntry:
    noted = _kept(entry.raw)
    said: JsonObject = (
        {"priority": number_or_none(noted["priority"])} if "priority" in noted else {}
    )
    if isinstance(noted.get("case_sensitive"), bool):
        said["card_case_sensitive"] = noted["case_sensitive"]
    return entry.model_copy(update=said) if said else entry


def _kept(raw: JsonMapping) -> JsonObject:
    """The card-only fields stored beside the world file's, by name."""
    found = preserved_fields.noted(raw, preserved_fields.KEPT)
    return {one.path[0]: one.before for one in found if not one.path[1:]}


FORMATS: tuple[BookFormat, ...] = (
    *(BookFormat(name, one.fits, _through_world(name, one)) for name, one in OTHER_BOOKS.items()),
    BookFormat("character_book", is_character_book, read_character_book),
    BookFormat("sillytavern", is_world, _read_world),
)


def read_book(raw: JsonMapping, name: str = "", source: BookSource = BookSource.GLOBAL) -> Lorebook:
    """The lorebook in this document; a whole card gives its own book.

    Raises:
        FileError: it is no lorebook of a known format.
    """
    if (
        isinstance(card := raw.get("data"), Mapping)
        and "entries" not in raw
        and isinstance(card.get("character_book"), Mapping)
    ):
        return read_character_book(
            card["character_book"], name or str(card.get("name") or ""), source
        )
    for form in FORMATS:
        if form.fits(raw):
            return form.read(raw, name, source)
    known = ", ".join(form.name for form in FORMATS)
    raise FileError(
        name or "lorebook",
        "no lorebook of a known format ({known})",
        remedy='a book has a field "entries"',
        known=known,
    )
