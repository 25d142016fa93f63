"""Rules for texts with unknown macros, in another language than their keys, or duplicate."""

import re
from collections.abc import Sequence

from rolememory.authoring.books import title
from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind
from rolememory.text.fold import folded_key
from rolememory.text.language import language_of, scripts

_LEFT = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_LONE_BRACE = re.compile(r"(?<!\{)\{\s*(char|user|char_name|user_name)\s*\}(?!\})", re.IGNORECASE)
_ENOUGH = 10  # characters needed to detect a language


@each_entry
def macros(subject: Subject, lore: Lore) -> Findings:
    """Macros that are unknown, unclosed, or have one brace instead of two."""
    for field, texts in (
        ("content", (lore.content,)),
        ("keys", (*lore.entry.keys, *lore.entry.secondary_keys)),
    ):
        for text in texts:
            yield from _broken(lore, field, text)
            yield from _unknown(subject, lore, field, text)


def _unknown(subject: Subject, lore: Lore, field: str, text: str) -> Findings:
    said = subject.macros.expand(text)
    known = {"char", "user"}
    for name in dict.fromkeys(_LEFT.findall(said)):
        if name.lower() not in known:
            yield of(lore, "unknown_macro", field, macro=f"{{{{{name[:40]}}}}}")


def _broken(lore: Lore, field: str, text: str) -> Findings:
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


@each_entry
def languages(subject: Subject, lore: Lore) -> Findings:
    """Keys in another language than the text, and not in it."""
    keys = [key.text for key in lore.keys if key.kind is KeyKind.PLAIN]
    if keys and len(keys) == len(lore.keys) and _is_foreign(lore.content, keys):
        spoken = language_of(lore.content)
        yield of(lore, "foreign_keys", "keys", language=spoken, keys=", ".join(keys[:5]))


def _is_foreign(text: str, keys: Sequence[str]) -> bool:
    """Whether a text is in another script than all of these keys, and contains none of them."""
    if len(text) < _ENOUGH or scripts(text).keys() & {"kana", "hangul"}:
        return False
    chinese = language_of(text) == "zh"
    folded = folded_key(text)
    return not any(("han" in scripts(key)) is chinese or folded_key(key) in folded for key in keys)


def twice(subject: Subject) -> Findings:
    """Entries with equal texts."""
    seen: dict[str, Lore] = {}
    for lore in subject.living:
        said = folded_key(lore.content)
        first = seen.setdefault(said, lore) if said else lore
        if first is not lore:
            yield of(lore, "same_text", "content", other=title(first.entry))


RULES = (macros, languages, twice)
