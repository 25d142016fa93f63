"""Reviews a card or lorebook before import: keys that match any text, and differences from the role's card."""

from collections.abc import Iterable, Iterator
from typing import Any

from rolememory.authoring.lint.keys import is_grammar
from rolememory.cards.card import Card
from rolememory.cards.json_changes import ABSENT, changes, spoken
from rolememory.locales import Localized, translated
from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.schema.json_types import JsonMapping, JsonObject, without
from rolememory.schema.lorebook import Lorebook
from rolememory.schema.settings import ScanSettings
from rolememory.schema.value_class import value_class
from rolememory.text.pattern import PatternBudget

PROBES = ("Hello.", "好的。", "1", "?!", "ok", "Ну да", "え？")
"""Short texts without a common letter: a key found in each of them is found everywhere."""

LONGEST = 60  # maximum characters of a shown value
MOST = 40  # maximum differences shown
_OURS = ("extensions", "rolememory")


@value_class
class CatchAllKey(Localized):
    """A key that matches nearly every text."""

    book: str
    entry: str  # its title, else its id
    key: str

    def text(self, language: str = "en") -> str:
        """Its effect, and what to do about it."""
        return translated(
            "{entry}: the key {key!r} stands in nearly every message, so this entry comes on nearly every turn; make it constant, or change the key",
            language,
            entry=self.entry,
            key=self.key,
        )


@value_class
class FieldDifference:
    """A difference in a field of a card or its book; "" if empty."""

    field: str
    before: str
    after: str


def everywhere(books: Iterable[Lorebook], settings: ScanSettings) -> tuple[CatchAllKey, ...]:
    """Every primary key that matches any text, or is a letter or a function word, so that its entry fires on nearly every turn."""
    patterns = PatternBudget()
    return tuple(
        CatchAllKey(lore.book.name, lore.entry.comment or lore.entry.id, key.text)
        for book in books
        for lore in LoreIndex([book], settings).entries
        for key in lore.keys
        if lore.entry.enabled and not lore.constant and _fits_all(key, lore, patterns)
    )


def _fits_all(key: LoreKey, lore: Lore, patterns: PatternBudget) -> bool:
    if key.kind is KeyKind.PATTERN and key.pattern is not None:
        return all(patterns.search(key.pattern, text) for text in PROBES)
    blank = key.kind is KeyKind.DIRECT and not key.text.strip()
    return key.kind is KeyKind.ALWAYS or blank or is_grammar(key)


def differences(before: Card, after: Card) -> tuple[FieldDifference, ...]:
    """Differences of the second card, by field, and in the texts of its book, by entry."""
    plain = (without(card.data, "character_book") for card in (before, after))
    found = [*_fields(*plain), *_fields(_book(before), _book(after))]
    return tuple(found[:MOST])


def _fields(before: JsonMapping, after: JsonMapping) -> Iterator[FieldDifference]:
    for one in changes(before, after):
        if one.path[:2] == _OURS or not (_says(one.before) or _says(one.after)):
            continue
        yield FieldDifference(spoken(one.path), _shown(one.before), _shown(one.after))


def _book(card: Card) -> JsonObject:
    book = card.book
    if book is None:
        return {}
    return {
        "book": {
            entry.comment or ", ".join(entry.keys) or entry.id: entry.content
            for entry in book.entries
        }
    }


def _says(value: Any) -> bool:
    """Whether a field is not empty."""
    return value is not ABSENT and bool(value)


def _shown(value: Any) -> str:
    text = (
        " ".join(value.split()) if isinstance(value, str) else repr(value) if _says(value) else ""
    )
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
