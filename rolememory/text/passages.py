"""Splits a message into passages, the units of recall: whole sentences packed up to a limit.

A passage depends only on the text up to its end and the next sentence: text appended to a message changes its last passage
and keeps the others.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from rolememory.schema.learning import ORDERS, MarkedSpan
from rolememory.text.late_pattern import late_pattern
from rolememory.text.sentences import SentenceSpan, sentences

LONGEST = 280  # characters of a passage
LONGEST_HAN = 120  # of one that begins mostly with Han or kana: each is worth two or three letters

_DEEPER = 0.5  # factor on the limit of passages after the first

_HAN = late_pattern("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_CLAUSE = late_pattern(r"[,;:](?=\s)|[，；：、]|[—–-](?=\s)|——|…+|\.{3}")
_BLANKS = late_pattern(r"\s+")
_VISIBLE = late_pattern(r"\S")
_FILLED = 3  # no cuts in the first third of the limit


class PassageSpan(NamedTuple):
    """A passage of a message: half-open, in characters of the cleaned text."""

    start: int
    end: int
    ooc: bool = False  # out of character


def passages(
    text: str, marks: Sequence[MarkedSpan] = (), left_out: Sequence[SentenceSpan] = ()
) -> tuple[PassageSpan, ...]:
    """The passages of a text in order: they cover all but blanks, commands and `left_out`. Cost: O(length).

    After the first passage, sentences are packed up to half the limit, so that a line inside a long reply is found as well as one
    on its own. Out-of-character remarks are passages of their own. Quoted speech stays together with its speech tag. Only a
    sentence longer than the limit is cut: at clauses, else at blanks, else anywhere.

    >>> text = "The beacon is dark. ((brb)) Was it the storm?"
    >>> [(text[one.start : one.end], one.ooc) for one in passages(text, [MarkedSpan("ooc", 20, 27)])]
    [('The beacon is dark.', False), ('((brb))', True), ('Was it the storm?', False)]
    """
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    whole = not marks and not left_out and start < end
    if whole and (end - start <= LONGEST_HAN or end - start <= limit_at(text, start)):
        return (PassageSpan(start, end),)
    quotes = [mark for mark in marks if mark.kind == "quote"]
    return tuple(
        PassageSpan(start, end, ooc)
        for told, ooc in _regions(text, marks)
        for region in _outside(told, left_out)
        for start, end in _packed(text, _pieces(text, region), quotes)
    )


def limit_at(text: str, start: int) -> int:
    """The maximum length of a passage starting here."""
    beginning = text[start : start + LONGEST_HAN]
    visible = sum(map(len, beginning.split()))
    han = sum(map(len, _HAN.findall(beginning)))
    return LONGEST_HAN if han * 2 > visible else LONGEST


def _packed_to(text: str, start: int) -> int:
    """The maximum length of sentences packed from here."""
    limit = limit_at(text, start)
    return int(limit * _DEEPER) if _VISIBLE.search(text, 0, start) else limit


def _regions(text: str, marks: Iterable[MarkedSpan]) -> Iterator[tuple[SentenceSpan, bool]]:
    place = 0
    outside = [(SentenceSpan(mark.start, mark.end), True) for mark in marks if mark.kind == "ooc"]
    commands = [SentenceSpan(mark.start, mark.end) for mark in marks if mark.kind in ORDERS]
    for (start, end), ooc in sorted([*outside, *((one, False) for one in commands)]):
        yield SentenceSpan(place, max(start, place)), False
        if ooc:
            yield SentenceSpan(max(start, place), max(end, place)), True
        place = max(end, place)
    yield SentenceSpan(place, len(text)), False


def _outside(region: SentenceSpan, left_out: Iterable[SentenceSpan]) -> Iterator[SentenceSpan]:
    """The parts of a region outside of `left_out`."""
    place = region.start
    for start, end in sorted(left_out):
        if place < end and start < region.end:
            yield SentenceSpan(place, max(start, place))
            place = end
    yield SentenceSpan(min(place, region.end), region.end)


def _pieces(text: str, region: SentenceSpan) -> Iterator[SentenceSpan]:
    """Sentences, and parts of those longer than the limit."""
    for one in sentences(text, *region):
        start = one.start
        while one.end - start > LONGEST_HAN and one.end - start > (limit := limit_at(text, start)):
            cut = _cut(text, start, start + limit)
            yield SentenceSpan(start, cut)
            start = _next_visible(text, cut)
        yield SentenceSpan(start, one.end)


def _cut(text: str, start: int, longest: int) -> int:
    """Where to cut before `longest`: at the last clause, else at the last blank, else there."""
    least = start + (longest - start) // _FILLED
    clauses = [clause.end() for clause in _CLAUSE.finditer(text, least, longest)]
    if clauses:
        return clauses[-1]
    blanks = [blank.start() for blank in _BLANKS.finditer(text, least, longest + 1)]
    return blanks[-1] if blanks else longest


def _next_visible(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    return blanks.end() if blanks else place


def _packed(
    text: str, pieces: Iterable[SentenceSpan], quotes: Sequence[MarkedSpan]
) -> Iterator[SentenceSpan]:
    start = end = longest = 0
    for piece in _with_tags(text, pieces, quotes) if quotes else pieces:
        if end and piece.end > longest:
            yield SentenceSpan(start, end)
            end = 0
        if not end:
            start, longest = piece.start, piece.start + _packed_to(text, piece.start)
        end = piece.end
    if end:
        yield SentenceSpan(start, end)


def _with_tags(
    text: str, pieces: Iterable[SentenceSpan], quotes: Sequence[MarkedSpan]
) -> Iterator[SentenceSpan]:
    """The pieces, with quoted speech merged with its speech tags where that fits."""
    start = 0
    last: SentenceSpan | None = None
    for piece in pieces:
        if last and piece.end - start <= _merge_limit(text, start, last, piece, quotes):
            last = piece
            continue
        if last:
            yield SentenceSpan(start, last.end)
        start, last = piece.start, piece
    if last:
        yield SentenceSpan(start, last.end)


def _merge_limit(
    text: str, start: int, last: SentenceSpan, piece: SentenceSpan, quotes: Sequence[MarkedSpan]
) -> int:
    """The length limit for merging both from `start`, if a quotation continues or one may be the other's speech tag; else 0."""
    place = bisect_right(quotes, piece.start, key=attrgetter("start")) - 1
    if place < 0:
        return 0
    quote = quotes[place]
    if quote.start < last.end and piece.start < quote.end:
        return limit_at(text, start)
    if piece.start < quote.end:  # it begins with a quotation
        tag = piece.end <= quote.end and text.count("\n", last.end, piece.start) < 2
    else:
        inside = quote.start <= last.start and last.end <= quote.end
        tag = inside and "\n" not in text[last.end : piece.start]
    return _packed_to(text, start) if tag else 0
