"""Rules for entries that activate half the book."""

from collections.abc import Mapping, Sequence

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, fits, rivals
from rolememory.recall.lore.index import Lore

MANY = 5  # entries activated at once, if that is also half the book


def greedy(subject: Subject) -> Findings:
    """An entry whose text activates half the book."""
    living = {lore.entry.id: lore for lore in subject.living}
    odd = [lore for lore in subject.living if lore.odd]
    for lore in subject.living if subject.settings.recursive else ():
        count = 0 if lore.silent else _woken(subject, lore, living, odd)
        if count >= max(MANY, len(subject.living) / 2):
            yield of(lore, "wakes_many", "content", count=count, of=len(subject.living))


def _woken(subject: Subject, lore: Lore, living: Mapping[str, Lore], odd: Sequence[Lore]) -> int:
    """How many an entry's text may activate, considering flags, but not secondary keys and probability."""
    said = subject.macros.expand(lore.content, hidden=subject.rules.card_macros)
    heard = living.keys() & _found_in(subject, said, odd)
    return sum(_may_wake(subject, lore, living[one]) for one in heard)


def _found_in(subject: Subject, text: str, odd: Sequence[Lore]) -> set[str]:
    """Ids of the entries with a key in this text."""
    index = subject.index
    ranks = {rank for spec in index.keys.read(text) for rank in index.owners.get(spec, ())}
    by_patterns = {other.entry.id for other in odd if any(fits(key, text) for key in other.odd)}
    return by_patterns | {index.entries[rank].entry.id for rank in ranks}


def _may_wake(subject: Subject, lore: Lore, other: Lore) -> bool:
    """Whether an entry's text may activate the other: it has keys, scans entries and is not in one group."""
    listens = not (other is lore or other.excluded or subject.is_woken(other))
    return listens and not rivals(lore, other)


RULES = (greedy,)
