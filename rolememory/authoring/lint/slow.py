"""Finds patterns that can run for very long, by trying them on texts made for that."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rolememory.jsregex.analysis import children
from rolememory.jsregex.nodes import Alternation, CharacterSet, Concatenation, Node, Quantifier
from rolememory.jsregex.parse import Flags, parse
from rolememory.text.pattern import Pattern

LIMIT_S = 0.15  # of one search; a harmless pattern takes less than a hundredth of it
ROUNDS = 28  # of a loop: enough for 2 ** n steps
LONG = 2500  # characters: enough for n ** 3 steps, and few enough for n ** 2
MOST_TEXTS = 12
_MISFIT = "\u0002"  # what no author's pattern asks for


@lru_cache(maxsize=512)
def is_slow(pattern: Pattern) -> bool:
    """Whether some text of a few thousand characters makes a backtracking engine, as browsers have, run too long."""
    tree = parse(pattern.source.body, Flags.read(pattern.source.flags))
    engine = pattern.engine
    texts = list(dict.fromkeys(against(tree)))[:MOST_TEXTS]
    tried = [(before, piece, ROUNDS) for before, piece in texts] + [
        (before, piece, LONG // len(piece)) for before, piece in texts
    ]
    tail = _MISFIT + sample(
        tree
    )  # what the pattern asks for is there, too late: else an engine might give up at once
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
    """For each unbounded loop: a text that leads up to it, and one that it repeats."""
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
    """A character that each part of a loop can take alone."""
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
