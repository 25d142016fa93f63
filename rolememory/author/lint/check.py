"""All faults of a book at once, the worst first."""

from collections.abc import Callable, Iterator

from rolememory.author.books import BookFile
from rolememory.author.lint import (
    costs,
    effects,
    formats,
    groups,
    keys,
    never,
    patterns,
    recursion,
    secondary,
    texts,
)
from rolememory.author.lint.finding import Finding, Severity
from rolememory.author.lint.subject import Subject
from rolememory.author.lint.words import severity
from rolememory.schema.settings import ScanSettings

Rule = Callable[[Subject], Iterator[Finding]]

RULES: tuple[Rule, ...] = tuple(
    rule
    for part in (
        never,
        keys,
        secondary,
        patterns,
        recursion,
        costs,
        groups,
        effects,
        texts,
        formats,
    )
    for rule in part.RULES
)
_ORDER = list(Severity)


def check(file: BookFile, settings: ScanSettings | None = None) -> list[Finding]:
    """Every fault of the book under these settings: errors, then warnings, then notes, each in the order of the file."""
    subject = Subject.of(file, settings)
    places = {lore.entry.id: at for at, lore in enumerate(subject.entries)}
    found = [finding for rule in RULES for finding in rule(subject)]
    return sorted(
        dict.fromkeys(found),
        key=lambda one: (_ORDER.index(severity(one)), places.get(one.entry, -1)),
    )
