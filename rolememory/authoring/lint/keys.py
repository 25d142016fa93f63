"""Keys that find too much, add nothing, or are not what they look like."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import orjson

from rolememory.authoring.books import title
from rolememory.authoring.lint.finding import LintFinding, of
from rolememory.authoring.lint.subject import Subject, fits, rivals
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.shipped import shipped
from rolememory.text.boundaries import is_han
from rolememory.text.fold import folded_key

EVERYWHERE = (
    0.75  # of the everyday sentences: what stands in so many stands in nearly every message
)
LONG_KEY = 60  # characters: a sentence, which nobody says word by word
MOST_NAMED = 4  # entries named in one finding
_LIST = re.compile(r"[,，、;；]")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "《": "》", "[": "]"}


def blank(subject: Subject) -> Iterator[LintFinding]:
    """Keys of nothing but blanks: found everywhere under exact rules, nowhere under ours."""
    code = "blank_key" if subject.rules.blank_key_matches else "idle_blank_key"
    for lore in subject.living:
        if any(not key.strip() and (key or not subject.exact) for key in lore.entry.keys):
            yield of(lore, code, "keys")


def padded(subject: Subject) -> Iterator[LintFinding]:
    """Blanks around a key, which do not count."""
    for lore in subject.living:
        yield from (
            of(lore, "padded_key", "keys", key=key.strip())
            for key in lore.entry.keys
            if key.strip() and key != key.strip()
        )


def listed(subject: Subject) -> Iterator[LintFinding]:
    """Several keys written as one."""
    for lore in subject.living:
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


def quoted(subject: Subject) -> Iterator[LintFinding]:
    """Quotes around a key, which are looked for too."""
    for lore in subject.living:
        for key in _plain(lore):
            text = key.text.strip()
            if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
                yield of(lore, "quoted_key", "keys", key=text, inside=text[1:-1])


def long(subject: Subject) -> Iterator[LintFinding]:
    """Sentences as keys."""
    for lore in subject.living:
        yield from (
            of(lore, "long_key", "keys", key=key.text[:30] + "…")
            for key in _plain(lore)
            if len(key.text) > LONG_KEY
        )


def wide(subject: Subject) -> Iterator[LintFinding]:
    """Full-width letters, which exact rules do not take for plain ones."""
    if not subject.exact:
        return
    for lore in subject.living:
        for key in _plain(lore):
            narrow = unicodedata.normalize("NFKC", key.text)
            if narrow != key.text and any("！" <= letter <= "～" for letter in key.text):
                yield of(lore, "wide_key", "keys", key=key.text, narrow=narrow)


def broad(subject: Subject) -> Iterator[LintFinding]:
    """Keys that stand in nearly every message: single letters, words of grammar, marks, patterns of any text."""
    for lore in subject.living:
        for key in lore.keys:
            capitals = key.spec and key.spec.form == "raw" and key.text != key.text.lower()
            grammar = key.kind is KeyKind.PLAIN and _is_broad(key.text) and not capitals
            if grammar or _is_everywhere(subject, key):
                yield of(lore, "broad_key", "keys", key=key.text)
            elif (
                len(key.text.strip()) == 1
                and is_han(key.text.strip())
                and not (key.spec and key.spec.cjk_words)
            ):
                yield of(lore, "one_character", "keys", key=key.text.strip())


def _is_everywhere(subject: Subject, key: LoreKey) -> bool:
    """Whether it stands in most everyday sentences of a language; what matches nothing at all is told elsewhere."""
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


def _is_broad(key: str) -> bool:
    said = folded_key(key)
    return (len(said) == 1 and not is_han(said)) or said in _grammar()


@cache
def _grammar() -> frozenset[str]:
    """Words of grammar in both languages."""
    words: set[str] = set()
    for language in ("en", "zh"):
        words.update(
            orjson.loads(
                shipped("worldbook_rules", "lexicons", f"words.{language}.json").read_bytes()
            )["stop"]
        )
    return frozenset(words)


def named(subject: Subject) -> Iterator[LintFinding]:
    """The name of somebody who speaks, while messages are read with their names."""
    if not subject.settings.include_names:
        return
    own = subject.character.name
    for lore in subject.living:
        for key in lore.keys:
            if key.text.strip().lower() in (
                "{{char}}",
                "{{user}}",
                "<char>",
                "<user>",
                "<bot>",
            ) or (own and key.text.strip() == own):
                yield of(lore, "name_key", "keys", key=key.text.strip())


def repeated(subject: Subject) -> Iterator[LintFinding]:
    """Keys of one entry that are the same, or stand in one another."""
    for lore in subject.living:
        keys = list(_plain(lore))
        for first, second in combinations(keys, 2):
            if first.spec and second.spec and first.spec.needle == second.spec.needle:
                yield of(lore, "repeated_key", "keys", key=first.text, other=second.text)
        if not (
            lore.entry.group
            and (subject.settings.use_group_scoring or lore.entry.use_group_scoring)
        ):
            yield from _redundant(subject, lore, keys)


def _redundant(subject: Subject, lore: Lore, keys: list[LoreKey]) -> Iterator[LintFinding]:
    for key in keys:
        others = tuple(
            other
            for other in keys
            if other.spec and key.spec and other.spec.needle != key.spec.needle
        )
        inner = next(subject.keys_in(key.text, others), None)
        if inner is not None:
            yield of(lore, "redundant_key", "keys", key=key.text, other=inner.text)


def shared(subject: Subject) -> Iterator[LintFinding]:
    """Keys that other entries have too, and keys that stand in those of others: where one fires, so does the other."""
    owners: dict[object, list[Lore]] = {}
    for lore in subject.living:
        for key in {key.spec: key for key in _plain(lore)}.values():
            owners.setdefault(key.spec, []).append(lore)
    for lore in subject.living:
        same = [
            key for key in _plain(lore) if len(owners[key.spec]) > 1 and owners[key.spec][0] is lore
        ]
        for key in same:
            others = [other for other in owners[key.spec][1:] if not rivals(lore, other)]
            if others:
                yield of(lore, "shared_key", "keys", key=key.text, others=_names(others))


def shadowed(subject: Subject) -> Iterator[LintFinding]:
    """A key that stands inside a longer key of another entry."""
    owners: dict[object, list[Lore]] = {}
    for lore in subject.living:
        for key in _plain(lore):
            owners.setdefault(key.spec, []).append(lore)
    for lore in subject.living:
        for key in _plain(lore):
            inside = [
                spec
                for spec in subject.index.keys.read(key.text)
                if spec in owners and key.spec and spec.needle != key.spec.needle
            ]
            others = list(
                dict.fromkeys(
                    title(one.entry) for spec in inside for one in owners[spec] if one is not lore
                )
            )
            if others:
                yield of(
                    lore,
                    "shadowed_key",
                    "keys",
                    key=key.text,
                    inner=inside[0].text,
                    others=", ".join(others[:MOST_NAMED]),
                )


def twins(subject: Subject) -> Iterator[LintFinding]:
    """Entries with the very same keys, in the same place, that are no rivals."""
    seen: dict[object, Lore] = {}
    for lore in subject.living:
        entry = lore.entry
        if not lore.keys or entry.probability != 100 or entry.delay_until_recursion:
            continue
        place = entry.position, entry.depth, entry.role, entry.delay, entry.sticky, entry.scan_depth
        marks = (
            frozenset(key.text for key in lore.keys),
            frozenset(key.text for key in lore.secondary),
            entry.selective_logic,
            place,
        )
        first = seen.setdefault(marks, lore)
        if first is not lore and not rivals(first, lore) and not (lore.also or lore.never):
            yield of(lore, "same_keys", "keys", other=title(first.entry))


def _names(entries: list[Lore]) -> str:
    told = list(dict.fromkeys(title(lore.entry) for lore in entries))
    return ", ".join(told[:MOST_NAMED]) + (", …" if len(told) > MOST_NAMED else "")


def _plain(lore: Lore) -> Iterator[LoreKey]:
    return (key for key in lore.keys if key.kind is KeyKind.PLAIN)


RULES = (blank, padded, listed, quoted, long, wide, broad, named, repeated, shared, shadowed, twins)
