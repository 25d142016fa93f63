"""A lorebook file: the document, the book read from it, and the titles of its entries."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rolememory.cards.base import load
from rolememory.cards.book import read_book
from rolememory.cards.book_files import load_book
from rolememory.errors import AmbiguousNameError, FileError, UnknownNameError
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.lorebook import Lorebook, LoreEntry
from rolememory.schema.value_class import value_class
from rolememory.text.json_diagnostics import invalid_json

TITLE = 40  # maximum characters of a generated title


@value_class
class BookFile:
    """A document and the book in it."""

    name: str
    raw: JsonMapping
    book: Lorebook
    doubled: tuple[
        str, ...
    ] = ()  # names written twice in one object of the file: the first value is lost

    @property
    def spec(self) -> str:
        """What the card says it is ("chara_card_v2", "lorebook_v3", ...); empty for a world file."""
        return str(self.raw.get("spec") or "")


def read_book_file(data: bytes, file: str) -> BookFile:
    """Parse a world file, a stand-alone book, a foreign lorebook, or a character card with a book.

    Raises:
        FileError: it contains no book; with line and column if known.
    """
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"[", b""):
        return _packed(data, file)
    raw, doubled = _parsed(data.removeprefix(b"\xef\xbb\xbf"), file)
    try:
        book = read_book(raw, Path(file).stem if not raw.get("name") else "")
    except FileError as error:
        raise FileError(file, error.problem, remedy=error.remedy) from error
    return BookFile(book.name or Path(file).stem, raw, book, doubled)


def _packed(data: bytes, file: str) -> BookFile:
    """The book in an image or an archive, with its card if there is one."""
    book = load_book(data, file)
    try:
        raw: JsonMapping = load(data, file).raw
    except FileError:  # an image with a book and no character
        raw = book.raw
    return BookFile(book.name or Path(file).stem, raw, book.lorebook(book.name or Path(file).stem))


def _parsed(data: bytes, file: str) -> tuple[JsonObject, tuple[str, ...]]:
    doubled: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> JsonObject:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            doubled.extend(name for name in made if names.count(name) > 1)
        return made

    try:
        found = json.loads(data, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise _broken(data, file, error) from error
    if not isinstance(found, dict):
        raise FileError(file, "expected an object", remedy='a book has a field "entries"')
    return found, tuple(doubled)


def _broken(data: bytes, file: str, error: Exception) -> FileError:
    """The error for invalid JSON, with its position."""
    import orjson

    try:
        orjson.loads(data)
    except orjson.JSONDecodeError as why:
        return invalid_json(data, why, file)
    return FileError(file, "not JSON: {error}", remedy="export it again", error=error)


def title(entry: LoreEntry) -> str:
    """The title of an entry: its comment, else its first key, else the start of its text, else its id.

    >>> title(LoreEntry(id="3", content="", keys=("beacon", "lamp")))
    'beacon'
    """
    named = (
        entry.comment.strip()
        or next((key for key in entry.keys if key.strip()), "")
        or " ".join(entry.content.split())
    )
    if not named:
        return entry.id
    return named if len(named) <= TITLE or entry.comment.strip() else named[: TITLE - 1] + "…"


def entry_named(entries: Iterable[LoreEntry], name: str) -> LoreEntry:
    """The entry with this title or id; of equal titles the enabled one.

    Raises:
        UnknownNameError, AmbiguousNameError: none or several match.
    """
    known = list(entries)
    found = _called(known, name.strip())
    if not found:
        raise UnknownNameError("entry", name, [title(one) for one in known])
    found = [one for one in found if one.enabled] or found
    if len(found) > 1:
        raise AmbiguousNameError(
            "{count} entries are titled {name!r} (uid {ids}); name it by its uid",
            count=len(found),
            name=name,
            ids=", ".join(one.id for one in found),
        )
    return found[0]


def _called(entries: Iterable[LoreEntry], name: str) -> list[LoreEntry]:
    """The entries with this title, case-insensitive; if there are none, those with this id."""
    by_title = [one for one in entries if title(one).strip().casefold() == name.casefold()]
    return by_title or [one for one in entries if one.id == name]
