"""Length-preserving normalisation of letters and punctuation, for patterns over messages."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from rolememory.shipped import lexicon


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
    """One pattern that matches any of these."""
    return re.compile("|".join(f"(?:{one})" for one in patterns))


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
