"""Keys that are patterns, or look like some: broken, fitting everything, fitting nothing."""

import re
from collections.abc import Iterator

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.errors import PatternError
from rolememory.jsregex.nodes import (
    Alternation,
    Assertion,
    CapturingGroup,
    CharacterSet,
    Concatenation,
    Node,
)
from rolememory.jsregex.parse import Flags, parse
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import START
from rolememory.text.pattern import Pattern, PatternSource, compile_pattern, parse_pattern

_LOOKS_LIKE_ONE = re.compile(r"/(?P<body>.+)/(?P<flags>[A-Za-z]*)", re.DOTALL)
_SIGNS = re.compile(r"[\\^$*+?()\[\]{}|]|\.[*+]")


@each_entry
def broken(subject: Subject, lore: Lore) -> Findings:
    """Keys in slashes that are no patterns, and V3 patterns that are none: what is wrong, where, what JavaScript writes instead."""
    for key in (*lore.entry.keys, *lore.entry.secondary_keys):
        if lore.entry.use_regex and subject.rules.card_fields:
            yield from _v3(lore, key.strip())
        elif found := _LOOKS_LIKE_ONE.fullmatch(key.strip()):
            yield from _slashed(lore, key.strip(), bool(_SIGNS.search(found["body"])))


def _v3(lore: Lore, key: str) -> Findings:
    if key and (told := _fault(parse_pattern(key) or PatternSource(key))):
        yield of(lore, "broken_regex", "keys", key=key, why=told)


def _slashed(lore: Lore, key: str, meant: bool) -> Findings:
    code = "broken_pattern" if parse_pattern(key) is None else "costly_pattern"
    if (meant or code == "costly_pattern") and (told := _fault(key)):
        yield of(lore, code, "keys", key=key, why=told)


def _fault(source: PatternSource | str) -> str:
    """What is wrong with a pattern; empty when nothing is."""
    try:
        compile_pattern(source)
    except PatternError as error:
        return str(error).partition("': ")[2] or str(error)
    return ""


def fitting_everything(subject: Subject) -> Findings:
    """Patterns that match the empty text."""
    for lore, pattern in _patterns(subject):
        try:
            if pattern.matches_empty:
                yield of(lore, "empty_pattern", "keys", key=str(pattern.source))
        except TimeoutError:
            continue


def pinned(subject: Subject) -> Findings:
    """Patterns pinned to the very start, where U+0001 stands: they never match."""
    for lore, pattern in _patterns(subject):
        tree = parse(pattern.source.body, Flags.read(pattern.source.flags))
        if "y" in pattern.source.flags and not _may_begin(tree, START):
            yield of(lore, "sticky_flag", "keys", key=str(pattern.source))
        elif _starts_at_start(tree):
            yield of(lore, "anchored_pattern", "keys", key=str(pattern.source))


def _starts_at_start(node: Node) -> bool:
    """Whether it must begin at the start of the whole text and does not take U+0001 there."""
    match node:
        case Concatenation(parts) if parts:
            anchored = (
                isinstance(parts[0], Assertion) and parts[0].kind == "start" and not parts[0].lines
            )
            return (anchored and not _may_begin(Concatenation(parts[1:]), START)) or (
                not anchored and _starts_at_start(parts[0])
            )
        case Alternation(options):
            return all(map(_starts_at_start, options))
        case CapturingGroup(body=body):
            return _starts_at_start(body)
        case Assertion(kind="start", lines=False):
            return False  # nothing but ^: fits everything
        case _:
            return False


def _may_begin(node: Node, letter: str) -> bool:
    """Whether it could take this character first; what is not known here may."""
    match node:
        case CharacterSet(ranges=ranges, properties=properties, negated=negated):
            return bool(properties) or negated is not any(
                low <= ord(letter) <= high for low, high in ranges
            )
        case Concatenation(parts) if parts and isinstance(parts[0], CharacterSet):
            return _may_begin(parts[0], letter)
        case _:
            return True


def _patterns(subject: Subject) -> Iterator[tuple[Lore, Pattern]]:
    for lore in subject.living:
        yield from (
            (lore, key.pattern) for key in (*lore.keys, *lore.secondary) if key.pattern is not None
        )


RULES = (broken, fitting_everything, pinned)
