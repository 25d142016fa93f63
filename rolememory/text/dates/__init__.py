"""Recognises dates and times in a text: "last spring", 三天前, "in March 2023", 去年中秋.

    times ─▶ grammar     the rules of a language, from worldbook_rules/lexicons/time.{en,zh}.json
          ─▶ meanings    semantics of matches, for all languages
          ─▶ spans, festivals, lunar   the calendar

Underspecified dates are in the past: "in March" is the latest March that has begun, 周三 the latest Wednesday.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache, partial

from rolememory.schema.scene import Language, TimeSpan
from rolememory.schema.settings import DatesSettings
from rolememory.text.dates.grammar import Mention, grammar, signs_of
from rolememory.text.dates.spans import Calendar
from rolememory.text.language import LANGUAGES
from rolememory.text.plain import simplified

MAX_TEXT = 20_000  # characters read
DEFAULT = DatesSettings()
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # reference if only absolute times count
Tell = Callable[[str, datetime | None, Language], tuple[TimeSpan, ...]]
"""(text, when it was told, language) -> the times in it."""


def times(
    text: str, now: datetime, language: Language = "en", settings: DatesSettings = DEFAULT
) -> tuple[TimeSpan, ...]:
    """The times in the text, in order; of overlapping ones the longest. Never raises.

    Reads both languages if their scripts occur; `language` goes first among equally long matches.

    >>> from datetime import UTC
    >>> [(each.text, each.start.date().isoformat()) for each in times("Last spring we met.", datetime(2025, 8, 1, tzinfo=UTC))]
    [('Last spring', '2025-03-01')]
    """
    return _times_told(settings, text, now, language)


@lru_cache(maxsize=8)
def teller(settings: DatesSettings = DEFAULT) -> Tell:
    """A cached function for the times in a memory's text, relative to when it was told; without that, only absolute ones.

    Cached because all memories are read again whenever one changes.
    """
    return lru_cache(maxsize=2048)(partial(_times_told, settings))


def _times_told(
    settings: DatesSettings, text: str, told: datetime | None, language: Language
) -> tuple[TimeSpan, ...]:
    found = _longest(_mentions(text[:MAX_TEXT], told or _ANY_TIME, language, settings))
    return tuple(
        TimeSpan(*named.extent, text[start:end], start, named.certainty)
        for start, end, named in found
        if told or named.absolute
    )


def _mentions(
    text: str, now: datetime, language: Language, settings: DatesSettings
) -> Iterator[Mention]:
    text = simplified(text)
    calendar, signs = Calendar.at(now, settings), signs_of(text)
    for name in sorted(LANGUAGES, key=lambda each: each != language):
        if name != "zh" or not text.isascii():
            yield from grammar(name).mentions(text, signs, calendar)


def _longest(mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions that overlap no longer one, in text order."""
    kept: list[Mention] = []
    found = sorted(mentions, key=lambda each: (each.start - each.end, each.start))
    taken = bytearray(MAX_TEXT if found else 0)
    for each in found:
        if not any(taken[each.start : each.end]):
            taken[each.start : each.end] = b"\1" * (each.end - each.start)
            kept.append(each)
    return sorted(kept, key=lambda each: each.start)
