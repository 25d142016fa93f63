"""Length-preserving normalisation of letters and punctuation, for patterns over messages."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import groupby

from rolememory.shipped import lexicon

_GROUPING = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]"
)  # "(", ")" and "|" outside of classes


def plain(text: str) -> str:
    r"""The text normalised in width, case and script; offsets are kept.

    >>> plain("記住：“Ｉ’M ＬＩＮ”！")
    '记住:"i\'m lin"!'
    """
    return text.translate(_characters())


def replace_surrogates(text: str) -> str:
    r"""The text with lone surrogates replaced (they cannot be encoded as UTF-8) and surrogate pairs joined.

    >>> replace_surrogates("a\ud800b"), replace_surrogates("\ud83d\ude00")
    ('a�b', '😀')
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    r"""One pattern that matches any of these, the first of those that match at a place.

    The anchor that several in a row begin with is written once before them: at most places it fails.

    >>> any_of([r"\bharbou?r", r"\bport\b", "灯塔|海"]).pattern
    '\\b(?:(?:harbou?r)|(?:port\\b))|(?:(?:灯塔|海))'
    """
    groups = (
        anchor + "(?:" + "|".join(f"(?:{one.removeprefix(anchor)})" for one in some) + ")"
        for anchor, some in groupby(patterns, _anchor)
    )
    return re.compile("|".join(groups))


def longest_first(words: Iterable[str]) -> str:
    """A pattern of these words, the longest first.

    >>> longest_first(["port", "portal"])
    'portal|port'
    """
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _anchor(pattern: str) -> str:
    """The anchor that every match of a pattern begins with; "" without one."""
    depth = 0
    for sign in _GROUPING.findall(pattern):
        if sign == "|" and not depth:
            return ""
        depth += (sign == "(") - (sign == ")")
    return next(filter(pattern.startswith, (r"\b", "^")), "")


def simplified(text: str) -> str:
    """The text with traditional characters simplified, one to one.

    >>> simplified("記住"), simplified("remember")
    ('记住', 'remember')
    """
    return text if text.isascii() else text.translate(_simplified())


@cache
def _simplified() -> dict[int, str]:
    pairs = lexicon("traditional")
    return dict(zip(map(ord, pairs["from"]), pairs["to"], strict=True))


class _PlainCharacters(dict[int, str]):
    """Code point -> normalised character, computed on first use; never longer."""

    def __missing__(self, code: int) -> str:
        one = (
            self.get(ord(like), like)
            if len(like := unicodedata.normalize("NFKC", chr(code)).lower()) == 1
            else chr(code)
        )
        self[code] = one
        return one


@cache
def _characters() -> _PlainCharacters:
    quotes = {
        **dict.fromkeys("‘’ʼ", "'"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("【［", "["),
        **dict.fromkeys("】］", "]"),
        "。": "。",
    }
    return _PlainCharacters({**_simplified(), **{ord(char): like for char, like in quotes.items()}})
