"""Lints a character card and its book: fields of another version, copies that differ, what is wrong with the book."""

from rolememory.authoring.books import BookFile
from rolememory.authoring.lint import check
from rolememory.authoring.lint.finding import Findings, WordedFinding, of_book
from rolememory.authoring.lint.words import worded
from rolememory.cards import preserved_fields
from rolememory.cards.card import Card
from rolememory.cards.card_forms import MIRRORS, V2, V3_ONLY, has_layout
from rolememory.cards.json_edit import same
from rolememory.schema.scene import Language
from rolememory.schema.settings import ScanSettings


def card_faults(card: Card, settings: ScanSettings, language: Language) -> list[WordedFinding]:
    """All findings on a card, then on its book under these settings, in words."""
    found = [worded(one, card.format, language) for one in _of_card(card)]
    if book := card.book_file:
        file = BookFile(book.name, card.raw, book.lorebook(book.name))
        found += check.worded_findings(file, settings, language)
    return found


def _of_card(card: Card) -> Findings:
    for problem in card.problems:
        yield of_book("odd", "", problem=problem)
    yield from _newer_fields(card)
    yield from _copies(card)


def _newer_fields(card: Card) -> Findings:
    """Fields of V3 in a V2 card, which V2 programs do not read."""
    for name in V3_ONLY if card.form is V2 else ():
        if not preserved_fields.is_empty(card.data.get(name)):
            yield of_book("v3_field", f"data.{name}")


def _copies(card: Card) -> Findings:
    """Top-level copies for older programs that differ from `data`."""
    for name, mirror in MIRRORS.items() if has_layout(card.form) else ():
        if mirror in card.raw and name in card.data and not same(card.raw[mirror], card.data[name]):
            yield of_book("copy_differs", mirror, name=name)
