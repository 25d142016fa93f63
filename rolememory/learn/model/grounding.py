"""Whether a quote really stands in a message, whatever white space, quotation marks, case and punctuation it was copied with."""

import re
from collections.abc import Mapping

from rolememory.schema.learning import Said
from rolememory.text.fold import Folded, fold

_GAP = re.compile(r"\.{3,}|…+|\[\.+\]")
_SHORTEST = (
    6  # bytes of letters: a shorter quote stands nearly everywhere, unless it is the whole message
)


def letters(text: str) -> str:
    """What is left of a text when only its letters and digits are looked at.

    >>> letters("“I’m  30!”"), letters("我 30 岁。")
    ('im30', '我30岁')
    """
    return "".join(letter for letter in fold(text).text if letter.isalnum())


def stands(quote: str, text: str) -> str:
    """The words of the text that the quote was taken from, as they stand there; "" when it was not taken from it.

    A quote with dots in the middle may leave something out.

    >>> stands("i moved ... bergen", "Well, I moved to “Bergen”!")
    'I moved to “Bergen'
    >>> stands("I moved to Oslo", "Well, I moved to Bergen!")
    ''
    """
    folded = fold(text)
    places = [place for place, letter in enumerate(folded.text) if letter.isalnum()]
    plain = "".join(folded.text[place] for place in places)
    parts = [part for one in _GAP.split(quote) if (part := letters(one))]
    wanted = "".join(parts)
    if not wanted or (len(wanted.encode()) < _SHORTEST and wanted != plain):
        return ""
    first = last = -1
    for part in parts:
        start = plain.find(part, max(last, 0))
        if start < 0:
            return ""
        first, last = (start if first < 0 else first), start + len(part)
    return _original(text, folded, places[first], places[last - 1] + 1)


def _original(text: str, folded: Folded, start: int, end: int) -> str:
    left, right = folded.span(start, end)
    return text[left:right].strip()


def source_of(quote: str, turn: int, turns: Mapping[int, Said]) -> tuple[Said, str] | None:
    """The message a quote stands in, and its words there: the one that was named, else the only other one."""
    named = turns.get(turn)
    if named is not None and (words := stands(quote, named.text)):
        return named, words
    found = [(said, words) for said in turns.values() if (words := stands(quote, said.text))]
    return found[0] if len(found) == 1 else None
