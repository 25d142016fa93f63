"""Rules for regular expressions, or keys like them: invalid, slow, matching everything, matching nothing."""

import re
from collections.abc import Iterator

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.errors import PatternError
from rolememory.jsregex.analysis import children, nullable
from rolememory.jsregex.nodes import (
    Alternation,
    Assertion,
    CapturingGroup,
    CharacterSet,
    Concatenation,
    Node,
    Quantifier,
)
from rolememory.jsregex.parse import Flags, parse
from rolememory.locales import Localized
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import START
from rolememory.text.pattern import Pattern, PatternSource, compile_pattern, parse_pattern

_LOOKS_LIKE_ONE = re.compile(r"/(?P<body>.+)/(?P<flags>[A-Za-z]*)", re.DOTALL)
_SIGNS = re.compile(r"[\\^$*+?()\[\]{}|]|\.[*+]")
LONG = 50  # rounds of a loop that count as endless


@each_entry
def broken(subject: Subject, lore: Lore) -> Findings:
    """Invalid patterns in slashes or in V3 entries: the error, its position, and the JavaScript notation."""
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


def _fault(source: PatternSource | str) -> Localized | None:
    """The error in a pattern; None if valid."""
    try:
        compile_pattern(source)
    except PatternError as error:
        return error.reason
    return None


def slow(subject: Subject) -> Findings:
    """Patterns with a loop inside a loop, which are very slow on some texts."""
    for lore, pattern in _patterns(subject):
        if is_slow(_tree(pattern)):
            yield of(lore, "slow_pattern", "keys", key=str(pattern.source))


def fitting_everything(subject: Subject) -> Findings:
    """Patterns that match the empty text."""
    for lore, pattern in _patterns(subject):
        try:
            if pattern.matches_empty:
                yield of(lore, "empty_pattern", "keys", key=str(pattern.source))
        except TimeoutError:
            continue


def pinned(subject: Subject) -> Findings:
    """Patterns anchored at the start, where U+0001 is: they never match."""
    for lore, pattern in _patterns(subject):
        tree = _tree(pattern)
        if "y" in pattern.source.flags and not _may_begin(tree, START):
            yield of(lore, "sticky_flag", "keys", key=str(pattern.source))
        elif _starts_at_start(tree):
            yield of(lore, "anchored_pattern", "keys", key=str(pattern.source))


def _starts_at_start(node: Node) -> bool:
    """Whether it must match at the start of the text and cannot match U+0001 there."""
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
            return False  # only ^: matches everything
        case _:
            return False


def _may_begin(node: Node, letter: str) -> bool:
    """Whether it could match this character first; true if unknown."""
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


def _tree(pattern: Pattern) -> Node:
    return parse(pattern.source.body, Flags.read(pattern.source.flags))


def is_slow(node: Node) -> bool:
    """Whether a loop repeats another loop and no more, so that a text can be split in countless ways."""
    nested = isinstance(node, Quantifier) and _is_long(node) and _is_loop(node.body)
    return nested or any(map(is_slow, children(node)))


def _is_long(loop: Quantifier) -> bool:
    return loop.most is None or loop.most >= LONG


def _is_loop(node: Node) -> bool:
    """Whether a loop may match all that this matches."""
    match node:
        case Quantifier():
            return _is_long(node) or _is_loop(node.body)
        case Concatenation(parts):
            needed = [part for part in parts if not nullable(part)]
            return len(needed) < 2 and any(map(_is_loop, needed or parts))
        case Alternation(options):
            return any(map(_is_loop, options))
        case CapturingGroup(body=body):
            return _is_loop(body)
        case _:
            return False


RULES = (broken, slow, fitting_everything, pinned)
