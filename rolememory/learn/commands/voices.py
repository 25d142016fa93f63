"""Who speaks inside a message: the words of others, of songs and of code are blanked, one's own direct speech stays."""

import re
from collections.abc import Iterator

from rolememory.learn.commands.sentences import sentences

_NOT_SPEECH = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*|^(?=[^\n]*[♪♫♬🎵🎶])[^\n]*", re.DOTALL | re.MULTILINE
)
_QUOTED = re.compile(r'"[^"\n]{1,600}"|「[^」\n]{1,600}」|『[^』\n]{1,600}』|《[^》\n]{1,60}》')
_LETTER = re.compile(r"[a-z0-9\u3400-\u9fff]")
_AROUND = 40  # characters beside a quotation in which it says who speaks


def blanked(even: str, own_words: re.Pattern[str]) -> str:
    """The text with every stretch that is not the writer's own voice turned to blanks; line breaks stay.

    Quoted words are the writer's own when nothing but actions stands around them, or when "I said" does.
    """
    for found in _NOT_SPEECH.finditer(even):
        even = _without(even, *found.span())
    for part in [part for part in sentences(even) if even[part.start] == "*"]:
        even = _without(even, part.start, part.end)
    outside = _QUOTED.sub("", even)
    if _LETTER.search(outside):
        for start, end in _others(even, own_words):
            even = _without(even, start, end)
    return even


def _others(even: str, own_words: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for quoted in _QUOTED.finditer(even):
        before = even[max(quoted.start() - _AROUND, 0) : quoted.start()].rpartition("\n")[2]
        after = even[quoted.end() : quoted.end() + _AROUND].partition("\n")[0]
        if not (own_words.search(before) or own_words.search(after)):
            yield quoted.span()


def _without(even: str, start: int, end: int) -> str:
    return even[:start] + re.sub(r"[^\n]", " ", even[start:end]) + even[end:]
