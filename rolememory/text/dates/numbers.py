"""Parses numbers: digits, number words, Chinese numerals."""

import unicodedata
from collections.abc import Mapping

_TWO = {ord("两"): "二"}  # not a numeral in Unicode


def number(said: str, words: Mapping[str, float]) -> float:
    """The value of digits, a sum of these words, or Chinese numerals, as a count or digit by digit.

    >>> [number(said, {"twenty": 20, "one": 1}) for said in ("7", "one", "twenty-one", "三", "十五", "一百零五", "二〇二三")]
    [7.0, 1.0, 21.0, 3.0, 15.0, 105.0, 2023.0]

    Raises:
        ValueError: it is not a number.
    """
    if said.isdecimal():
        return float(said)
    if said in words:
        return float(words[said])
    parts = said.replace("-", " ").split()
    if parts and all(part in words for part in parts):
        return float(sum(words[part] for part in parts))
    return _han(said)


def _han(said: str) -> float:
    values = [unicodedata.numeric(char) for char in said.translate(_TWO)]
    if max(values) < 10:
        return float("".join(f"{value:.0f}" for value in values))
    total, ones = 0.0, 0.0
    for value in values:
        if value < 10:
            ones = value
        else:
            total, ones = total + (ones or 1) * value, 0
    return total + ones
