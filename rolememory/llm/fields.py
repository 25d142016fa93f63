"""Lenient parsing of single fields: confidences in words, numbers in brackets, lists with commas."""

import re
from math import isfinite
from typing import Annotated

from pydantic import BeforeValidator

from rolememory.inject.fence import tame
from rolememory.llm.answer_words import answer_words
from rolememory.text.plain import replace_surrogates

_SURE = {word: float(share) for share, words in answer_words("sure").items() for word in words}
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
UNTOLD = 0.75
"""Confidence of a statement without one: its quote is in the chat, so above the default threshold."""
UNCLEAR = 0.5
"""Confidence that cannot be parsed: below the threshold."""


def sure(value: object) -> float:
    """A confidence in 0..1 from a number, a percentage, a mark out of ten or a word.

    >>> [sure(value) for value in (0.9, "0.9", "90%", 95, "high", "很高", None, "perhaps!", True)]
    [0.9, 0.9, 0.9, 0.95, 0.85, 0.95, 0.75, 0.5, 0.95]
    """
    if value is None or value == "":
        return UNTOLD
    if isinstance(value, bool):
        return 0.95 if value else 0.0
    if isinstance(value, str):
        return _sure_in_words(value.strip().casefold())
    if not isinstance(value, int | float) or not isfinite(value):
        return UNCLEAR
    return _share(float(value))


def _sure_in_words(word: str) -> float:
    found = _NUMBER.search(word)
    if not found:
        return _SURE.get(word, UNCLEAR)
    number = float(found[0].replace(",", "."))
    return _share(number / 100 if "%" in word and number > 1 else number)


def _share(number: float) -> float:
    """A number scaled to 0..1: up to 10 it is a mark out of ten, up to 100 a percentage."""
    if number <= 1:
        return max(number, 0.0)
    return number / 10 if number <= 10 else number / 100 if number <= 100 else UNCLEAR


def number(value: object) -> int:
    """The first whole number in a value: 3, "3", "[3]", "line 3"; 0 without one.

    >>> [number(value) for value in (3, "3", "[3]", "第3行", 3.0, None, True, "none", [2])]
    [3, 3, 3, 3, 3, 0, 0, 0, 2]
    """
    if isinstance(value, list | tuple):
        return number(value[0]) if value else 0
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, float):
        return int(value) if abs(value) < 1e9 else 0
    found = re.search(r"\d{1,9}", str(value))
    return int(found[0]) if found else 0


def _texts(value: object) -> object:
    """A list of texts, also from one text with commas."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = re.split(r"[,，、;；]", value)
    given = value if isinstance(value, list | tuple) else ()
    return tuple(
        dict.fromkeys(
            word
            for one in given
            if isinstance(one, str) and (word := tame(replace_surrogates(one))[:40].strip())
        )
    )


def _text(value: object) -> object:
    """One line of text with markup made harmless; a list is joined, a bool or None gives ""."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(str(_text(one)) for one in value if isinstance(one, str | int))
    return tame(replace_surrogates(str(value))) if isinstance(value, str | int | float) else value


Line = Annotated[str, BeforeValidator(_text)]
Words = Annotated[
    str,
    BeforeValidator(
        lambda value: (
            "" if value is None else replace_surrogates(value) if isinstance(value, str) else value
        )
    ),
]  # unchanged, since they are compared with the chat
Sure = Annotated[float, BeforeValidator(sure)]
Number = Annotated[int, BeforeValidator(number)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
