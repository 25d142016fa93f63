"""Interpreter of worldbook_rules/lexicons/time.{language}.json: matches its rules in a text.

A file holds tables of words; `fragments`, pieces of patterns; and `families` of rules that all need one of their `signs` in the text.
`{name}` in a pattern is a fragment, or any word of a table (`{one+other}`: of several); a blank stands for any white space. A rule
is a pattern, the name of its meaning (`meanings`), and groups with fixed values. Each pattern is put into `frame`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import regex

from rolememory.schema.json_types import JsonMapping
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.dates.meanings import MEANINGS, NamedTime, Reading
from rolememory.text.dates.spans import Calendar

_SIGN = re.compile(r"[a-z]+|[^\x00-\x7f]")
_WORD = re.compile(r"[a-z]+")
_LONG_NUMBER = re.compile(r"\d{5,}")
_PLACE = re.compile(r"\{([a-z_+]+)\}")


class Mention(NamedTuple):
    """A time and its place in the text."""

    start: int
    end: int
    named: NamedTime


class TimeRule(NamedTuple):
    """A pattern, its meaning, and groups with fixed values."""

    pattern: str
    meaning: str
    given: Mapping[str, str] = {}


@value_class
class Family:
    """Rules that need one of these signs in the text: a word in English, a character in Chinese."""

    signs: frozenset[str]
    rules: Sequence[TimeRule]


class Grammar:
    """The time expressions of one language."""

    def __init__(self, words: JsonMapping) -> None:
        self._words = words
        self.families = [
            Family(self._signs(each["signs"]), [TimeRule(*rule) for rule in each["rules"]])
            for each in words["families"]
        ]
        self.compiled = cache(self._compiled)  # compiled on first use

    def mentions(self, text: str, signs: Collection[str], calendar: Calendar) -> Iterator[Mention]:
        """All matches of all rules, overlapping ones too; without dates outside the calendar's range."""
        families = [each for each in self.families if not each.signs.isdisjoint(signs)]
        masked: bytearray | None = None
        for rule in chain.from_iterable(each.rules for each in families):
            for match in self.compiled(rule.pattern).finditer(text):
                start, end = match.span()
                masked = self._masked(text) if masked is None else masked
                if any(masked[start:end]):
                    continue
                reading = Reading({**rule.given, **_taken(match)}, calendar, self._words)
                if named := _meant(rule.meaning, reading):
                    yield Mention(start, end, named)

    def _masked(self, text: str) -> bytearray:
        """Mask of characters in phrases that only look like times."""
        masked = bytearray(len(text))
        for found in self.compiled("{never}").finditer(text):
            masked[found.start() : found.end()] = b"\1" * (found.end() - found.start())
        return masked

    def _signs(self, listed: str) -> frozenset[str]:
        """The longest word of each phrase of a table (ties: the last); # = a digit."""
        signs = set(listed.replace("#", " ".join("0123456789")).split())
        tables = {sign for sign in signs if _PLACE.fullmatch(sign)}
        phrases = (phrase for table in tables for phrase in self._words[table.strip("{}")])
        return frozenset(
            (signs - tables) | {max(reversed(_SIGN.findall(one)), key=len) for one in phrases}
        )

    def _compiled(self, source: str) -> "regex.Pattern[str]":
        pattern = self._filled(self._words["frame"]).replace("RULE", self._filled(source))
        return regex.compile(pattern.replace(" ", r"\s+"))

    def _filled(self, source: str) -> str:
        return _PLACE.sub(lambda place: self._fragment(place[1]), source)

    def _fragment(self, name: str) -> str:
        if name in self._words["fragments"]:
            return self._filled(self._words["fragments"][name])
        return any_of(word for table in name.split("+") for word in self._words[table])


def signs_of(text: str) -> set[str]:
    """The English words and all characters of a text, without numbers of more than four digits."""
    return {*_WORD.findall(text.lower()), *_LONG_NUMBER.sub("", text)}


@cache
def grammar(language: Language) -> Grammar:
    """The grammar of that language, built from its file once."""
    return Grammar(lexicon(f"time.{language}"))


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, longest first; a straight apostrophe also matches a curly one.

    >>> any_of(["new year", "new year's"])
    "(?:new year['’]s|new year)"
    """
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    escaped = (re.escape(word).replace(r"\ ", " ") for word in longest_first)
    return f"(?:{'|'.join(escaped)})".replace("'", "['’]")


def _taken(match: "regex.Match[str]") -> dict[str, str]:
    return {name: said for name, said in match.groupdict().items() if said}


def _meant(meaning: str, reading: Reading) -> NamedTime | None:
    try:
        named = MEANINGS[meaning](reading)
    except (ValueError, OverflowError):  # the 31st of June, the year 12000
        return None
    return named if named and named.extent[0] < named.extent[1] else None
