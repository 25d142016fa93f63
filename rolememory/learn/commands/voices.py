"""Blanks what others say in a message: quotations, songs and code; the writer's own direct speech stays."""

import re

from rolememory.schema.learning import MarkedSpan
from rolememory.text.late_pattern import late_pattern
from rolememory.text.marks import marks

_NOT_SPEECH = late_pattern(
    r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*|^(?=[^\n]*[♪♫♬🎵🎶])[^\n]*|《[^》\n]{1,60}》",
    re.DOTALL | re.MULTILINE,
)
_LETTER = late_pattern(r"[a-z0-9\u3400-\u9fff]")
_AROUND = 40  # characters around a quotation that are searched for its speaker


def blanked(even: str, own_words: re.Pattern[str]) -> str:
    """The text with everything but the writer's own voice replaced by blanks; line breaks stay.

    Quotes are the writer's own if only actions, or "I said", stand around them.
    """
    for found in _NOT_SPEECH.finditer(even):
        even = without(even, *found.span())
    spans = marks(even)
    for one in spans:
        even = without(even, one.start, one.end) if one.kind == "action" else even
    quotes = [one for one in spans if one.kind == "quote"]
    told = even
    for one in quotes:
        told = without(told, one.start, one.end)
    others = quotes if _LETTER.search(told) else ()
    for one in others:
        if not own_words.search(_beside(one, told)):
            even = without(even, one.start, one.end)
    return even


def _beside(one: MarkedSpan, told: str) -> str:
    """The text right before and after a quotation, in the same line."""
    before = told[max(one.start - _AROUND, 0) : one.start].rpartition("\n")[2]
    return before + told[one.start : one.end + _AROUND].partition("\n")[0]


def without(even: str, start: int, end: int) -> str:
    """The text with blanks in [start, end); line breaks stay."""
    return even[:start] + re.sub(r"[^\n]", " ", even[start:end]) + even[end:]
