"""Marks quoted speech, stage directions and out-of-character remarks in a message; doubtful spans get no mark."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from rolememory.schema.learning import MarkedSpan
from rolememory.shipped import lexicon
from rolememory.text.language import HAN
from rolememory.text.late_pattern import late_pattern
from rolememory.text.words import stem

_LONGEST_ASIDE = 4000  # characters up to the closing bracket of a remark
_STRESSED = 3  # up to so many words between asterisks may be emphasis
_ASIDE_END = late_pattern(r"[（(\[【{]{1,2}\s*/[^（()）\[\]【】{}\n]{1,20}[\])】）}]{1,2}")
_CLOSED_BY = {"(": ")", "（": "）", "[": "]", "【": "】", "{": "}"}
_WORDS = late_pattern(r"[A-Za-z']+|[\u3400-\u9fff]")
_NUMERAL = late_pattern(r"[一二三四五六七八九十\d\W]*")
_FIRST_PERSON = late_pattern(r"\b(?:[Ii]|[Mm]y|[Mm]e|[Mm]ine)\b|[我咱俺]")
_BRIEF = 12  # characters of a stage direction inside a sentence
_EDGE = '\n.!?…~。！？～；;：:"“”«»「」『』*()（）—-'

_LINE = r"[^\S\n]*(?P<ooc>(?:(?://|／／)(?![/／])|/?(?:OUTSIDE)[话音話]?[^\S\n]*[:：])[^\n]*)"
_STRETCH = r"""
(?P<double>\(\((?:[^()\n]|\([^()\n]*\))+\)\)|（（[^（）\n]+））)
|(?P<aside>[（(\[【{]{1,2}\s*/?(?:OUTSIDE)[话音話]?(?=[\s:：,，、\]】)）}-]))
|(?P<star>(?<![A-Za-z0-9*])\*(?![\s*])[^*\n]+\*(?!\*)|(?<!\w)_(?![\s_])[^_\n]+_(?!\w))
|(?P<quote>"[^"\n]+"|“[^“”\n]+”|„[^„“”\n]+[“”]|«[^«»\n]+»|「[^「」\n]+」|『[^『』\n]+』)
|(?P<round>（[^（）\n]+）|\([^()\n]+\))
"""
_OPENING = late_pattern(r'[*_"“„«「『（(\[【{\n]')


class _MarkLexicon(NamedTuple):
    line: re.Pattern[str]  # an out-of-character line
    stretch: re.Pattern[str]  # delimited text
    stems: frozenset[str]  # of English gestures
    gestures: re.Pattern[str]  # Chinese ones


@cache
def _words() -> _MarkLexicon:
    en, zh = lexicon("prose.en"), lexicon("prose.zh")
    outside = f"{en['outside']}|{zh['outside']}".replace(" ", r"\ ")
    return _MarkLexicon(
        re.compile(_LINE.replace("OUTSIDE", outside), re.IGNORECASE),
        re.compile(_STRETCH.replace("OUTSIDE", outside), re.VERBOSE | re.IGNORECASE),
        frozenset(map(stem, en["gestures"].split())),
        re.compile("|".join(zh["gestures"].split())),
    )


@lru_cache(maxsize=256)
def marks(text: str) -> tuple[MarkedSpan, ...]:
    """The outermost marked spans of a message, in order, without overlaps. Cost: O(length).

    >>> text = '*The innkeeper grumbles* "Three daughters!" I smile. ((brb))'
    >>> [(one.kind, text[one.start : one.end]) for one in marks(text)]
    [('action', '*The innkeeper grumbles*'), ('quote', '"Three daughters!"'), ('ooc', '((brb))')]
    """
    return tuple(_delimited_spans(text))


def is_aside(text: str) -> bool:
    """Whether a message is entirely out of character.

    >>> is_aside("((brb)) (OOC: two minutes)"), is_aside("I nod. ((brb))"), is_aside("")
    (True, False, False)
    """
    found = marks(text)
    outside = (text[one.start : one.end] for one in found if one.kind == "ooc")
    return bool(found) and "".join("".join(outside).split()) == "".join(text.split())


def is_told_by_an_i(text: str) -> bool:
    """Whether a text is in the first person, ignoring quotations.

    >>> [is_told_by_an_i(one) for one in ("I moved.", 'Lin said: "I moved."', "我搬家了。", "林搬家了。")]
    [True, False, True, False]
    """
    place = 0
    for one in marks(text):
        if one.kind != "action":
            if _FIRST_PERSON.search(text, place, one.start):
                return True
            place = one.end
    return bool(_FIRST_PERSON.search(text, place))


def _delimited_spans(text: str) -> Iterator[MarkedSpan]:
    """The delimited spans."""
    line, stretch = _words().line, _words().stretch
    place = 0
    while place < len(text):
        if (not place or text[place - 1] == "\n") and (found := line.match(text, place)):
            yield MarkedSpan("ooc", found.start("ooc"), found.end())
            place = found.end()
        opening = _OPENING.search(text, place)
        if opening is None:
            return
        place = opening.end()
        if found := stretch.match(text, opening.start()):
            one = _delimited_span(text, found)
            place = one.end if one else max(place, found.end("star"))
            if one:
                yield one


def _delimited_span(text: str, found: re.Match[str]) -> MarkedSpan | None:
    """The span of a match; None for emphasis and remarks in brackets."""
    kind = found.lastgroup
    if kind == "aside":
        return MarkedSpan("ooc", found.start(), _aside_end(text, found))
    if kind in ("double", "quote"):
        return MarkedSpan("ooc" if kind == "double" else "quote", *found.span())
    narrates = _is_action if kind == "star" else _is_bracketed_action
    return MarkedSpan("action", *found.span()) if narrates(text, *found.span()) else None


def _aside_end(text: str, found: re.Match[str]) -> int:
    """The end of a remark: after the closing bracket, else of the line; 【ooc】 ends with 【/ooc】."""
    opening = found["aside"][0]
    closing = _CLOSED_BY[opening]
    line = text.find("\n", found.end())
    line = line if line >= 0 else len(text)
    last = found.start() + _LONGEST_ASIDE
    depth = 0
    for mark in re.compile(f"[{re.escape(opening + closing)}]").finditer(text, found.start(), last):
        depth += 1 if mark[0] == opening else -1
        if not depth:
            if text[found.end() : mark.start()].strip(closing + " "):
                return mark.end()
            closed = _ASIDE_END.search(text, mark.end(), last)
            return closed.end() if closed else line
    return line


def _is_action(text: str, start: int, end: int) -> bool:
    """Whether words between asterisks are a stage direction, not emphasis."""
    inside = _WORDS.findall(text, start, end)
    edges = _opens(text, start) + _closes(text, end)
    if len(inside) > _STRESSED or edges > 1:
        return bool(inside)
    return edges > 0 and (bool(HAN.search(text, start, end)) or _is_gesture(inside))


def _is_bracketed_action(text: str, start: int, end: int) -> bool:
    """Whether words in parentheses are a stage direction, not a remark."""
    inside = text[start + 1 : end - 1]
    if not HAN.search(inside):
        return _opens(text, start) and _is_gesture(_WORDS.findall(inside))
    if _opens(text, start):
        return not _NUMERAL.fullmatch(inside)
    return len(inside) <= _BRIEF and bool(_words().gestures.search(inside))


def _opens(text: str, start: int) -> bool:
    """Whether `start` is at the beginning of a line, sentence or quotation."""
    before = text[max(start - 3, 0) : start].rstrip(" \t")
    return not before or before[-1] in _EDGE


def _closes(text: str, end: int) -> bool:
    behind = text[end : end + 3].lstrip(" \t")
    return not behind or behind[0] in _EDGE or behind[0].isupper()


def _is_gesture(words: Sequence[str]) -> bool:
    return any(stem(word.lower()) in _words().stems for word in words)
