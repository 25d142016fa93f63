"""Rules for keys that match too much, are redundant, or are misleading."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import combinations

from rolememory.authoring.books import title
from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry, fits, rivals
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.text.boundaries import is_han
from rolememory.text.fold import folded_key
from rolememory.text.words import word_lists

EVERYWHERE = 0.75  # of the everyday sentences: such a share occurs in nearly every message
LONG_KEY = 60  # characters: a sentence, which is never repeated verbatim
_SPEAKERS = ("{{char}}", "{{user}}", "<char>", "<user>", "<bot>")
_LIST = re.compile(r"[,，、;；]")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "《": "》", "[": "]"}


@each_entry
def blank(subject: Subject, lore: Lore) -> Findings:
    """Blank keys: they match everything under exact rules, nothing under ours."""
    if any(not key.strip() and (key or not subject.exact) for key in lore.entry.keys):
        matches = subject.rules.blank_key_matches
        yield of(lore, "blank_key" if matches else "idle_blank_key", "keys")


@each_entry
def listed(subject: Subject, lore: Lore) -> Findings:
    """Several keys written as one."""
    for key in _plain(lore):
        parts = [part.strip() for part in _LIST.split(key.text) if part.strip()]
        if len(parts) > 1 and max(map(len, parts)) <= LONG_KEY / 2:
            yield of(
                lore,
                "listed_key",
                "keys",
                key=key.text,
                parts=", ".join(f'"{part}"' for part in parts),
            )


@each_entry
def quoted(subject: Subject, lore: Lore) -> Findings:
    """Quotes around a key, which are part of the match."""
    for key in _plain(lore):
        text = key.text.strip()
        if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
            yield of(lore, "quoted_key", "keys", key=text, inside=text[1:-1])


@each_entry
def long(subject: Subject, lore: Lore) -> Findings:
    """Sentences as keys."""
    yield from (
        of(lore, "long_key", "keys", key=key.text[:30] + "…")
        for key in _plain(lore)
        if len(key.text) > LONG_KEY
    )


@each_entry
def wide(subject: Subject, lore: Lore) -> Findings:
    """Full-width letters, which exact rules do not fold."""
    if not subject.exact:
        return
    for key in _plain(lore):
        narrow = unicodedata.normalize("NFKC", key.text)
        if narrow != key.text and any("！" <= letter <= "～" for letter in key.text):
            yield of(lore, "wide_key", "keys", key=key.text, narrow=narrow)


@each_entry
def broad(subject: Subject, lore: Lore) -> Findings:
    """Keys in nearly every message: single letters, function words, punctuation, patterns of any text."""
    for key in lore.keys:
        if is_grammar(key) or _is_everywhere(subject, key):
            yield of(lore, "broad_key", "keys", key=key.text)
        elif _is_one_character(key):
            yield of(lore, "one_character", "keys", key=key.text.strip())


def _is_one_character(key: LoreKey) -> bool:
    """Whether a key is one Chinese character, matched inside words too."""
    letter = key.text.strip()
    return len(letter) == 1 and is_han(letter) and not (key.spec and key.spec.cjk_words)


def _is_everywhere(subject: Subject, key: LoreKey) -> bool:
    """Whether it occurs in most everyday sentences of a language; empty matches are reported elsewhere."""
    try:
        if not key.text.strip() or (key.pattern is not None and key.pattern.matches_empty):
            return False
    except TimeoutError:
        return False
    return any(
        sum(key.spec in plain if key.pattern is None else fits(key, text) for text, plain in texts)
        >= EVERYWHERE * len(texts)
        for texts in subject.everyday
    )


def is_grammar(key: LoreKey) -> bool:
    """Whether a plain key is one letter or a function word, in any case."""
    if key.kind is not KeyKind.PLAIN or (
        key.spec and key.spec.form == "raw" and key.text != key.text.lower()
    ):
        return False
    said = folded_key(key.text)
    return (len(said) == 1 and not is_han(said)) or any(
        said in word_lists(language).stop for language in ("en", "zh")
    )


@each_entry
def named(subject: Subject, lore: Lore) -> Findings:
    """A speaker's name, while messages are scanned with names."""
    own = subject.character.name
    for one in lore.keys if subject.settings.include_names else ():
        key = one.text.strip()
        if key.lower() in _SPEAKERS or (own and key == own):
            yield of(lore, "name_key", "keys", key=key)


@each_entry
def repeated(subject: Subject, lore: Lore) -> Findings:
    """Duplicate keys of an entry."""
    for first, second in combinations(_plain(lore), 2):
        if first.spec and second.spec and first.spec.needle == second.spec.needle:
            yield of(lore, "repeated_key", "keys", key=first.text, other=second.text)


def twins(subject: Subject) -> Findings:
    """Entries with the same keys and position that are not in one group."""
    seen: dict[object, Lore] = {}
    for lore in filter(_may_have_twin, subject.living):
        first = seen.setdefault(_marks(lore), lore)
        if first is not lore and not rivals(first, lore) and not (lore.also or lore.never):
            yield of(lore, "same_keys", "keys", other=title(first.entry))


def _may_have_twin(lore: Lore) -> bool:
    entry = lore.entry
    return bool(lore.keys) and entry.probability == 100 and not entry.delay_until_recursion


def _marks(lore: Lore) -> object:
    """When an entry fires and its position."""
    entry = lore.entry
    return (
        frozenset(key.text for key in lore.keys),
        frozenset(key.text for key in lore.secondary),
        entry.selective_logic,
        (entry.position, entry.depth, entry.role, entry.delay, entry.sticky, entry.scan_depth),
    )


def _plain(lore: Lore) -> Iterator[LoreKey]:
    return (key for key in lore.keys if key.kind is KeyKind.PLAIN)


RULES = (blank, listed, quoted, long, wide, broad, named, repeated, twins)
