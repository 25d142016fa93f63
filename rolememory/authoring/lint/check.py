"""Lints a book: all findings at once, most severe first."""

from collections.abc import Callable

from rolememory.authoring.books import BookFile
from rolememory.authoring.lint import (
    costs,
    effects,
    formats,
    groups,
    keys,
    patterns,
    recursion,
    secondary,
    texts,
    unreachable,
)
from rolememory.authoring.lint.finding import Findings, LintFinding, Severity, WordedFinding
from rolememory.authoring.lint.subject import Subject
from rolememory.authoring.lint.words import severity, worded
from rolememory.schema.scene import Language
from rolememory.schema.settings import ScanSettings

Rule = Callable[[Subject], Findings]

RULES: tuple[Rule, ...] = tuple(
    rule
    for part in (
        unreachable,
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


def check(file: BookFile, settings: ScanSettings | None = None) -> list[LintFinding]:
    """All findings on the book: errors, then warnings, each in the order of the file."""
    subject = Subject.of(file, settings)
    places = {lore.entry.id: at for at, lore in enumerate(subject.entries)}
    found = [finding for rule in RULES for finding in rule(subject)]
    return sorted(
        dict.fromkeys(found),
        key=lambda one: (_ORDER.index(severity(one)), places.get(one.entry, -1)),
    )


def worded_findings(
    file: BookFile, settings: ScanSettings | None, language: Language
) -> list[WordedFinding]:
    """The findings in words."""
    return [worded(one, file.book.format, language) for one in check(file, settings)]
