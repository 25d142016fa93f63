"""The title of a chat that nobody named: a cut of its first words."""

import unicodedata
from functools import lru_cache

WIDTH = 40  # columns; a Chinese character takes two
_STOPS = frozenset(" \u3000,.;:!?，。；：！？、…")


@lru_cache(maxsize=1024)
def title_of(text: str, width: int = WIDTH) -> str:
    """The beginning of the text on one line, at most so many columns wide, cut behind a word.

    >>> title_of("Is the lamp wound? I brought lanterns and oil for the night.")
    'Is the lamp wound? I brought lanterns…'
    >>> title_of("我把灯塔的油加满了，今晚的风暴应该不会让它熄灭，你说呢？")
    '我把灯塔的油加满了，今晚的风暴应该不会…'
    """
    line = " ".join(text.split())
    if _columns(line) <= width:
        return line
    cut = line[: _fitting(line, width - 1)]
    edge = max((place for place, letter in enumerate(cut) if letter in _STOPS), default=0)
    whole = cut if line[len(cut)] in _STOPS or not _joined(line, len(cut)) else cut[:edge]
    return (whole if _columns(whole) * 2 >= width else cut).rstrip("".join(_STOPS)) + "…"


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(_wide(letter) for letter in text)


def _wide(letter: str) -> int:
    return (
        2
        if unicodedata.east_asian_width(letter) in "WF"
        else 0
        if unicodedata.combining(letter)
        else 1
    )


def _fitting(line: str, width: int) -> int:
    """How many characters fit into so many columns."""
    used = 0
    for place, letter in enumerate(line):
        used += _wide(letter)
        if used > width:
            return place
    return len(line)


def _joined(line: str, place: int) -> bool:
    """Whether a cut here would part a word of a script that writes blanks between words."""
    return all(_wide(letter) == 1 and letter.isalnum() for letter in line[place - 1 : place + 1])
