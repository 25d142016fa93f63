"""A message as learning reads it: letters and punctuation made alike without moving a place, and its sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from rolememory.text.plain import plain

CLOSERS = "\"')」』]>*_~"
_ACTION = re.compile(r"(?<![\w*])(\*{1,3})(?![\s*])[^*\n]+?\1(?!\*)")
_BREAK = re.compile(
    rf"\s*\n\s*|(?:[。!?]+[!?。.…~]*|…+|~+(?=\s|$)|\.+(?=[{re.escape(CLOSERS)}]*(?:\s|$|[\u3400-\u9fff])))[{re.escape(CLOSERS)}]*"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|sr|jr|vs|etc|e\.g|i\.e|a\.m|p\.m|approx|dept|no|vol|capt|lt|sgt|gen|[a-hj-z]))\.$"
)
_SAID = re.compile(r"\s*[\u3400-\u9fff]{1,5}?(?:说|道|问|答|喊|叫|笑|嘟囔|低语|回答)")
_WORDS = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of a text: [start, end), without blanks at its edges."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The stretch of that text."""
        return text[self.start : self.end]


def sentences(text: str) -> list[TextPart]:
    r"""The sentences of a text in order; an *action* between asterisks is one, and so is a line of its own.

    >>> text = "Hi! Dr. Lin paid 3.50. *I sit down. I wait.* “走吧。”他说。"
    >>> [part.of(text) for part in sentences(text)]
    ['Hi!', 'Dr. Lin paid 3.50.', '*I sit down. I wait.*', '“走吧。”他说。']
    """
    even = plain(text)
    edges = sorted({0, len(text), *_breaks(text, even)})
    return [
        part for start, end in pairwise(edges) if (part := _trimmed(text, start, end)) is not None
    ]


def _trimmed(text: str, start: int, end: int) -> TextPart | None:
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return TextPart(start, start + len(inside.strip())) if inside.strip() else None


def _breaks(text: str, even: str) -> Iterator[int]:
    actions = list(_actions(even))
    for start, end in actions:
        yield start
        yield end
    for stop in _BREAK.finditer(even):
        if not any(start < stop.end() < end for start, end in actions) and _ends(text, even, stop):
            yield stop.end()


def _actions(even: str) -> Iterator[tuple[int, int]]:
    """Where actions stand; a word or two between asterisks inside a sentence are only stressed."""
    for found in _ACTION.finditer(even):
        before = even[: found.start()].rstrip(' "')
        if not before or before[-1] in '.!?。…\n*")~:,' or len(_WORDS.findall(found.group())) > 3:
            yield found.span()


def _ends(text: str, even: str, stop: re.Match[str]) -> bool:
    """Whether a sentence ends here: not after "Dr.", in a pause ("I... I"), or before what says who spoke."""
    rest = text[stop.end() :].lstrip(" ")
    mark = stop.group().strip()
    if not mark or not rest:
        return True
    if mark == "." and _ABBREVIATED.search(even, max(stop.start() - 8, 0), stop.start() + 1):
        return False
    if mark.startswith(("…", "..")) and not (
        rest[0].isupper() and stop.end() < len(text) and text[stop.end()].isspace()
    ):
        return rest[0] in '*"“「\n'
    return not (
        mark[-1] in "\"'」』" and (rest[0].islower() or bool(_SAID.match(even, stop.end())))
    )
