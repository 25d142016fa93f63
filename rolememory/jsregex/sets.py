"""JavaScript's character sets: classes, line ends, case folding."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache

from rolememory.jsregex.nodes import CharacterSet, Property, Ranges

LAST = sys.maxunicode
DIGITS: Ranges = ((0x30, 0x39),)
WORDS: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
WIDE_WORDS: Ranges = (
    *WORDS,
    (0x17F, 0x17F),
    (0x212A, 0x212A),
)  # flags i and u: folds to k and s
LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
SPACES: Ranges = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
SURROGATES: Ranges = ((0xD800, 0xDFFF),)


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same code points in canonical form.

    >>> union([(5, 9), (1, 3), (4, 4)])
    ((1, 9),)
    """
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Every other code point.

    >>> complement(((0, 9), (11, LAST)))
    ((10, 10),)
    """
    gaps: list[tuple[int, int]] = []
    free = 0
    for low, high in ranges:
        if low > free:
            gaps.append((free, low - 1))
        free = high + 1
    return (*gaps, (free, LAST)) if free <= LAST else tuple(gaps)


def overlaps(ranges: Ranges, others: Ranges) -> bool:
    """Whether some code point is in both."""
    return any(low <= top and bottom <= high for low, high in ranges for bottom, top in others)


def _upper(code: int) -> int:
    """Canonicalize without the flag u. Source: ECMA-262, Canonicalize, step 4 (toUppercase, never from non-ASCII to ASCII)."""
    text = chr(code).upper()
    if len(text) != 1 or (code >= 0x80 and ord(text) < 0x80):
        return code
    return ord(text)


def _simple_fold(code: int) -> int:
    """Canonicalize with the flag u: simple case folding (CaseFolding.txt, status C and S)."""
    folded = chr(code).casefold()
    if len(folded) == 1:
        return ord(folded)
    lowered = (
        chr(code).lower()
    )  # a longer full folding has the lower case letter as simple folding, if that is one letter
    return ord(lowered) if len(lowered) == 1 else code


@cache
def _case_variants(unicode: bool) -> tuple[tuple[int, ...], dict[int, tuple[int, ...]]]:
    """Code points with case variants, ascending, and the variants of each (itself included)."""
    fold, last = (_simple_fold, 0x1FFFF) if unicode else (_upper, 0xFFFF)
    classes: dict[int, list[int]] = {}
    for low, high in (
        (0, 0x33FF),
        (0xA000, 0xABFF),
        (0xF900, last),
    ):  # no cased letters between them
        for code in range(low, high + 1):
            classes.setdefault(fold(code), []).append(code)
    members = {code: tuple(alike) for alike in classes.values() if len(alike) > 1 for code in alike}
    return tuple(sorted(members)), members


@lru_cache(maxsize=256)
def folded(ranges: Ranges, unicode: bool) -> Ranges:
    """The ranges and all case variants of their letters.

    >>> folded(((0x6B, 0x6B),), unicode=True)  # k, K and the Kelvin sign
    ((75, 75), (107, 107), (8490, 8490))
    """
    cased, alike = _case_variants(unicode)
    more = {
        other
        for low, high in ranges
        for code in cased[bisect_left(cased, low) : bisect_right(cased, high)]
        for other in alike[code]
    }
    return union([*ranges, *((code, code) for code in more)])


@lru_cache(maxsize=256)
def property_ranges(wanted: Property) -> Ranges:
    """The code points of a property, computed with the `regex` module."""
    import regex

    every = "".join(map(chr, range(LAST + 1)))
    found = regex.compile(rf"\p{{{wanted.spelling}}}+").finditer(every)
    ranges = tuple((match.start(), match.end() - 1) for match in found)
    return complement(ranges) if wanted.negated else ranges


def chars(
    ranges: Iterable[tuple[int, int]],
    properties: tuple[Property, ...] = (),
    *,
    negated: bool,
    fold: bool,
    unicode: bool,
) -> CharacterSet:
    """The set that a class matches: case variants added, then negated, as plain ranges if possible."""
    if not fold:
        own = union(ranges)
        return (
            CharacterSet(own, properties, negated)
            if properties
            else CharacterSet(complement(own) if negated else own)
        )
    own = folded(
        union([*ranges, *(each for wanted in properties for each in property_ranges(wanted))]),
        unicode,
    )
    return CharacterSet(complement(own) if negated else own)
