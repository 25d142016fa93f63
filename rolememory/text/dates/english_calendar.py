"""English words of the calendar: May 5th, in March 2023, last spring, Christmas 1999, in 1887, the nineties."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import regex

from rolememory.text.dates.grammar import (
    LIKELY,
    NO_YEAR,
    SURE,
    UNSURE,
    Family,
    Match,
    NamedTime,
    Rules,
    Yearly,
    a_year,
    any_of,
    festival,
    in_year,
    lexicon,
    once_a_year,
    years_from_now,
)
from rolememory.text.dates.spans import DAY, Calendar, Which

WHICH: Mapping[str, Which] = {
    "last": "last",
    "previous": "last",
    "this": "this",
    "next": "next",
    "coming": "next",
}
RELATIVE = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}

_FOUR = r"(?P<year>1\d{3}|2[01]\d{2})"
_YEAR = rf"{_FOUR}(?!\d|[.,:]\d)"
_OF_YEAR = rf"(?:,?\s*(?:(?:of|in) )?(?:(?:the )?year )?(?:{_YEAR}|(?P<other>last|this|next) year|the year (?P<two>before last)))"
_NOT_YEARS = (  # "in 1887 words", "of 2000 people"
    r"(?!\s?%| (?:percent|people|men|women|feet|children|and a half)\b"
    r"| (?!(?:was|is|has|as|this|his|its|yes|us|does|perhaps|always|across|unless|besides|sometimes)\b)[a-z]+s\b)"
)
_DAYS_OF_PART = {
    "early": (1, 10),
    "beginning": (1, 10),
    "start": (1, 10),
    "mid": (11, 20),
    "middle": (11, 20),
    "late": (21, 31),
    "end": (21, 31),
}
_TENS = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
_PLAIN_LEADS = ("in", "back in", "during", "since", "until", "till", "throughout")


def words() -> Mapping[str, Any]:
    """The English lexicon of time."""
    return lexicon("en")


def families() -> list[Family]:
    """All rules of this page."""
    months = frozenset(words()["months"])
    return [
        Family(months, [*_dates(), *_months()]),
        Family(frozenset("#"), _numbers()),
        Family(frozenset(words()["seasons"]), _seasons()),
        Family(frozenset(_TENS) | {"#", "century"}, _years()),
        Family(
            frozenset(regex.match("[a-z]+", name)[0] for name in words()["festivals"]), _festivals()
        ),
    ]


def _yearly(
    match: Match, calendar: Calendar, extent_of: Yearly, which: Which, certainty: float
) -> NamedTime | None:
    """What comes once a year: in the year the match names, or the one meant by `which`."""
    if match["year"]:
        return in_year(extent_of, int(match["year"]))
    if match["other"] or match["two"]:
        return years_from_now(extent_of, calendar, RELATIVE.get((match["other"] or "").lower(), -2))
    return once_a_year(extent_of, calendar, which, certainty)


def _dates() -> Rules:
    month = rf"(?P<month>{any_of(words()['months'])})\.?"
    day = rf"(?:(?P<day>[12]\d|3[01]|0?[1-9])(?P<suffix>st|nd|rd|th)?|(?P<ordinal>{any_of(words()['ordinals'])}))"
    return [
        (rf"{month} (?:the )?{day}(?!\d|:\d|[\s-]century)(?:{_OF_YEAR})?", _date),
        (rf"(?:the )?{day}(?: day)?(?P<of> of)? {month}(?:{_OF_YEAR})?", _date),
    ]


def _numbers() -> Rules:
    month, day = "(?P<m>0?[1-9]|1[0-2])", r"(?P<d>[12]\d|3[01]|0?[1-9])"
    return [
        (rf"{_FOUR}-{month}-{day}(?:T[\d:.]+Z?)?", _numeric),
        (rf"{_FOUR}(?P<mark>[/.]){month}(?P=mark){day}", _numeric),
        (rf"(?:in|since|during|of) {_YEAR}-(?P<m>0[1-9]|1[0-2])(?!-)", _month_number),
        (
            rf"(?P<first>\d{{1,2}})(?P<mark>[/.-])(?P<second>\d{{1,2}})(?P=mark){_YEAR}",
            _day_or_month_first,
        ),
        (r"on the (?P<day>[12]?\d|3[01])(?:st|nd|rd|th)(?! \w)", _day_of_month),
    ]


def _date(match: Match, calendar: Calendar) -> NamedTime | None:
    plain = match["day"] and not match["suffix"] and not match.groupdict().get("of")
    if plain and not match["year"] and _may_be_a_word(match["month"]):
        return None
    day = int(match["day"]) if match["day"] else words()["ordinals"][match["ordinal"].lower()]
    return _yearly(
        match,
        calendar,
        partial(_on, calendar, words()["months"][match["month"].lower()], day),
        "latest",
        NO_YEAR,
    )


def _on(calendar: Calendar, month: int, day: int, year: int) -> "Any":
    """The day in that year; none in years without it (February 29th)."""
    try:
        return calendar.day(calendar.today.replace(year, month, day))
    except ValueError:
        return None


def _may_be_a_word(month: str) -> bool:
    """Whether it is "may", "march", ... in small letters."""
    return month.lower() in words()["months_also_words"] and month.islower()


def _numeric(match: Match, calendar: Calendar) -> NamedTime | None:
    return in_year(partial(_on, calendar, int(match["m"]), int(match["d"])), int(match["year"]))


def _day_or_month_first(match: Match, calendar: Calendar) -> NamedTime | None:
    """5/14/2023 and 14.5.2023; where both are possible, points and hyphens say day first, a slash month first, and neither is sure."""
    first, second = int(match["first"]), int(match["second"])
    month_first = second > 12 or (first <= 12 and match["mark"] == "/")
    month, day = (first, second) if month_first else (second, first)
    named = in_year(partial(_on, calendar, month, day), int(match["year"]))
    doubtful = max(first, second) <= 12 and first != second
    return NamedTime(named.extent, UNSURE if doubtful else SURE, absolute=True) if named else None


def _day_of_month(match: Match, calendar: Calendar) -> NamedTime:
    this, before = (
        calendar.day(calendar.months_from_now(back)[0].date() + (int(match["day"]) - 1) * DAY)
        for back in (0, -1)
    )
    return NamedTime(before if this[0] > calendar.now else this, 0.6)


def _months() -> Rules:
    leads = "in|back in|during|since|until|till|throughout|around|from|of|last|this|next|previous|coming"
    parts = "(?P<part>early|mid|late|beginning|start|middle|end)"
    month = rf"(?P<month>{any_of(words()['months'])})\.?"
    return [
        (
            rf"(?:(?P<lead>{leads}) )?(?:(?:the )?{parts}(?: of (?:(?P<inner>last|this|next) )?|[\s-]))?{month}(?:{_OF_YEAR})?(?! (?:the )?\d)",
            _month,
        ),
    ]


def _month(match: Match, calendar: Calendar) -> NamedTime | None:
    lead = (match["inner"] or match["lead"] or "").lower()
    part = _DAYS_OF_PART[match["part"].lower()] if match["part"] else None
    if not (
        match["year"]
        or match["other"]
        or match["two"]
        or _month_stands(match["month"], lead, bool(part))
    ):
        return None
    number = words()["months"][match["month"].lower()]
    certainty = NO_YEAR if lead or part else 0.6
    return _yearly(
        match,
        calendar,
        lambda year: calendar.month(year, number, part),
        WHICH.get(lead, "latest"),
        certainty,
    )


def _month_number(match: Match, calendar: Calendar) -> NamedTime | None:
    return in_year(lambda year: calendar.month(year, int(match["m"])), int(match["year"]))


def _month_stands(month: str, lead: str, part: bool) -> bool:
    """Whether a month's name without a year is a month: "in May", but not "may I", "the march", "June said"."""
    short = len(month) <= 4 and month.lower() not in ("may", "june", "july")
    if short:
        return bool(lead) and month[0].isupper()
    if lead in _PLAIN_LEADS or part:
        return True
    if lead in ("of", "from"):  # "a letter from June" is hers
        return month[0].isupper() and month.lower() not in words()["months_also_names"]
    return month[0].isupper() and (bool(lead) or month.lower() in words()["months_alone"])


def _seasons() -> Rules:
    leads = "(?:back )?in(?: the)?|during(?: the)?|since|until|till|throughout(?: the)?|last|this|next|previous|coming"
    season = rf"(?:(?:early|mid|late|the)[\s-])?(?P<season>{any_of(words()['seasons'])})"
    elsewhere = (
        r"(?! of (?!\d|last|this|next|the year))(?! (?:in|into|to|from|off|down|for|over|apart)\b)"
    )
    return [(rf"(?:(?P<lead>{leads}) )?{season}{elsewhere}(?:{_OF_YEAR})?", _season)]


def _season(match: Match, calendar: Calendar) -> NamedTime | None:
    lead = (match["lead"] or "").lower()
    if not (lead or match["year"] or match["other"] or match["two"]):
        return None
    name, which = words()["seasons"][match["season"].lower()], WHICH.get(lead, "latest")
    certainty = UNSURE if which == "latest" else LIKELY
    return _yearly(match, calendar, lambda year: calendar.season(year, name), which, certainty)


def _years() -> Rules:
    leads = "in(?: the year)?|back in|since|during|from|until|till|of|around|circa|by|before|after|the year|year|late|early"
    second = r"(?P<to>1\d{3}|2[01]\d{2})"
    short = rf"(?:the )(?:(?:early|mid|late)[\s-])?(?:['’]?(?P<short>[2-9]0)['’]?s|(?P<word>{any_of(_TENS)}))"
    ordinals = any_of(words()["ordinals"])
    return [
        (rf"(?:{leads}) {_YEAR}{_NOT_YEARS}(?!['’-]?s\b|-\d)", _year),
        (rf"(?:between|from) {_YEAR} (?:and|to|until) {second}", _year_to_year),
        (
            r"(?:the )?(?:(?:early|mid|late)[\s-])?(?P<full>1\d\d0|20\d0)['’]?s",
            lambda match, calendar: _decade(int(match["full"]), calendar),
        ),
        (
            rf"(?:(?:in|during|since|back in) )?{short}",
            lambda match, calendar: _decade(_latest_decade(match, calendar), calendar),
        ),
        (
            rf"(?:(?:in|during) )?(?:the )?(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|{ordinals})[\s-]century",
            _century,
        ),
    ]


def _year(match: Match, calendar: Calendar) -> NamedTime | None:
    return in_year(calendar.year, int(match["year"]))


def _year_to_year(match: Match, calendar: Calendar) -> NamedTime | None:
    first, last = int(match["year"]), int(match["to"])
    return (
        NamedTime(calendar.years(first, last + 1), SURE, absolute=True)
        if a_year(first) and first <= last
        else None
    )


def _decade(first: int, calendar: Calendar) -> NamedTime:
    return NamedTime(calendar.years(first, first + 10), LIKELY, absolute=True)


def _latest_decade(match: Match, calendar: Calendar) -> int:
    """The latest decade of those tens that has begun."""
    tens = int(match["short"]) if match["short"] else _TENS[match["word"].lower()]
    this = calendar.today.year // 100 * 100 + tens
    return this if this <= calendar.today.year else this - 100


def _century(match: Match, calendar: Calendar) -> NamedTime:
    said = match["nth"].lower()
    number = int(said[:-2]) if said[0].isdigit() else words()["ordinals"][said]
    return NamedTime(calendar.years((number - 1) * 100 + 1, number * 100 + 1), SURE, absolute=True)


def _festivals() -> Rules:
    leads = "last|this|next|previous|coming|at|on|over|during|since|before|after|by|around"
    name = rf"(?P<name>{any_of(words()['festivals'])})"
    return [
        (
            rf"(?:(?P<lead>{leads}) )?{name}(?:['’]s)?(?: (?:morning|night|dinner|party))?(?:{_OF_YEAR})?",
            _festival,
        )
    ]


def _festival(match: Match, calendar: Calendar) -> NamedTime | None:
    rule = words()["festivals"][" ".join(match["name"].lower().replace("’", "'").split())]
    lead = (match["lead"] or "").lower()
    return _yearly(
        match,
        calendar,
        lambda year: festival(calendar, rule, year),
        WHICH.get(lead, "latest"),
        LIKELY if lead else 0.6,
    )
