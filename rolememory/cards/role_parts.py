"""Converts a card to a role, and merges a role's books into its card. Pure; the caller writes the files."""

import re
import unicodedata
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import PurePath
from typing import Any

from rolememory.cards import preserved_fields
from rolememory.cards.book_file import Book
from rolememory.cards.book_forms import HUB_BOOK, WORLD_BOOK
from rolememory.cards.card import Card
from rolememory.cards.card_forms import BOOK, V3
from rolememory.cards.entry_forms import text
from rolememory.cards.json_changes import value_at
from rolememory.cards.json_edit import same
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping, JsonObject, object_of
from rolememory.schema.role import Role
from rolememory.schema.role_ids import canonical
from rolememory.schema.value_class import value_class

ROLE_ID = "role_uuid"  # in data.extensions.rolememory of a card
_FROM_BOOK = "book"  # in the extensions of an entry: the source book
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@value_class
class RoleFromCard:
    """The parts of a role: role.json, and its files by relative names."""

    role: Role
    files: Mapping[str, bytes] = field(repr=False)
    problems: tuple[LocalizedText, ...] = ()


def role_from_card(card: Card, role_id: str | None = None) -> RoleFromCard:
    """The role of a card. Its id is the one given, else the one in the card, else a new one.

    Files: the card byte for byte as `card.png`, `.charx` or `.json` (a read-only format as V3 JSON), and its
    book as a world file under `worldbooks/`.
    """
    found = role_id or role_id_in(card) or str(uuid.uuid4())
    file, data, problems = _card_file(card)
    name = display_name(card.name) or display_name(PurePath(card.file).stem) or found[:8]
    nickname = display_name(card.text("nickname"))
    role = Role(
        id=found, name=name, aliases=(nickname,) if nickname and nickname != name else (), card=file
    )
    of_book = card.book.problems if card.book else ()
    problems = (*card.problems, *problems, *of_book)
    return RoleFromCard(role, {file: data, **_book_files(card)}, problems)


def role_id_in(card: Card) -> str | None:
    """The id of its role that the card carries; None if it has none."""
    own = value_at(card.extensions, (preserved_fields.OURS, ROLE_ID))
    return canonical(own) if isinstance(own, str) else None


def with_books(card: Card, books: Iterable[Book], role_id: str = "") -> Card:
    """The card with a role's books merged in, and the role's id in its extensions. Unchanged if nothing changed.

    The card's original book comes first; entries of the others follow, under fresh ids if taken.
    """
    listed = sorted(books, key=lambda book: not _is_of_card(book))
    hub = _merged(card, listed)
    if hub is not None and not same(hub, value_at(card.hub, BOOK)):
        card = card.with_book(Book.new(hub, HUB_BOOK))
    ours = object_of(card.extensions.get(preserved_fields.OURS))
    return (
        card.with_extension(preserved_fields.OURS, {**ours, ROLE_ID: role_id})
        if role_id and ours.get(ROLE_ID) != role_id
        else card
    )


def display_name(name: str) -> str:
    r"""A name as one line of at most 200 characters, without control characters.

    >>> display_name("  Mira\n the keeper\x00 ")
    'Mira the keeper'
    """
    shown = "".join(" " if letter.isspace() else letter for letter in name)
    return " ".join(
        "".join(
            letter for letter in shown if unicodedata.category(letter) not in ("Cc", "Cs")
        ).split()
    )[:200].strip()


def file_name(name: str, other: str = "book") -> str:
    """A file name without ending, safe on every system.

    >>> file_name("../Eldoria: the *forest*?"), file_name("CON"), file_name("艾尔多利亚"), file_name("..")
    ('Eldoria- the -forest', 'book-CON', '艾尔多利亚', 'book')
    """
    safe = _UNSAFE.sub("-", display_name(name)).strip(" .-_")[:80].rstrip(" .-_")
    safe = safe.encode()[:180].decode("utf-8", "ignore")
    return f"{other}-{safe}" if _RESERVED.fullmatch(safe) else safe or other


def _card_file(card: Card) -> tuple[str, bytes, tuple[LocalizedText, ...]]:
    kinds = {"png": "card.png", "charx": "card.charx", "json": "card.json"}
    if kind := kinds.get(card.container.name):
        return kind, card.write(), ()
    told = LocalizedText("{format} is only read; the card is kept as V3 JSON", format=card.format)
    return "card.json", card.in_form(V3).write(), (told,)


def _book_files(card: Card) -> dict[str, bytes]:
    """The card's own book, and those merged into it, each as a world file."""
    found = card.book_file
    if found is None or not found.form.listed(found.raw):
        return {}
    own = file_name(text(object_of(found.hub).get("name")).strip() or card.name)
    parts: dict[str, list[Any]] = {own: []}
    for one in found.hub["entries"]:
        plain, origin = (
            preserved_fields.without_note(dict(one), _FROM_BOOK)
            if isinstance(one, Mapping)
            else (one, None)
        )
        parts.setdefault(
            file_name(origin) if isinstance(origin, str) and origin else own, []
        ).append(plain)
    files = {}
    for name, entries in parts.items():
        hub = (
            {**found.hub, "entries": entries}
            if name == own
            else {"name": name, "entries": entries, "extensions": {}}
        )
        files[f"worldbooks/{name}.json"] = _world_file(hub, of_card=name == own)
    return files


def _world_file(hub: JsonObject, of_card: bool) -> bytes:
    raw = preserved_fields.with_note(WORLD_BOOK.from_hub(hub), preserved_fields.OF_CARD, of_card)
    return Book.new(raw, WORLD_BOOK).write()


def _is_of_card(book: Book) -> bool:
    return bool(preserved_fields.note_of(book.raw, preserved_fields.OF_CARD))


def _merged(card: Card, books: list[Book]) -> JsonObject | None:
    """All books merged, in the common shape; None if there are none."""
    if books and _is_of_card(books[0]):
        base = preserved_fields.without_note(books[0].hub, preserved_fields.OF_CARD)[0]
        others = books[1:]
    else:
        own = value_at(card.hub, BOOK)
        others = books
        base = (
            _without(own, {_origin(book) for book in books})
            if isinstance(own, Mapping)
            else {"name": card.name, "entries": []}
        )
    if not others:
        return base if books else None
    entries = list(base["entries"])
    for book in others:
        entries += _fresh(book, entries)
    return {**base, "entries": entries}


def _without(book: JsonMapping, origins: set[str]) -> JsonObject:
    """The book without entries merged from those books, which are added again."""
    entries = [
        one
        for one in book["entries"]
        if not (isinstance(one, Mapping) and preserved_fields.note_of(one, _FROM_BOOK) in origins)
    ]
    return {**book, "entries": entries}


def _origin(book: Book) -> str:
    """The name of a merged book: its file's, so that it can be found."""
    return PurePath(book.file).stem or book.name


def _fresh(book: Book, before: list[JsonObject]) -> list[JsonObject]:
    """The entries of a book for appending: taken ids become the next free number, and each names its source."""
    taken = {one.get("id") for one in before if isinstance(one.get("id"), int | str)}
    free = max((found for found in taken if isinstance(found, int)), default=-1) + 1
    entries = []
    for one in book.hub["entries"]:
        found = one.get("id")
        if found is None or not isinstance(found, int | str) or found in taken:
            found = free
            free = free + 1
        taken.add(found)
        free = max(free, found + 1) if isinstance(found, int) else free
        marked = preserved_fields.with_note({**one, "id": found}, _FROM_BOOK, _origin(book))
        entries.append(marked)
    return entries
