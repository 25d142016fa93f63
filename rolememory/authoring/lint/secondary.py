"""Secondary keys that are not asked, or ask for what is always so."""

from collections.abc import Iterator

from rolememory.authoring.lint.finding import LintFinding, of
from rolememory.authoring.lint.subject import Subject
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.schema.entry import SelectiveLogic


def ignored(subject: Subject) -> Iterator[LintFinding]:
    """Secondary keys without `selective`, and logic or `selective` without secondary keys."""
    for lore in subject.living:
        entry = lore.entry
        said = [key for key in entry.secondary_keys if key.strip()]
        if said and not entry.selective and lore.keys:
            yield of(lore, "ignored_secondary", "selective", keys=", ".join(said[:5]))
        elif not said and entry.selective_logic is not SelectiveLogic.AND_ANY:
            yield of(lore, "idle_logic", "selective_logic", logic=entry.selective_logic.value)
        elif not said and entry.selective and subject.book.format == "character_book":
            yield of(lore, "idle_selective", "selective")


def contradicting(subject: Subject) -> Iterator[LintFinding]:
    """Keys that shut out the entry whenever they wake it."""
    for lore in subject.living:
        keys = [key for key in lore.keys if key.kind is KeyKind.PLAIN]
        if not keys or len(keys) < len(lore.keys) or subject.is_woken(lore):
            continue  # what a pattern or a macro finds is not known here
        for forbidden in _forbidding(lore):
            if forbidden and all(any(subject.keys_in(key.text, forbidden)) for key in keys):
                yield of(
                    lore,
                    "contradiction",
                    "secondary_keys",
                    keys=", ".join(key.text for key in forbidden[:5]),
                )
                break


def _forbidding(lore: Lore) -> Iterator[tuple[LoreKey, ...]]:
    """Sets of keys of which one is enough to keep the entry out."""
    if lore.entry.selective_logic is SelectiveLogic.NOT_ANY:
        yield lore.secondary
    if lore.entry.selective_logic is SelectiveLogic.NOT_ALL and len(lore.secondary) == 1:
        yield lore.secondary
    yield from lore.never


def always_so(subject: Subject) -> Iterator[LintFinding]:
    """A secondary key that stands in every primary one, and so asks for nothing."""
    for lore in subject.living:
        if lore.entry.selective_logic is not SelectiveLogic.AND_ANY or not lore.secondary:
            continue
        if all(
            key.kind is KeyKind.PLAIN and any(subject.keys_in(key.text, lore.secondary))
            for key in lore.keys
        ):
            yield of(
                lore,
                "idle_secondary",
                "secondary_keys",
                keys=", ".join(key.text for key in lore.secondary[:5]),
            )


def patterns_only(subject: Subject) -> Iterator[LintFinding]:
    """Fields that a V3 entry with `use_regex` does not have."""
    if not subject.rules.card_fields:
        return
    for lore in subject.living:
        entry = lore.entry
        lost = [
            name
            for name, given in (
                ("constant", entry.constant),
                ("secondary_keys", entry.secondary_keys),
            )
            if given
        ]
        if entry.use_regex and lost:
            yield of(lore, "regex_ignores", "use_regex", fields=", ".join(lost))


RULES = (ignored, contradicting, always_so, patterns_only)
