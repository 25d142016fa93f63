"""A Chinese text as its rules read it: decoration gone, sentences and clauses apart, every place traceable.

Blanks between Chinese words part clauses (我叫阿林 今年23), blanks beside Latin letters or digits do not; brackets hold asides.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rolememory.learn.statements.chinese_words import is_traditional, simple

LONGEST_CLAUSE = 120  # characters; a longer one is no plain statement

_SHAPE = re.compile(
    r"""
      (?P<aside>（[^（）\n]{0,600}）|【[^【】\n]{0,600}】|〔[^〔〕\n]{0,300}〕)
    | (?P<blank>[^\S\n]+)
    | (?P<gap>…+|—+|\.{3,}|,(?![0-9]{3})|:(?![0-9])|(?<=[\u3400-\u9fff])\.(?![0-9])|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]+)
    | (?P<nothing>[\u200b\u2060\ufeff“”"「」『』`]+)
    """,
    re.VERBOSE,
)
_UNITS = "岁年月号日个只条点块斤公米厘次天周"
_SENTENCE = re.compile(r"[^。！？；\n]+[。！？；\n～]*")
_CLAUSE = re.compile(
    r"(?:[^，：]|(?<=[字名日业龄作家乡高重别号信欢爱厌怕好])：)+"
)  # 我的生日：… is one clause
_BUT = re.compile(
    "(?<=..)(?=但是|所以|但[我你他她不没也还是])|(?<=了)(?=还[没不在是])|(?<=不[\u4e00-\u9fff]{2})(?=不[\u4e00-\u9fff]{2}(?:不|$|[。！]))"
)
_MAY_PART = re.compile("但|所以|了还|不..不")
_WORD = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in the form that rules read, and the way back."""

    text: str
    places: Sequence[int]  # where each character stood; one place more for the end
    original: str

    def said(self, start: int, end: int) -> str:
        """The words of a stretch as they stand in the original, on one line."""
        if start >= end:
            return ""
        return " ".join(
            self.original[self.places[start] : self.places[end - 1] + 1]
            .translate(_UNQUOTED)
            .split()
        )

    def without(self, place: int) -> "Plain":
        """The text without the character at that place: 生日不是… read as 生日是…"""
        return Plain(
            self.text[:place] + self.text[place + 1 :],
            [*self.places[:place], *self.places[place + 1 :]],
            self.original,
        )

    def traditional(self, start: int, end: int) -> bool:
        """Whether that stretch is written in traditional characters."""
        return is_traditional(self.original[self.places[start] : self.places[end]])


_UNQUOTED = dict.fromkeys(map(ord, '“”"「」『』`\u200b\u2060\ufeff'))


def plain(original: str) -> Plain:
    """The text without decoration. Cost: linear.

    >>> plain("我叫 Alice 住在杭州（笑），在 Google 上班").text
    '我叫Alice住在杭州，，在Google上班'
    """
    text = simple(original)
    if not _SHAPE.search(text):
        return Plain(text, range(len(text) + 1), original)
    pieces: list[str] = []
    places = array("I")
    last = 0
    for found in _SHAPE.finditer(text):
        start, end = found.span()
        pieces.append(text[last:start])
        places.extend(range(last, start))
        if shape := _shaped(found, text):
            pieces.append(shape)
            places.append(start)
        last = end
    pieces.append(text[last:])
    places.extend(range(last, len(text) + 1))
    return Plain("".join(pieces), places, original)


def _shaped(found: re.Match[str], text: str) -> str:
    """What stands in the place of a decoration: a comma or nothing."""
    if found["aside"]:
        return "，"
    if found["blank"]:
        return (
            "，"
            if _parts(
                text[found.start() - 1 : found.start()],
                found.group(),
                text[found.end() : found.end() + 1],
            )
            else ""
        )
    return _gap(found["gap"]) if found["gap"] else ""


def _gap(mark: str) -> str:
    return "。" if mark == "." else "：" if mark == ":" else "，"


def _parts(before: str, blank: str, behind: str) -> bool:
    """Whether a blank is meant as a comma: one alone, between Chinese words or behind a number."""
    if len(blank) > 1 or not _WORD.match(behind):
        return False
    return bool(_WORD.match(before)) or (before.isdigit() and behind not in _UNITS)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences stand, their closing marks included."""
    return (found.span() for found in _SENTENCE.finditer(text))


def clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the clauses of a sentence stand, without marks and blanks; 但是 and its like begin one without a comma too."""
    for found in _CLAUSE.finditer(text, start, end):
        place = found.start()
        for stretch in (
            _BUT.split(found.group()) if _MAY_PART.search(found.group()) else (found.group(),)
        ):
            said = stretch.rstrip("。！？；\n ")
            skipped = len(said) - len(said.lstrip())
            if said.strip():
                yield place + skipped, place + len(said)
            place += len(stretch)
