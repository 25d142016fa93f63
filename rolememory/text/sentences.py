"""Sentence splitting for English, Chinese and mixed text.

A sentence end depends only on the text before it and the next visible character, so text appended later moves only the
last end.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from rolememory.shipped import lexicon
from rolememory.text.language import CJK

_PAIRED = '"*_'  # one character that opens and closes
_QUOTES = '"”’」』»'
_OPENERS = '"“‘「『«《（([【*_'
_STOP = re.compile(
    rf"\n|(?P<mark>[。｡！？!?.…]+[~～]*|[~～]+)(?P<close>[{_PAIRED}{_QUOTES}'》）)\]】]*)"
)
_NEXT = re.compile(r"([^\S\n]*)(\S?)")
_BEFORE_POINT = re.compile(r"(?<![A-Za-z0-9.])(?P<word>[A-Za-z][A-Za-z.]*)$|^\s*[0-9]{1,3}$")
_LONGEST_ABBREVIATION = 9


class SentenceSpan(NamedTuple):
    """A span of a text: half-open, in characters, without blanks at the edges."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The text of the span."""
        return text[self.start : self.end]


def sentences(text: str, start: int = 0, end: int | None = None) -> list[SentenceSpan]:
    r"""The sentences from `start` to `end`; line ends are sentence ends. Cost: O(length).

    >>> text = 'Dr. Lin paid 3.50. "Go!" he said. “走吧。”他说。我……我不去'
    >>> [text[one.start : one.end] for one in sentences(text)]
    ['Dr. Lin paid 3.50.', '"Go!" he said.', '“走吧。”他说。', '我……我不去']
    """
    end = len(text) if end is None else end
    edges = (*_ends(text, start, end), end)
    begin, found = start, []
    for edge in edges:
        inside = text[begin:edge]
        first = edge - len(inside.lstrip())
        last = begin + len(inside.rstrip())
        if last > first:
            found.append(SentenceSpan(first, last))
        begin = edge
    return found


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    line = start
    opened: dict[str, tuple[int, bool]] = {}
    for stop in _STOP.finditer(text, start, end):
        if stop["mark"] is None:
            line, opened = stop.end(), {}
            yield stop.start()
            continue
        closed = _closed(text, stop, line, opened) if stop["close"] else stop.end()
        follows = _NEXT.match(text, closed, end)
        if follows and _is_end(text, stop, text[stop.end("mark") : closed], follows, line):
            yield closed


def _closed(text: str, stop: re.Match[str], line: int, opened: dict[str, tuple[int, bool]]) -> int:
    """The end after closing marks; an opening mark belongs to the next sentence.

    `opened`: for each paired mark of this line, the place counted up to, and whether it was open there.
    """
    for place in range(stop.end("mark"), stop.end()):
        if (mark := text[place]) in _PAIRED:
            since, open_ = opened.get(mark, (line, False))
            open_ ^= text.count(mark, since, place) % 2 == 1
            opened[mark] = (place, open_)
            if not open_:
                return place
    return stop.end()


def _is_end(
    text: str, stop: re.Match[str], closing: str, follows: re.Match[str], line: int
) -> bool:
    blank, char = follows.groups()
    if not char:
        return True
    if closing and closing[-1] in _QUOTES and (char.islower() or (not blank and CJK.match(char))):
        return False  # a speech tag follows: "Go!" he said. “走吧。”他说。
    mark = stop["mark"]
    if mark.startswith(("…", "..")):
        return char in _OPENERS or bool(blank and char.isupper())
    if mark[0] in "。｡！？":
        return True
    if not blank and char not in _OPENERS:
        return bool(mark[0] in "!?" and CJK.match(char))
    return mark != "." or not _abbreviated(text, stop.start(), line, char)


def _abbreviated(text: str, point: int, line: int, char: str) -> bool:
    """Whether the full stop belongs to "Dr.", "J.", "a.m." or the number of a list item."""
    before = _BEFORE_POINT.search(text[max(line, point - _LONGEST_ABBREVIATION) : point])
    if before is None:
        return False
    word = (before["word"] or "").lower()
    if not word or _abbreviations().get(word) == "titles":
        return True
    if len(word) == 1:
        return word != "i" and before["word"].isupper()
    return word in _abbreviations() and not char.isupper()


@cache
def _abbreviations() -> dict[str, Literal["titles", "abbreviations"]]:
    raw = lexicon("prose.en")
    names: tuple[Literal["titles"], Literal["abbreviations"]] = ("titles", "abbreviations")
    return {word: name for name in names for word in raw[name].split()}
