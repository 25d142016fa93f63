"""Phrases of time inside a sentence: where they end, and whether they speak of what comes, what was, or what happens often.

Which day they mean is `text.dates`' business.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from rolememory.learn.statements.english_words import Words, lexicon

Tense = Literal[
    "future", "past", "now", "often", ""
]  # "" = by itself it may be any: "in June", "on Monday"


class Time(NamedTuple):
    """A phrase of time: where it ends, and when that is."""

    end: int
    tense: Tense


_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d|\d0'?s|(?:19|20)\d0s")
_DAY = re.compile(r"(?:[12]?\d|3[01])(?:st|nd|rd|th)")
_CLOCK = re.compile(r"\d{1,2}(?::\d\d)?(?:am|pm)?")
_WHICH: Final[dict[str, Tense]] = {
    "next": "future",
    "coming": "future",
    "this": "",
    "last": "past",
    "past": "past",
    "every": "often",
    "each": "often",
}
_ALONE: Final[dict[str, Tense]] = {
    "today": "now", "tonight": "future", "tomorrow": "future", "yesterday": "past", "now": "now", "nowadays": "now", "currently": "now",
    "soon": "future", "lately": "past", "recently": "past", "someday": "future", "eventually": "future", "daily": "often", "weekly": "often",
    "monthly": "often", "sometimes": "often", "often": "often", "usually": "often", "always": "often", "regularly": "often", "again": "",
    "later": "future", "ago": "past", "earlier": "past", "rn": "now", "everyday": "often", "nightly": "often", "forever": "",
}  # fmt: skip
_ADJECTIVES: Final = frozenset({"daily", "weekly", "monthly", "nightly", "everyday"})
_FIXED: Final[dict[tuple[str, ...], Tense]] = {
    ("these", "days"): "now", ("right", "now"): "now", ("at", "the", "moment"): "now", ("for", "now"): "now", ("all", "day"): "", ("all", "night"): "",
    ("all", "my", "life"): "", ("my", "whole", "life"): "", ("all", "their", "life"): "", ("their", "whole", "life"): "", ("all", "the", "time"): "often",
    ("as", "a", "kid"): "past", ("as", "a", "child"): "past", ("a", "lot"): "", ("the", "other", "day"): "past", ("the", "other", "night"): "past",
    ("one", "day"): "future", ("some", "day"): "future", ("from", "time", "to", "time"): "often", ("now", "and", "then"): "often",
    ("at", "night"): "often", ("ever", "since"): "", ("at", "noon"): "", ("at", "midnight"): "", ("at", "dawn"): "", ("at", "dusk"): "", ("at", "sunrise"): "", ("at", "sunset"): "",
    ("the", "day", "after", "tomorrow"): "future", ("the", "day", "before", "yesterday"): "past", ("a", "long", "time", "ago"): "past",
    ("long", "ago"): "past", ("years", "ago"): "past", ("once", "in", "a", "while"): "often", ("for", "good"): "", ("for", "ever"): "",
    ("before", "work"): "", ("after", "work"): "", ("before", "bed"): "often", ("after", "school"): "", ("after", "dinner"): "", ("before", "breakfast"): "",
    ("over", "the", "weekend"): "", ("at", "weekends"): "often", ("at", "the", "weekend"): "", ("as", "of", "today"): "now", ("as", "of", "now"): "now",
    ("every", "now", "and", "then"): "often", ("every", "so", "often"): "often", ("at", "last"): "", ("in", "the", "future"): "future",
}  # fmt: skip


def time_at(words: Words, place: int, end: int) -> Time | None:
    """The phrase of time that begins at `place`.

    >>> from rolememory.learn.statements.english_words import words_of
    >>> [time_at(words_of(said), 0, len(words_of(said))) for said in ("next week", "since 2010", "in Rome", "every other Friday")]
    [Time(end=2, tense='future'), Time(end=2, tense=''), None, Time(end=3, tense='often')]
    """
    if place >= end or words[place].low not in _firsts():
        return (
            None
            if place >= end or not words[place].low[0].isdigit()
            else _counted(words, place, end)
        )
    return _fixed(words, place, end) or _built(words, place, end)


def starts_time(low: str) -> bool:
    """Whether a phrase of time may begin with this word."""
    return low in _firsts() or low[0].isdigit()


def times_at(words: Words, place: int, end: int) -> Time | None:
    """The run of such phrases: "tomorrow morning at nine"; the first that is sure of its tense decides."""
    run: Time | None = None
    while found := time_at(words, run.end if run else place, end):
        run = Time(found.end, run.tense or found.tense) if run else found
    return run


def time_within(words: Words, first: int, end: int) -> Time | None:
    """The first phrase of time between two places that is sure of its tense, else the first."""
    unsure: Time | None = None
    for place in range(first, end):
        if found := time_at(words, place, end):
            if found.tense:
                return found
            unsure = unsure or found
    return unsure


def _fixed(words: Words, place: int, end: int) -> Time | None:
    for phrase, tense in _fixed_by_first().get(words[place].low, ()):
        if place + len(phrase) <= end and all(
            words[place + n].low == low for n, low in enumerate(phrase)
        ):
            return Time(place + len(phrase), tense)
    return None


@cache
def _fixed_by_first() -> Mapping[str, list[tuple[tuple[str, ...], Tense]]]:
    table: dict[str, list[tuple[tuple[str, ...], Tense]]] = {}
    for phrase, tense in sorted(_FIXED.items(), key=lambda row: -len(row[0])):
        table.setdefault(phrase[0], []).append((phrase, tense))
    return table


def _built(words: Words, place: int, end: int) -> Time | None:
    low = words[place].low
    if (
        low in _ADJECTIVES
        and place + 1 < end
        and words.lows[place + 1][0].isalpha()
        and words.lows[place + 1] not in ("and", "but", "at", "in", "with", "to")
    ):
        return None
    if low in _ALONE:
        part = place + 1 < end and low in ("tomorrow", "yesterday") and _unit(words[place + 1].low)
        return Time(place + 1 + bool(part), _ALONE[low])
    builder = _BUILDERS.get(low)
    return (
        builder(words, place, end)
        if builder
        else _counted(words, place, end) or _day_name(words, place, end)
    )


def _which(words: Words, place: int, end: int) -> Time | None:
    """As in "next week", "every other Friday", "last three years"."""
    at = place + 1
    while at < end and (
        words[at].low in ("other", "single", "few", "couple", "of") or _is_number(words[at].low)
    ):
        at += 1
    return (
        Time(_night(words, at + 1, end), _WHICH[words[place].low])
        if at < end and _dated(words[at].low)
        else None
    )


def _in(words: Words, place: int, end: int) -> Time | None:
    """As in "in June", "in 2010", "in the morning", "in three weeks"."""
    at = _skip(words, place + 1, end, "early", "late", "mid", "about")
    if at >= end:
        return None
    low = words[at].low
    if low == "may" and not words[at].capital:
        return None
    if _YEAR.fullmatch(low) or low in lexicon()["months"] or low in lexicon()["seasons"]:
        return Time(_day_or_year(words, at + 1, end), "")
    if low == "the":
        return (
            Time(at + 2, "")
            if at + 1 < end
            and (_unit(words[at + 1].low) or words[at + 1].low in lexicon()["seasons"])
            else None
        )
    counted = _count(words, at, end)
    return Time(counted, "future") if counted else None


def _on(words: Words, place: int, end: int) -> Time | None:
    """As in "on Monday night", "on the 3rd of May", "on weekends"."""
    at = _skip(words, place + 1, end, "the", "every")
    if at >= end:
        return None
    low = words[at].low
    if low in ("weekends", "weekdays") or (
        low.endswith("s") and low[:-1] in lexicon()["weekdays"] and low not in lexicon()["weekdays"]
    ):
        return Time(at + 1, "often")
    return _date(words, at, end) or (Time(at + 1, "") if low == "weekend" else None)


def _date(words: Words, at: int, end: int) -> Time | None:
    low = words[at].low
    if low in lexicon()["weekdays"]:
        return Time(_night(words, at + 1, end), "")
    if low in lexicon()["months"]:
        return Time(_day_or_year(words, at + 1, end), "")
    if _DAY.fullmatch(low) or (
        _is_number(low) and at + 1 < end and words[at + 1].low in lexicon()["months"]
    ):
        at = _skip(words, at + 1, end, "of")
        return Time(
            _day_or_year(words, at + 1, end)
            if at < end and words[at].low in lexicon()["months"]
            else at,
            "",
        )
    return None


def _day_or_year(words: Words, at: int, end: int) -> int:
    """Behind a month: its day, its year."""
    at = _skip(words, at, end, "the")
    if at < end and (
        _DAY.fullmatch(words[at].low) or (_is_number(words[at].low) and len(words[at].low) <= 2)
    ):
        at += 1
    behind = _skip(words, at, end, ",", "of")
    return behind + 1 if behind < end and _YEAR.fullmatch(words[behind].low) else at


def _at_clock(words: Words, place: int, end: int) -> Time | None:
    """As in "at nine", "at 6:30 am"."""
    at = _skip(words, place + 1, end, "around", "about", "half", "past", "quarter")
    if at >= end or not (_CLOCK.fullmatch(words[at].low) or words[at].low in lexicon()["numbers"]):
        return None
    if at + 1 < end and words[at + 1].low not in (
        "am",
        "pm",
        "o'clock",
        "sharp",
        "every",
        "on",
        "tomorrow",
        "tonight",
        "in",
        ".",
        ",",
        "!",
        "a",
        "p",
        "and",
    ):
        return None
    return Time(_skip(words, at + 1, end, "am", "pm", "o'clock", "sharp"), "")


def _for(words: Words, place: int, end: int) -> Time | None:
    """As in "for ten years", "for almost a decade", "for ages"."""
    at = _skip(
        words,
        place + 1,
        end,
        "almost",
        "about",
        "over",
        "nearly",
        "around",
        "the",
        "last",
        "past",
        "more",
        "than",
        "quite",
        "only",
        "like",
        "at",
        "least",
    )
    if at < end and words[at].low in (
        "ages",
        "years",
        "months",
        "weeks",
        "decades",
        "days",
        "long",
        "centuries",
        "life",
        "hours",
    ):
        return Time(at + 1, "")
    if at + 1 < end and words[at].low in ("a", "some") and words[at + 1].low in ("while", "time"):
        return Time(at + 2, "")
    counted = _count(words, at, end)
    return Time(counted, "") if counted else None


def _since(words: Words, place: int, end: int) -> Time | None:
    """As in "since 2010", "since last year", "since childhood"; not "since I moved"."""
    at = place + 1
    if at < end and (
        _YEAR.fullmatch(words[at].low)
        or words[at].low
        in ("childhood", "birth", "then", "forever", "college", "school", "kindergarten")
    ):
        return Time(at + 1, "")
    later = time_at(words, at, end) or (_date(words, at, end) if at < end else None)
    return Time(later.end, "") if later else None


def _times(words: Words, place: int, end: int) -> Time | None:
    """As in "twice a week", "three times per month"."""
    at = place + 1
    if words[place].low not in ("once", "twice"):
        at = place + 2 if at < end and words[at].low == "times" else end
    ok = (
        at + 1 < end and words[at].low in ("a", "per", "each", "every") and _unit(words[at + 1].low)
    )
    return Time(at + 2, "often") if ok else None


def _counted(words: Words, place: int, end: int) -> Time | None:
    """As in "three years ago", "two weeks from now", "3 times a day"."""
    counted = _count(words, place, end)
    if counted and counted < end and words[counted].low in ("ago", "back", "earlier"):
        return Time(counted + 1, "past")
    if (
        counted
        and counted + 1 < end
        and words[counted].low == "from"
        and words[counted + 1].low in ("now", "today")
    ):
        return Time(counted + 2, "future")
    if (
        counted
        and counted + 1 < end
        and words[counted].low in ("a", "per")
        and _unit(words[counted + 1].low)
    ):
        return Time(counted + 2, "often")
    return _times(words, place, end)


def _count(words: Words, place: int, end: int) -> int:
    """Where "three years", "a few weeks" end; 0 = nothing is counted here."""
    at = place
    while (
        at < end
        and at < place + 4
        and (
            _is_number(words[at].low) or words[at].low in ("of", "-", "and", "more", "good", "full")
        )
    ):
        at += 1
    return at + 1 if place < at < end and _dated(words[at].low) else 0


def _by(words: Words, place: int, end: int) -> Time | None:
    at = place + 1
    if at < end and words[at].low in lexicon()["daytimes"]:
        return Time(at + 1, "")
    later = time_at(words, at, end) or (_date(words, at, end) if at < end else None)
    return Time(later.end, "") if later else None


def _day_name(words: Words, place: int, end: int) -> Time | None:
    """As in "Friday", "Monday night", without a preposition."""
    if words[place].low in lexicon()["weekdays"] and len(words[place].low) > 4:
        return Time(_night(words, place + 1, end), "")
    return None


def _night(words: Words, at: int, end: int) -> int:
    return (
        at + 1 if at < end and words[at].low in ("night", "morning", "evening", "afternoon") else at
    )


def _skip(words: Words, at: int, end: int, *lows: str) -> int:
    while at < end and words[at].low in lows:
        at += 1
    return at


def _unit(low: str) -> bool:
    return (
        low in lexicon()["units"]
        or (low.endswith("s") and low[:-1] in lexicon()["units"])
        or low == "centuries"
    )


def _dated(low: str) -> bool:
    return (
        _unit(low)
        or low in lexicon()["weekdays"]
        or low in lexicon()["months"]
        or low in lexicon()["seasons"]
        or low.removesuffix("s") in lexicon()["seasons"]
    )


def _is_number(low: str) -> bool:
    return low in lexicon()["numbers"] or bool(_NUMBER.fullmatch(low))


_BUILDERS: Final[dict[str, Callable[[Words, int, int], Time | None]]] = {
    **dict.fromkeys(_WHICH, _which), "in": _in, "on": _on, "at": _at_clock, "around": _at_clock, "for": _for, "since": _since, "once": _times,
    "twice": _times, "by": _by, "until": _by, "till": _by, "from": _by, "before": _by, "during": _by,
}  # fmt: skip


@cache
def _firsts() -> frozenset[str]:
    return frozenset(
        {
            *_ALONE,
            *_BUILDERS,
            *(phrase[0] for phrase in _FIXED),
            *lexicon()["numbers"].spelt,
            *lexicon()["weekdays"].spelt,
        }
    )
