"""Converts cards and lorebooks between formats and reports every field that the target cannot hold.

What is lost is found by asking, not by a table: the result is read as a program would that does not know us, brought back, and compared.
All of it is kept in the result's extensions, so that converting back restores it; an edit made in between stands.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rolememory.cards import base, preserved_fields
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import book_formats
from rolememory.cards.book_forms import HUB_BOOK, book_form
from rolememory.cards.card import Card
from rolememory.cards.card_forms import BOOK, HUB, MIRRORS, CardForm, has_layout, new_document
from rolememory.cards.containers import new_json
from rolememory.cards.entry_forms import EntryForm, is_usual
from rolememory.cards.images import members_left
from rolememory.cards.json_changes import (
    ABSENT,
    FieldChange,
    Path,
    changes,
    spoken,
    value_at,
    with_value,
)
from rolememory.cards.json_edit import same
from rolememory.errors import UnknownNameError
from rolememory.locales import Localized, translated

Raw = dict[str, Any]
Turn = Callable[[Raw], Raw]

_BOOKLESS = "bookless"  # that character had no book
_CARD_NOTE = "card"  # in the extensions of a book: the character it was taken from


@dataclass(frozen=True, slots=True)
class Loss(Localized):
    """One field of the source that the target's own fields do not hold."""

    field: str  # its path in the source
    target: str  # the format that cannot hold it
    held: Any = ABSENT  # what stands there instead, ABSENT = nothing
    kept: str = ""  # where in the result it is kept for the way back; "" = nowhere

    def text(self, language: str = "en") -> str:
        """The reason in that language.

        >>> Loss("data.nickname", "v2").text(), Loss("data.nickname", "v2").text("zh")
        ('v2 has no place for it', 'v2 没有地方放它')
        """
        if self.held is ABSENT:
            return translated("{target} has no place for it", language, target=self.target)
        shown = repr(self.held) if len(repr(self.held)) <= 60 else repr(self.held)[:57] + "..."
        return translated("{target} holds it as {held}", language, target=self.target, held=shown)


@dataclass(frozen=True, slots=True)
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
        InvalidValueError: the format is only read.
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
        book, alone = (
            preserved_fields.with_note({"name": card.name, "entries": []}, _BOOKLESS, True),
            card.hub,
        )
    else:
        book, alone = dict(found), with_value(card.hub, BOOK, ABSENT)
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


@dataclass(frozen=True, slots=True)
class _FormatView:
    """A card, a book's head or an entry in one format, without our extensions, and how it is turned into the common shape and back."""

    format: str
    raw: Raw
    to_hub: Turn
    from_hub: Turn = lambda hub: hub


def _lost(ours: _FormatView, theirs: _FormatView) -> dict[Path, Any]:
    """For every field of ours that theirs does not hold: its path and what is there instead.

    A field that the common shape knows is lost if it comes back changed. One that it does not know is lost unless both formats are one.
    """
    hub, seen = ours.to_hub(ours.raw), theirs.to_hub(theirs.raw)
    usual, back = (
        preserved_fields.stripped(ours.from_hub(hub)),
        preserved_fields.stripped(ours.from_hub(seen)),
    )
    found = {one.path: one.after for one in changes(usual, back) if _says_more(one)}
    for one in changes(ours.raw, usual) if ours.format != theirs.format else ():
        if _says_more(one) and one.path not in found and not _is_held(one, ours, hub, seen):
            found[one.path] = ABSENT
    return {
        path: ABSENT if preserved_fields.is_empty(held) else held for path, held in found.items()
    }


def _says_more(one: FieldChange) -> bool:
    """Whether a change loses something: blanks between keys and quotes around a number do not count."""
    told = [
        "".join(str(value).split()) if isinstance(value, str | int) else value
        for value in (one.before, one.after)
    ]
    return not preserved_fields.is_empty(one.before) and not same(*told)


def _is_held(one: FieldChange, ours: _FormatView, hub: Raw, seen: Raw) -> bool:
    """Whether a field that our format normalises is nevertheless kept by the common shape and by the result."""
    known = not same(ours.to_hub(with_value(ours.raw, one.path, one.after)), hub)
    return known and same(value_at(hub, one.path), value_at(seen, one.path))


def _card_losses(card: Card, made: Card) -> list[Loss]:
    """The losses of a card, named in its own layout; for formats that are only read, in the common shape."""
    form, raw = (card.form, card.raw) if card.form.from_hub_alone else (HUB, card.hub)
    kept = ".".join((*made.form.extensions, preserved_fields.OURS))
    lost = _lost(_card_words(form, raw), _card_words(made.form, made.raw))
    found = [
        Loss(spoken(path), made.format, held, kept)
        for path, held in lost.items()
        if not _is_mirror(form, path)
    ]
    ours, theirs = form.book_of(raw), made.book_file
    if ours is not None and made.form.book is None:
        found.append(Loss(".".join(BOOK), made.format, kept=kept))
    elif ours is not None and form.book and theirs is not None:
        inside, place = Book.new(dict(ours), form.book), ".".join(BOOK)
        found += _book_losses(inside, theirs, place, place, made.format)
    return [*found, *_picture_losses(card, made.format)]


def _card_words(form: CardForm, raw: Mapping[str, Any]) -> _FormatView:
    return _FormatView(
        form.name,
        preserved_fields.stripped(form.alone(raw), form.extensions),
        form.to_hub_alone,
        form.from_hub_alone or (lambda hub: hub),
    )


def _is_mirror(form: CardForm, path: Path) -> bool:
    """Whether the path is a top-level copy of a field of `data` for older programs."""
    return has_layout(form) and len(path) == 1 and path[0] in MIRRORS.values()


def _book_losses(
    book: Book, made: Book, above: str = "", kept_above: str = "", target: str = ""
) -> list[Loss]:
    """The losses of a book's head and entries, named in the layout of the source; entries that are no objects are lost."""
    target = target or made.format
    kept = spoken((*made.form.extensions, preserved_fields.OURS), kept_above)
    head = _lost(_head_words(book), _head_words(made))
    found = [Loss(spoken(path, above), target, held, kept) for path, held in head.items()]
    ours, theirs = book.form.listed(book.raw), made.form.listed(made.raw)
    found += [Loss(spoken((place,), above), target) for place, one in ours if not _is_object(one)]
    pairs = zip(filter(_has_object, ours), filter(_has_object, theirs), strict=False)
    for at, ((place, raw), (where, made_raw)) in enumerate(pairs):
        kept = spoken((where, *preserved_fields.EXTENSIONS, preserved_fields.OURS), kept_above)
        lost = _lost(
            _entry_words(book.form.entry, raw, at), _entry_words(made.form.entry, made_raw, at)
        )
        found += [
            Loss(spoken((place, *path), above), target, held, kept)
            for path, held in lost.items()
            if not (book.form.in_card and is_usual(raw, path))
        ]
    return found


def _is_object(entry: Any) -> bool:
    return isinstance(entry, Mapping)


def _has_object(placed: tuple[str, Any]) -> bool:
    return _is_object(placed[1])


def _head_words(book: Book) -> _FormatView:
    head = preserved_fields.stripped(book.form.without_entries(book.raw), book.form.extensions)
    return _FormatView(book.form.name, head, book.form.head_to_hub, book.form.head_from_hub)


def _entry_words(form: EntryForm, raw: Mapping[str, Any], at: int) -> _FormatView:
    number = form.number_of(raw, at)
    return _FormatView(
        form.name,
        preserved_fields.stripped(dict(raw)),
        form.to_hub,
        lambda hub: form.from_hub(hub, number),
    )


def _picture_losses(card: Card, to: str) -> Iterator[Loss]:
    """Pictures and other members that the format cannot hold; the source file still has them."""
    if card.format == "png" and to not in ("png", "charx"):
        yield Loss("(picture)", to)
    if to != "charx":
        yield from (Loss(f"({name})", to) for name in members_left(card, to == "png"))
