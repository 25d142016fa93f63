"""Cards and lorebooks from one format into another, with every field told that the other cannot hold.

What is lost is found by asking, not by a table: the result is read as a program would that does not know us, brought back, and compared.
All of it is kept in the result's extensions, so that converting back restores it; an edit made in between stands.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rolememory.cards import base, keep
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import book_formats
from rolememory.cards.book_forms import HUB_BOOK, BookForm, book_form
from rolememory.cards.card import Card
from rolememory.cards.card_forms import BOOK, HUB, MIRRORS, CardForm, has_layout, new_document
from rolememory.cards.changes import ABSENT, Change, changes, spoken, value_at, with_value
from rolememory.cards.containers import JsonText
from rolememory.cards.json_edit import same
from rolememory.cards.pictures import members_left
from rolememory.errors import UnknownNameError

Raw = dict[str, Any]

_BOOKLESS = "bookless"  # that character had no book
_CARD_NOTE = "card"  # in the extensions of a book: the character it was taken from


@dataclass(frozen=True, slots=True)
class Loss:
    """One field of the source that the target's own fields do not hold."""

    field: str  # its path in the source
    target: str  # the format that cannot hold it
    held: Any = ABSENT  # what stands there instead, ABSENT = nothing
    kept: str = ""  # where in the result it is kept for the way back; "" = nowhere

    @property
    def why(self) -> str:
        """The reason, in English."""
        return self.text("en")

    def text(self, language: str = "en") -> str:
        """The reason in that language.

        >>> Loss("data.nickname", "v2").text(), Loss("data.nickname", "v2").text("zh")
        ('v2 has no place for it', 'v2 没有地方放它')
        """
        if self.held is ABSENT:
            return f"{self.target} 没有地方放它" if language == "zh" else f"{self.target} has no place for it"
        shown = repr(self.held) if len(repr(self.held)) <= 60 else repr(self.held)[:57] + "..."
        return f"{self.target} 只能写成 {shown}" if language == "zh" else f"{self.target} holds it as {shown}"


@dataclass(frozen=True, slots=True)
class Converted:
    """The result of a conversion: its bytes, and what they do not say by themselves."""

    data: bytes = field(repr=False)
    losses: tuple[Loss, ...]
    result: Card | Book

    @property
    def suffix(self) -> str:
        """The usual ending of such a file."""
        kinds = {"png": ".png", "charx": ".charx", "novelai": ".lorebook"}
        return kinds.get(self.result.format, ".json")


def convert(what: Card | Book, to: str) -> Converted:
    """The card or lorebook in the format `to`. A card into a book format gives the book it carries; a book into a card format a card around it.

    Raises:
        UnknownNameError: there is no such format.
        InvalidValueError: the format is only read.
    """
    if to in book_formats():
        book = what if isinstance(what, Book) else taken_out(what)
        result = book if book.format == to else book.in_form(book_form(to))
        found = _book_losses(book, result) if isinstance(what, Book) else [*_character_losses(what, to), *_book_losses(book, result)]
        return Converted(result.write(), tuple(found), result)
    if to not in base.formats():
        raise UnknownNameError("format", to, [*base.formats(), *book_formats()])
    card = what if isinstance(what, Card) else put_in(what)
    data = base.dump(card, to)
    made = base.load(data, card.file)
    losses = _card_losses(card, made) if isinstance(what, Card) else _book_losses(what, made.book_file or what)
    return Converted(data, tuple(losses), made)


def taken_out(card: Card) -> Book:
    """The book of a card, with the character kept in its extensions."""
    found = value_at(card.hub, BOOK)
    if not isinstance(found, Mapping):
        book, alone = keep.with_note({"name": card.name, "entries": []}, keep.EXTENSIONS, _BOOKLESS, True), card.hub
    else:
        book, alone = dict(found), with_value(card.hub, BOOK, ABSENT)
    return Book.new(keep.with_note(book, keep.EXTENSIONS, _CARD_NOTE, alone), HUB_BOOK, card.file)


def put_in(book: Book) -> Card:
    """A card around a book: the character it was taken from, or a new one by the book's name."""
    plain, character = keep.without_note(book.hub, keep.EXTENSIONS, _CARD_NOTE)
    plain, bookless = keep.without_note(plain, keep.EXTENSIONS, _BOOKLESS)
    document = dict(character) if isinstance(character, Mapping) else new_document(name=book.name or book.file)
    raw = document if bookless and not plain["entries"] else with_value(document, BOOK, plain)
    return Card(raw, HUB, JsonText.new(raw), book.file)


def _character_losses(card: Card, to: str) -> Iterator[Loss]:
    place = ".".join((*keep.EXTENSIONS, keep.OURS, _CARD_NOTE))
    for name, value in card.data.items():
        if name != "character_book" and not keep.is_empty(value):
            yield Loss(f"data.{name}", to, kept=place)


def _card_losses(card: Card, made: Card) -> list[Loss]:
    """Compare in the card's own layout; of one that is only read in the shape between all formats."""
    form, raw = (card.form, card.raw) if card.form.from_hub_alone else (HUB, card.hub)
    seen = made.form.to_hub(_blind(made.form, made.raw))
    back, usual = form.from_hub(seen), form.from_hub(_blind(HUB, form.to_hub(_blind(form, raw))))
    kept = ".".join((*made.form.extensions, keep.OURS))
    found = [
        Loss(spoken(one.path), made.format, one.after, kept) for one in _lost(_alone(form, raw), _alone(form, back), _alone(form, usual))
    ]
    ours, theirs = form.book_of(raw), made.book_file
    if ours is not None and made.form.book is None:
        found.append(Loss(".".join(form.book_at), made.format, kept=kept))
    elif ours is not None and form.book and theirs is not None:
        inside = Book.new(dict(ours), form.book.name)
        found += _book_losses(inside, theirs, ".".join(form.book_at), ".".join(made.form.book_at), made.format)
    return [*found, *_picture_losses(card, made)]


def _is_mirror(form: CardForm, one: Change) -> bool:
    """Whether it is a copy of a field for older programs, which stands in `data` as well."""
    return has_layout(form) and len(one.path) == 1 and one.path[0] in MIRRORS.values()


def _alone(form: CardForm, raw: Mapping[str, Any]) -> Raw:
    book = form.book_of(raw)
    return keep.stripped(dict(raw) if book is None else with_value(raw, form.book_at, ABSENT), form.extensions)


def _blind(form: CardForm, raw: Mapping[str, Any]) -> Raw:
    """The card without anything of ours, its book too."""
    book = form.book_of(raw)
    plain = keep.stripped(dict(raw), form.extensions)
    return plain if book is None or form.book is None else with_value(plain, form.book_at, _blind_book(form.book, book))


def _blind_book(form: BookForm, raw: Mapping[str, Any]) -> Raw:
    plain = keep.stripped(dict(raw), form.extensions)
    entries = [keep.stripped(dict(one)) if isinstance(one, Mapping) else one for _, one in form.listed(plain)]
    found = value_at(plain, form.entries)
    return with_value(plain, form.entries, dict(zip(found, entries, strict=True)) if isinstance(found, Mapping) else entries)


def _book_losses(book: Book, made: Book, above: str = "", kept_above: str = "", target: str = "") -> list[Loss]:
    """Head and entries, compared in the layout of the source; entries that are no objects do not come along."""
    target = target or made.format
    seen = made.form.to_hub(_blind_book(made.form, made.raw))
    plain = _blind_book(book.form, book.raw)
    back, usual = book.form.from_hub(seen), book.form.from_hub(_blind_book(HUB_BOOK, book.form.to_hub(plain)))
    head = _lost(*(book.form.without_entries(one) for one in (plain, back, usual)))
    kept = spoken((*made.form.extensions, keep.OURS), kept_above)
    found = [Loss(spoken(one.path, above), target, one.after, kept) for one in head]
    named = [(place, one) for place, one in book.form.listed(plain) if isinstance(one, Mapping)]
    found += [Loss(spoken((place,), above), target) for place, one in book.form.listed(plain) if not isinstance(one, Mapping)]
    places = [place for place, _ in made.form.listed(made.raw)]
    triples = zip(named, book.form.listed(back), book.form.listed(usual), places, strict=False)
    for (place, one), (_, after), (_, normal), where in triples:
        kept = spoken((where, *keep.EXTENSIONS, keep.OURS), kept_above)
        found += [
            Loss(spoken((place, *change.path), above), target, change.after, kept) for change in _lost(one, keep.stripped(after), normal)
        ]
    return found


def _lost(raw: Mapping[str, Any], back: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[Change]:
    """Fields of `raw` that `back` lacks or says otherwise. `usual` is `raw` in the plain words of its format: another spelling is no loss."""
    for one in changes(raw, back):
        if not keep.is_empty(one.before) and (one.after is ABSENT or not same(value_at(usual, one.path), one.after)):
            yield one


def _picture_losses(card: Card, made: Card) -> Iterator[Loss]:
    """Pictures and other members that the result has no room for; the source file still has them."""
    if card.format == "png" and made.format not in ("png", "charx"):
        yield Loss("(picture)", made.format)
    if made.format != "charx":
        yield from (Loss(f"({name})", made.format) for name in members_left(card, made.format == "png"))
