"""Texts with macros that nobody says, in another language than their keys, or written twice."""

import re
from collections.abc import Iterator

from rolememory.authoring.books import title
from rolememory.authoring.lint.finding import LintFinding, of
from rolememory.authoring.lint.subject import Subject
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind
from rolememory.text.fold import folded_key
from rolememory.text.language import language_of, scripts

_LEFT = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_LONE_BRACE = re.compile(r"(?<!\{)\{\s*(char|user|char_name|user_name)\s*\}(?!\})", re.IGNORECASE)
_ENOUGH = 10  # characters that tell a language


def macros(subject: Subject) -> Iterator[LintFinding]:
    """Macros that nobody knows, are not closed, or have one brace where two are wanted."""
    for lore in subject.living:
        for field, texts in (
            ("content", (lore.content,)),
            ("keys", (*lore.entry.keys, *lore.entry.secondary_keys)),
        ):
            for text in texts:
                yield from _broken(lore, field, text)
                yield from _unknown(subject, lore, field, text)


def _unknown(subject: Subject, lore: Lore, field: str, text: str) -> Iterator[LintFinding]:
    said = subject.macros.expand(text)
    known = {"char", "user"}
    for name in dict.fromkeys(_LEFT.findall(said)):
        if name.lower() not in known:
            yield of(lore, "unknown_macro", field, macro=f"{{{{{name[:40]}}}}}")


def _broken(lore: Lore, field: str, text: str) -> Iterator[LintFinding]:
    if text.count("{{") != text.count("}}"):
        yield of(lore, "open_macro", field, opened=text.count("{{"), closed=text.count("}}"))
    if lone := _LONE_BRACE.search(text):
        yield of(
            lore,
            "lone_brace",
            field,
            found=lone[0],
            wanted=f"{{{{{lone[1].lower().removesuffix('_name')}}}}}",
        )


def languages(subject: Subject) -> Iterator[LintFinding]:
    """Keys in one language, the text in another, and the keys not in the text."""
    for lore in subject.living:
        keys = [key.text for key in lore.keys if key.kind is KeyKind.PLAIN]
        if not keys or len(lore.content) < _ENOUGH or len(keys) < len(lore.keys):
            continue
        spoken = language_of(lore.content)
        foreign = all(_han(key) is not (spoken == "zh") for key in keys) and not scripts(
            lore.content
        ).keys() & {"kana", "hangul"}
        if foreign and not any(folded_key(key) in folded_key(lore.content) for key in keys):
            yield of(lore, "foreign_keys", "keys", language=spoken, keys=", ".join(keys[:5]))


def _han(text: str) -> bool:
    return "han" in scripts(text)


def twice(subject: Subject) -> Iterator[LintFinding]:
    """Entries that say the same."""
    seen: dict[str, Lore] = {}
    for lore in subject.living:
        said = folded_key(lore.content)
        first = seen.setdefault(said, lore) if said else lore
        if first is not lore:
            yield of(lore, "same_text", "content", other=title(first.entry))


RULES = (macros, languages, twice)
