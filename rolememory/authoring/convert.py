"""Converts cards and lorebooks between formats and reports every field that the target cannot hold.

Fields that the target cannot hold are kept in the result's extensions, so that converting back restores them; edits made
in between win. Other programs do not see what is kept there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

from rolememory.cards import base, preserved_fields
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import book_formats
from rolememory.cards.book_forms import HUB_BOOK, book_form
from rolememory.cards.card import Card
from rolememory.cards.card_forms import BOOK, HUB, MIRRORS, CardForm, has_layout, new_document
from rolememory.cards.containers import new_json
from rolememory.cards.entry_forms import is_usual
from rolememory.cards.images import members_left
from rolememory.cards.json_changes import (
    ABSENT,
    FieldChange,
    Path,
    spoken,
    value_at,
    with_value,
)
from rolememory.cards.json_edit import same
from rolememory.errors import UnknownNameError
from rolememory.locales import Localized, translated
from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class

Turn = Callable[[JsonObject], JsonObject]

_BOOKLESS = "bookless"  # that character had no book
_CARD_NOTE = "card"  # in the extensions of a book: the character it was taken from


@value_class
class Loss(Localized):
    """One field of the source that the target's own fields do not hold."""

    field: str  # its path in the source
    target: str  # the format that cannot hold it
    held: Any = ABSENT  # the value there instead, ABSENT = none
    kept: str = ""  # where the result keeps it for converting back; "" = nowhere

    def text(self, language: str = "en") -> str:
        """The reason in that language.

        >>> Loss("data.nickname", "v2").text(), Loss("data.nickname", "v2").text("zh")
        ('v2 has no place for it', 'v2 没有地方放它')
        """
        if self.held is ABSENT:
            return translated("{target} has no place for it", language, target=self.target)
        shown = repr(self.held) if len(repr(self.held)) <= 60 else repr(self.held)[:57] + "..."
        return translated("{target} holds it as {held}", language, target=self.target, held=shown)


@value_class
class Converted:
    """The result of a conversion: its bytes, and what was lost."""

    data: bytes = field(repr=False)
    losses: tuple[Loss, ...]
    result: Card | Book

    @property
    def suffix(self) -> str:
        """The usual ending of such a file."""
        return {"png": ".png", "charx": ".charx"}.get(self.result.format, ".json")


def convert(what: Card | Book, to: str) -> Converted:
    """The card or lorebook in the format `to`; "" = as it is. A card converted to a book format gives its book; a book converted to a card format, a card with that book.

    Raises:
        UnknownNameError: there is no such format.
        InvalidValueError: the format, of another package, is only read.
    """
    if to in ("", what.format):
        return Converted(what.write(), (), what)
    if to in book_formats():
        book = what if isinstance(what, Book) else taken_out(what)
        result = book.in_form(book_form(to))
        found = _book_losses(book, result)
        if isinstance(what, Card):
            found = [*_character_losses(what, to), *found, *_picture_losses(what, to)]
        return Converted(result.write(), tuple(found), result)
    if to not in base.formats():
        raise UnknownNameError("format", to, [*base.formats(), *book_formats()])
    card = what if isinstance(what, Card) else put_in(what)
    data = base.dump(card, to)
    made = base.load(data, card.file)
    losses = (
        _card_losses(card, made)
        if isinstance(what, Card)
        else _book_losses(what, made.book_file or what)
    )
    return Converted(data, tuple(losses), made)


def as_lorebook(book: Book, data: bytes) -> bytes:
    """The book of a file with this content as a file of its own: JSON as it is, anything else as a lorebook of V3."""
    own = book.container.name == "json" and book.container.data == data
    return data if own else convert(book, "lorebook_v3").data


def taken_out(card: Card) -> Book:
    """The book of a card; its extensions keep the character."""
    found = value_at(card.hub, BOOK)
    if not isinstance(found, Mapping):
        book = preserved_fields.with_note({"name": card.name, "entries": []}, _BOOKLESS, True)
        alone = card.hub
    else:
        book = dict(found)
        alone = with_value(card.hub, BOOK, ABSENT)
    return Book.new(
        preserved_fields.with_note(book, _CARD_NOTE, alone),
        HUB_BOOK,
        card.file,
    )


def put_in(book: Book) -> Card:
    """A card with this book: the character kept in its extensions, or a new one named like the book."""
    plain, character = preserved_fields.without_note(book.hub, _CARD_NOTE)
    plain, bookless = preserved_fields.without_note(plain, _BOOKLESS)
    document = (
        dict(character)
        if isinstance(character, Mapping)
        else new_document(name=book.name or book.file)
    )
    raw = document if bookless and not plain["entries"] else with_value(document, BOOK, plain)
    return Card(raw, HUB, new_json(raw), book.file)


def _character_losses(card: Card, to: str) -> Iterator[Loss]:
    place = ".".join((*preserved_fields.EXTENSIONS, preserved_fields.OURS, _CARD_NOTE))
    for name, value in card.data.items():
        if name != "character_book" and not preserved_fields.is_empty(value):
            yield Loss(f"data.{name}", to, kept=place)


def _card_losses(card: Card, made: Card) -> list[Loss]:
    """The losses of a card, named in its own layout; for formats that are only read, in the common shape."""
    source = _NotedPart(card.form.name, card.raw, card.form.extensions)
    result = _NotedPart(card.form.name, made.raw, made.form.extensions)
    found = [
        Loss(spoken(one.path), made.format, one.after, result.kept())
        for one in _losses(source, result)
        if not _is_mirror(card.form, one.path)
    ]
    ours = card.book_file
    theirs = made.book_file
    if ours is not None and theirs is not None and made.form.book:
        found += _book_losses(ours, theirs, ".".join(BOOK), made.format)
    return [*found, *_picture_losses(card, made.format)]


def _is_mirror(form: CardForm, path: Path) -> bool:
    """Whether the path is a top-level copy of a field of `data` for older programs."""
    return has_layout(form) and len(path) == 1 and path[0] in MIRRORS.values()


@value_class
class _NotedPart:
    """A card, a book's head or an entry, where its extensions stand, and the format that it was converted from."""

    source: str
    raw: JsonObject
    extensions: Path = preserved_fields.EXTENSIONS

    @property
    def notes(self) -> list[FieldChange]:
        """Every field that a format could not hold and that is kept in the extensions."""
        return [
            one
            for name in (preserved_fields.KEPT, self.source)
            for one in preserved_fields.noted(self.raw, name, self.extensions)
        ]

    def kept(self, above: str = "") -> str:
        """Where they stand."""
        return spoken((*self.extensions, preserved_fields.OURS), above)


def _losses(source: _NotedPart, result: _NotedPart) -> Iterator[FieldChange]:
    """What the result keeps for converting back and the source did not: its own fields cannot hold that."""
    known = source.notes
    for one in result.notes:
        held = one in known or same(value_at(result.raw, one.path), one.before)
        if not held and _says_more(one):
            after = ABSENT if preserved_fields.is_empty(one.after) else one.after
            yield FieldChange(one.path, one.before, after)


def _says_more(one: FieldChange) -> bool:
    """Whether a change loses information: blanks between keys and quotes around a number do not count."""
    told = [
        "".join(str(value).split()) if isinstance(value, str | int) else value
        for value in (one.before, one.after)
    ]
    return not preserved_fields.is_empty(one.before) and not same(*told)


def _book_losses(book: Book, made: Book, above: str = "", target: str = "") -> list[Loss]:
    """The losses of a book's head and entries, named in the layout of the source; entries that are no objects are lost."""
    target = target or made.format
    head = _NotedPart(book.form.name, book.raw, book.form.extensions)
    result = _NotedPart(book.form.name, made.raw, made.form.extensions)
    found = [
        Loss(spoken(_as_written(book, one.path), above), target, one.after, result.kept(above))
        for one in _losses(head, result)
    ]
    ours = book.form.listed(book.raw)
    theirs = made.form.listed(made.raw)
    found += [
        Loss(spoken((place,), above), target) for place, one in ours if not isinstance(one, Mapping)
    ]
    pairs = zip(*(_objects(listed) for listed in (ours, theirs)), strict=False)
    for (place, raw), (where, made_raw) in pairs:
        entry = _NotedPart(book.form.entry.name, raw)
        result = _NotedPart(book.form.entry.name, made_raw)
        kept = result.kept(spoken((where,), above))
        found += [
            Loss(spoken((place, *one.path), above), target, one.after, kept)
            for one in _losses(entry, result)
            if not (book.form.in_card and is_usual(raw, one.path))
        ]
    return found


def _as_written(book: Book, path: Path) -> Path:
    """The path of a field of a book's head in its file: some formats nest it one level deeper."""
    there = value_at(book.raw, path) is not ABSENT
    return path if there else (*book.form.entries[:-1], *path)


def _objects(placed: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [(place, one) for place, one in placed if isinstance(one, Mapping)]


def _picture_losses(card: Card, to: str) -> Iterator[Loss]:
    """Images and other members that the format cannot hold; the source file still has them."""
    if card.format == "png" and to not in ("png", "charx"):
        yield Loss("(picture)", to)
    if to != "charx":
        yield from (Loss(f"({name})", to) for name in members_left(card, to == "png"))
