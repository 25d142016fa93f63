"""What the grammars of both languages share: a rule is a pattern and what its match means at a moment."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rolememory.schema.scene import Language
from rolememory.shipped import shipped
from rolememory.text.dates.festivals import DAY, festival_days
from rolememory.text.dates.spans import Calendar, Extent, Which

FIRST_YEAR, LAST_YEAR = 1000, 2199
"""Four digits outside of these are a number, not a year."""

SURE, LIKELY, UNSURE = 1.0, 0.8, 0.5
NO_YEAR = 0.9  # a date or month without its year: most likely the latest


@dataclass(frozen=True, slots=True)
class NamedTime:
    """The time that some words name."""

    extent: Extent
    certainty: float = SURE
    absolute: bool = False  # the same whenever it is said


@dataclass(frozen=True, slots=True)
class Mention:
    """A named time and where it stands in the text."""

    start: int
    end: int
    named: NamedTime


Match = Any  # of the `regex` module
Yearly = Callable[[int], Extent | None]  # of a year: when it is then
Meaning = Callable[[Match, Calendar], NamedTime | None]
Rules = list[tuple[str, Meaning]]  # a pattern and what its match means


@dataclass(frozen=True, slots=True)
class Family:
    """Rules that all need one of these signs in the text: a word in English (# = a digit), a character in Chinese."""

    signs: frozenset[str]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules of one language and the phrases that only look like times."""

    families: Sequence[Family]
    never: str
    compiled: Callable[[str], Any]  # a pattern of `regex`, made when a text first needs it
    signs: Callable[[str], set[str]]  # those of a text

    def mentions(self, text: str, calendar: Calendar) -> Iterator[Mention]:
        """Every reading of every rule, overlapping ones too; a date outside of the calendar's reach is none."""
        signs = self.signs(text)
        rules = [
            (self.compiled(source), meaning)
            for family in self.families
            if not family.signs.isdisjoint(signs)
            for source, meaning in family.rules
        ]
        masked = bytearray(len(text))
        for found in self.compiled(self.never).finditer(text) if rules else ():
            masked[found.start() : found.end()] = b"\1" * (found.end() - found.start())
        for pattern, meaning in rules:
            for match in pattern.finditer(text):
                start, end = match.span()
                if not any(masked[start:end]) and (named := _meant(meaning, match, calendar)):
                    yield Mention(start, end, named)


def _meant(meaning: Meaning, match: Match, calendar: Calendar) -> NamedTime | None:
    try:
        named = meaning(match, calendar)
    except (ValueError, OverflowError):  # the 31st of June, the year 12000
        return None
    return named if named and named.extent[0] < named.extent[1] else None


@cache
def lexicon(language: Language) -> Mapping[str, Any]:
    """The words of time of that language: worldbook_rules/lexicons/time.{language}.json."""
    words: Mapping[str, Any] = json.loads(
        shipped("worldbook_rules", "lexicons", f"time.{language}.json").read_text(encoding="utf-8")
    )
    return words


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first; a straight apostrophe fits a curly one.

    >>> any_of(["new year", "new year's"])
    "(?:new year['’]s|new year)"
    """
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    escaped = (re.escape(word).replace(r"\ ", " ") for word in longest_first)
    return f"(?:{'|'.join(escaped)})".replace("'", "['’]")


def got(match: Match, name: str) -> str:
    """What the group of that name matched; "" when it took no part or the pattern has none."""
    return match.groupdict().get(name) or ""


def a_year(number: int) -> int | None:
    """The number, if it can be a year."""
    return number if FIRST_YEAR <= number <= LAST_YEAR else None


def festival(calendar: Calendar, rule: str, year: int) -> Extent | None:
    """The days of a festival in that year."""
    days = festival_days(rule, year)
    return calendar.days(days[0], days[1] + DAY) if days else None


def window(calendar: Calendar, since_days: float, until_days: float) -> Extent:
    """From so many days ago to so many days ago; 0 = now."""
    start = calendar.now - since_days * DAY
    end = calendar.now - until_days * DAY
    whole = since_days >= 1
    return (calendar.moment(start.date()) if whole else start), (
        calendar.moment(end.date()) + DAY if whole and until_days else end
    )


def in_year(extent_of: Yearly, year: int) -> NamedTime | None:
    """What comes once a year, in a year that is said."""
    extent = extent_of(year) if a_year(year) else None
    return NamedTime(extent, SURE, absolute=True) if extent else None


def years_from_now(extent_of: Yearly, calendar: Calendar, years: int) -> NamedTime | None:
    """What comes once a year, so many years from this one."""
    extent = extent_of(calendar.today.year + years)
    return NamedTime(extent) if extent else None


def once_a_year(
    extent_of: Yearly, calendar: Calendar, which: Which, certainty: float
) -> NamedTime | None:
    """What comes once a year, with no year said."""
    extent = calendar.recurring(extent_of, which)
    return NamedTime(extent, certainty) if extent else None
