"""Word boundary rules of keys: which characters must not be next to a match.

A guard says whether a character next to a match refuses it; None accepts all.
Limits: the rule for Chinese knows characters, not words. 龙 is refused in 恐龙化石 and found in 那条龙的眼睛, but an adjective
without 的 (大龙) refuses it too, and 地龙 (earthworm) passes; use longer words as keys if that matters.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import regex

from rolememory.jsregex.sets import SPACES

Edges = Literal["none", "ascii", "script"]

JS_SPACE = frozenset(chr(code) for low, high in SPACES for code in range(low, high + 1))
"""White space as JavaScript's `\\s` has it."""
BLANKS = "".join(sorted(JS_SPACE))

_HAN = regex.compile(r"\p{Han}")
_HANGUL = regex.compile(r"\p{Hangul}")
_KATAKANA = regex.compile(r"[\p{Katakana}ー]")
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Yi}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}ー]"
)

# Function characters before and after a Chinese noun, never parts of its compounds.
_BEFORE = frozenset(
    "我你您他她它咱俺谁誰某这這那哪此该該各每们們一二两兩三四五六七八九十百千万萬几幾半的地得之了着著过過"
    "个個只隻条條头頭匹座位名张張件块塊片颗顆粒朵棵根支枝株双雙群些种種间間所艘辆輛架台口扇幅封首句段场場次声聲阵陣道"
    "是有在把被给給对對向从從和与與跟同及或到见見看叫让讓为為于於用以比像如若当當按由将將使令说說不没沒也就都还還又很太真最更才再已"
)
_AFTER = frozenset(
    "的地得之了着著过過吗嗎呢吧啊呀哦嘛哇啦么麼是有在和与與跟同及或也就都还還又很太真最更才再已不没沒会會能要想可应應"
    "被把给給对對向从從到让讓使叫说說看来來去上下里裡中内內外前后後旁边邊们們这這那哪我你您他她它咱却卻便则則即因所而但若如为為将將"
)
FUNCTION_CHARACTERS = _BEFORE | _AFTER
"""Chinese function characters, which no key consists of."""


class Boundary(dict[str, bool]):
    """Whether a character next to a match refuses it, computed once per character. Compared by identity."""

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __init__(self, refuses: Callable[[str], bool]) -> None:
        super().__init__()
        self._refuses = refuses

    def __missing__(self, char: str) -> bool:
        answer = self[char] = self._refuses(char)
        return answer


def is_letter(char: str) -> bool:
    """Whether it is a word character of a script with spaces: a letter, digit or vowel sign.

    >>> [is_letter(char) for char in "aйé7_龙ド"]
    [True, True, True, True, False, False, False]
    """
    return unicodedata.category(char)[0] in "LNM" and not _UNSPACED.match(char)


def is_han(char: str) -> bool:
    """Whether the character is Han: Chinese, or kanji."""
    return _HAN.match(char) is not None


ASCII_WORD = Boundary(lambda char: char == "_" or (char.isascii() and char.isalnum()))
LETTER = Boundary(is_letter)
HANGUL = Boundary(lambda char: _HANGUL.match(char) is not None)
KATAKANA = Boundary(lambda char: _KATAKANA.match(char) is not None)
HAN_BEFORE = Boundary(lambda char: is_han(char) and char not in _BEFORE)
HAN_AFTER = Boundary(lambda char: is_han(char) and char not in _AFTER)

Guards = tuple[Boundary | None, Boundary | None]


def boundaries(needle: str, edges: Edges, cjk_words: bool = False) -> Guards:
    """The guards left and right of this (non-empty) needle.

    "ascii" is SillyTavern's whole word: a needle with white space is a plain substring, any other must not touch
    [A-Za-z0-9_]. "script" depends on the needle's edge characters: in scripts with spaces a word must end there;
    hangul is checked only on the left (particles follow a noun); katakana must be a whole run; Han is free, unless
    `cjk_words` requires function characters around a needle of one or two Han characters.
    """
    if edges == "none" or (edges == "ascii" and not JS_SPACE.isdisjoint(needle)):
        return None, None
    if edges == "ascii":
        return ASCII_WORD, ASCII_WORD
    if cjk_words and len(needle) <= 2 and all(map(is_han, needle)):
        return HAN_BEFORE, HAN_AFTER
    return _by_script(needle[0], HANGUL), _by_script(needle[-1], None)


def _by_script(edge: str, hangul: Boundary | None) -> Boundary | None:
    if LETTER[edge]:
        return LETTER
    if KATAKANA[edge]:
        return KATAKANA
    return hangul if HANGUL[edge] else None


def stands_alone(text: str, start: int, end: int, sides: Guards) -> bool:
    """Whether the guards accept the neighbours of text[start:end].

    >>> stands_alone("看恐龙化石", 2, 3, boundaries("龙", "script", cjk_words=True))
    False
    >>> stands_alone("点亮beacon吧", 2, 8, boundaries("beacon", "script"))
    True
    """
    left, right = sides
    if left is not None and start > 0 and left[text[start - 1]]:
        return False
    return right is None or end == len(text) or not right[text[end]]


def leftmost_longest(spans: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Of these (start, end, number) those without overlaps: the leftmost, then the longest, in order.

    >>> list(leftmost_longest([(4, 9, 0), (0, 3, 1), (0, 5, 2), (5, 6, 3)]))
    [(0, 5, 2), (5, 6, 3)]
    """
    place = 0
    for start, end, number in sorted(spans, key=lambda one: (one[0], -one[1], one[2])):
        if start >= place:
            place = end
            yield start, end, number
