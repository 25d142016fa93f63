"""Rules for secondary keys that are ignored or always true."""

from collections.abc import Iterator

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.schema.entry import SelectiveLogic


@each_entry
def ignored(subject: Subject, lore: Lore) -> Findings:
    """Secondary keys without `selective`."""
    said = [key for key in lore.entry.secondary_keys if key.strip()]
    if said and lore.keys and not lore.entry.selective:
        yield of(lore, "ignored_secondary", "selective", keys=", ".join(said[:5]))


@each_entry
def contradicting(subject: Subject, lore: Lore) -> Findings:
    """Keys that exclude the entry whenever they activate it."""
    if not lore.keys or subject.is_woken(lore):
        return
    for forbidden in _forbidding(lore):
        if _in_every_key(subject, lore, forbidden):
            yield of(lore, "contradiction", "secondary_keys", keys=_listed(forbidden))
            return


def _in_every_key(subject: Subject, lore: Lore, wanted: tuple[LoreKey, ...]) -> bool:
    """Whether every key contains one of these; unknown for patterns and macros."""
    return all(
        key.kind is KeyKind.PLAIN and any(subject.keys_in(key.text, wanted)) for key in lore.keys
    )


def _listed(keys: tuple[LoreKey, ...]) -> str:
    return ", ".join(key.text for key in keys[:5])


def _forbidding(lore: Lore) -> Iterator[tuple[LoreKey, ...]]:
    """Sets of keys, any of which excludes the entry."""
    if lore.entry.selective_logic is SelectiveLogic.NOT_ANY:
        yield lore.secondary
    if lore.entry.selective_logic is SelectiveLogic.NOT_ALL and len(lore.secondary) == 1:
        yield lore.secondary
    yield from lore.never


@each_entry
def always_so(subject: Subject, lore: Lore) -> Findings:
    """A secondary key that every primary one contains, and so has no effect."""
    asks = lore.entry.selective_logic is SelectiveLogic.AND_ANY and lore.secondary
    if asks and _in_every_key(subject, lore, lore.secondary):
        yield of(lore, "idle_secondary", "secondary_keys", keys=_listed(lore.secondary))


@each_entry
def patterns_only(subject: Subject, lore: Lore) -> Findings:
    """Fields that have no effect in a V3 entry with `use_regex`."""
    lost = [name for name in ("constant", "secondary_keys") if getattr(lore.entry, name)]
    if lost and lore.entry.use_regex and subject.rules.card_fields:
        yield of(lore, "regex_ignores", "use_regex", fields=", ".join(lost))


RULES = (ignored, contradicting, always_so, patterns_only)
