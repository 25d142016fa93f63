"""Lints a character card, its book aside: fields of another version, copies that differ."""

from collections.abc import Iterator
from dataclasses import dataclass

from rolememory.authoring.lint.finding import Severity, WordedFinding
from rolememory.cards import preserved_fields
from rolememory.cards.card import Card
from rolememory.cards.card_forms import MIRRORS, V2, V3_ONLY, has_layout
from rolememory.cards.json_edit import same
from rolememory.locales import LocalizedText
from rolememory.schema.scene import Language


@dataclass(frozen=True, slots=True)
class CardFault:
    """One fault: where, how sure, what is wrong and what to write."""

    code: str
    field: str
    severity: Severity
    why: LocalizedText
    write: LocalizedText = LocalizedText("")  # noqa: RUF009  # never changes


def worded_faults(card: Card, language: Language) -> Iterator[WordedFinding]:
    """What is wrong with the card, as it is shown."""
    for one in card_faults(card):
        yield WordedFinding(
            severity=one.severity.value,
            code=one.code,
            uid="",
            title="",
            field=one.field,
            ours=one.field,
            why=one.why.text(language),
            write=one.write.text(language),
            values={},
        )


def card_faults(card: Card) -> Iterator[CardFault]:
    """Every finding about the card itself."""
    for problem in card.problems:
        yield CardFault("odd", "", Severity.WARNING, LocalizedText(problem))
    yield from _newer_fields(card)
    yield from _copies(card)


def _newer_fields(card: Card) -> Iterator[CardFault]:
    """Fields of V3 in a V2 card, which V2 programs do not read."""
    if card.form is not V2:
        return
    for name in V3_ONLY:
        if not preserved_fields.is_empty(card.data.get(name)):
            why = LocalizedText("a field of V3 in a V2 card: programs that know V2 do not read it")
            write = LocalizedText(
                "save the card as v3: rolememory card convert FILE --to v3 --out OUT"
            )
            yield CardFault("v3_field", f"data.{name}", Severity.WARNING, why, write)


def _copies(card: Card) -> Iterator[CardFault]:
    """Top-level copies for older programs that differ from `data`."""
    if not has_layout(card.form):
        return
    for name, mirror in MIRRORS.items():
        if mirror in card.raw and name in card.data and not same(card.raw[mirror], card.data[name]):
            why = LocalizedText("differs from data.{name}; old programs read this copy", name=name)
            write = LocalizedText("write the same in both, or take the copy away")
            yield CardFault("copy_differs", mirror, Severity.WARNING, why, write)
