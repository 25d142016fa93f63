"""Who speaks inside a message: the words of others, of songs and of code are blanked, one's own direct speech stays."""

import re
from collections.abc import Iterator

_NOT_SPEECH = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*|^(?=[^\n]*[♪♫♬🎵🎶])[^\n]*", re.DOTALL | re.MULTILINE
)
_QUOTED = re.compile(r'"[^"\n]{1,600}"|「[^」\n]{1,600}」|『[^』\n]{1,600}』|《[^》\n]{1,60}》')
_LETTER = re.compile(r"[a-z0-9\u3400-\u9fff]")
_ACTION = re.compile(r"(?<![\w*])(\*{1,3})(?![\s*])[^*\n]+?\1(?!\*)")
_WORDS = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")
_AROUND = 40  # characters beside a quotation in which it says who speaks


def blanked(even: str, own_words: re.Pattern[str]) -> str:
    """The text with every stretch that is not the writer's own voice turned to blanks; line breaks stay.

    Quoted words are the writer's own when nothing but actions stands around them, or when "I said" does.
    """
    for found in _NOT_SPEECH.finditer(even):
        even = without(even, *found.span())
    for start, end in list(_actions(even)):
        even = without(even, start, end)
    outside = _QUOTED.sub("", even)
    if _LETTER.search(outside):
        for start, end in _others(even, own_words):
            even = without(even, start, end)
    return even


def _actions(even: str) -> Iterator[tuple[int, int]]:
    """Where actions stand; a word or two between asterisks inside a sentence are only stressed."""
    for found in _ACTION.finditer(even):
        before = even[: found.start()].rstrip(' "')
        if not before or before[-1] in '.!?。…\n*")~:,' or len(_WORDS.findall(found.group())) > 3:
            yield found.span()


def _others(even: str, own_words: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for quoted in _QUOTED.finditer(even):
        before = even[max(quoted.start() - _AROUND, 0) : quoted.start()].rpartition("\n")[2]
        after = even[quoted.end() : quoted.end() + _AROUND].partition("\n")[0]
        if not (own_words.search(before) or own_words.search(after)):
            yield quoted.span()


def without(even: str, start: int, end: int) -> str:
    """The text with blanks in [start, end); line breaks stay."""
    return even[:start] + re.sub(r"[^\n]", " ", even[start:end]) + even[end:]
