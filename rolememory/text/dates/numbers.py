"""Numbers as they are written: in digits, in words of a table, in Chinese numerals."""

from collections.abc import Mapping

_VALUES = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000}


def number(said: str, words: Mapping[str, float]) -> float:
    """The number in digits, in one of these words or several that add up, or in Chinese numerals, as a count or digit by digit.

    >>> [number(said, {"twenty": 20, "one": 1}) for said in ("7", "one", "twenty-one", "三", "十五", "一百零五", "二〇二三")]
    [7.0, 1.0, 21.0, 3.0, 15.0, 105.0, 2023.0]

    Raises:
        ValueError: it is none.
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
    if not set(said) <= _VALUES.keys() | _SCALES.keys():
        raise ValueError(f"not a number: {said}")
    if not set(said) & _SCALES.keys():
        return float("".join(str(_VALUES[char]) for char in said))
    total, ones = 0, 0
    for char in said:
        if scale := _SCALES.get(char):
            total, ones = total + (ones or 1) * scale, 0
        else:
            ones = _VALUES[char]
    return float(total + ones)
