"""Rules for regular expressions, or keys like them: invalid, slow, matching everything, matching nothing."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.errors import PatternError
from rolememory.jsregex.analysis import children
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
    """Patterns that are very slow on some texts."""
    for lore, pattern in _patterns(subject):
        if is_slow(pattern):
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
        tree = parse(pattern.source.body, Flags.read(pattern.source.flags))
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


LIMIT_S = 0.15  # per search; a harmless pattern takes less than a hundredth of it
ROUNDS = 28  # of a loop: enough for 2 ** n steps
LONG = 2500  # characters: enough for n ** 3 steps, and few enough for n ** 2
MOST_TEXTS = 12
_MISFIT = "\u0002"  # beyond any pattern of an author


@lru_cache(maxsize=512)
def is_slow(pattern: Pattern) -> bool:
    """Whether a text of a few thousand characters makes a backtracking engine, as in browsers, run too long."""
    tree = parse(pattern.source.body, Flags.read(pattern.source.flags))
    engine = pattern.engine
    texts = list(dict.fromkeys(against(tree)))[:MOST_TEXTS]
    tried = [(before, piece, ROUNDS) for before, piece in texts] + [
        (before, piece, LONG // len(piece)) for before, piece in texts
    ]
    tail = _MISFIT + sample(
        tree
    )  # the required text occurs too late: else an engine might fail at once
    return any(
        _too_long(engine, before + piece * rounds + end)
        for before, piece, rounds in tried
        for end in (_MISFIT, tail)
    )


def _too_long(engine: Any, text: str) -> bool:
    try:
        engine.search(text, timeout=LIMIT_S)
    except TimeoutError:
        return True
    return False


def against(node: Node, before: str = "") -> Iterator[tuple[str, str]]:
    """For each unbounded loop: a text leading to it, and one that it repeats."""
    match node:
        case Concatenation(parts):
            for part in parts:
                yield from against(part, before)
                before += sample(part)
        case Quantifier(body=body, most=most):
            if most is None or most >= 50:
                yield from ((before, piece) for piece in {sample(body, 1), *_single(body)} if piece)
            yield from against(body, before)
        case _:
            for child in children(node):
                yield from against(child, before)


def _single(node: Node) -> Iterator[str]:
    """A character that each part of a loop can match alone."""
    if isinstance(node, CharacterSet):
        yield _letter(node)
    for child in children(node):
        yield from _single(child)


def sample(node: Node, rounds: int = 0) -> str:
    """A short text that probably matches; loops are repeated at least `rounds` times."""
    match node:
        case CharacterSet():
            return _letter(node)
        case Concatenation(parts):
            return "".join(sample(part, rounds) for part in parts)
        case Alternation(options):
            return sample(options[0], rounds)
        case Quantifier(body=body, least=least):
            return sample(body, rounds) * max(min(least, 50), rounds)
        case _:
            return "".join(sample(child, rounds) for child in children(node)[:1])


def _letter(node: CharacterSet) -> str:
    """A character of the set, preferably a plain one."""
    for letter in ("a", "b", "x", "0", " ", ".", "灯", "A"):
        inside = any(low <= ord(letter) <= high for low, high in node.ranges)
        if inside is not node.negated:
            return letter
    return chr(node.ranges[0][0]) if node.ranges and not node.negated else "a"


RULES = (broken, slow, fitting_everything, pinned)
