"""Semantics of time expressions, for all languages: from the groups of a rule's match and the tables of its file."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rolememory.schema.json_types import JsonMapping
from rolememory.schema.value_class import value_class
from rolememory.text.dates.festivals import DAY, festival_days
from rolememory.text.dates.lunar import lunar_date
from rolememory.text.dates.numbers import number
from rolememory.text.dates.spans import Calendar, Extent, Which

FIRST_YEAR, LAST_YEAR = 1000, 2199
"""Four digits outside this range are not a year."""

SURE, LIKELY, UNSURE = 1.0, 0.8, 0.5
NO_YEAR = 0.9  # certainty of a date or month without year: probably the latest
BARE = 0.6  # of a name alone: Tuesday, Christmas
_MOST_YEARS = 1000  # "2000年前" may be before the year 2000


@value_class
class NamedTime:
    """The time that an expression means."""

    extent: Extent
    certainty: float = SURE
    absolute: bool = False  # independent of the reference time


@value_class
class Reading:
    """A match of a rule: its groups by name, with calendar and word tables."""

    found: Mapping[str, str]
    calendar: Calendar
    words: JsonMapping

    def said(self, group: str) -> str:
        """The text of the group, normalised for the tables; "" if unmatched."""
        said = self.found.get(group, "").lower()
        return said if said.isalnum() else " ".join(said.replace("’", "'").split())

    def word(self, group: str, *tables: str) -> Any:
        """The group's value in one of the tables, or None."""
        said = self.said(group)
        return next(
            (row[said] for table in tables if said in (row := self.words.get(table, {}))), None
        )

    def number(self, group: str, table: str = "") -> int:
        """The group's number, in digits, Chinese numerals or words of that table."""
        return int(number(self.said(group), self.words.get(table, {})))

    def which(self) -> Which:
        """Which occurrence of a recurring time is meant."""
        which: Which = self.word("lead", "which") or "latest"
        return which

    def part(self, extent: Extent) -> Extent:
        """The part of the day, if named, else all of it."""
        hours = self.word("part", "parts_of_day")
        return self.calendar.part(extent, hours) if hours else extent

    def yearly(
        self, extent_of: Callable[[int], Extent | None], certainty: float
    ) -> NamedTime | None:
        """A yearly time: in the named year, else the occurrence that is meant."""
        calendar, offset = self.calendar, self.word("other", "years")
        if self.said("year"):
            return in_year(extent_of, self.number("year"))
        if offset is not None:
            extent = extent_of(calendar.today.year + offset)
            return NamedTime(extent) if extent else None
        extent = calendar.recurring(extent_of, self.which())
        return NamedTime(extent, certainty) if extent else None


def in_year(extent_of: Callable[[int], Extent | None], year: int) -> NamedTime | None:
    """A yearly time in that year."""
    extent = extent_of(year) if FIRST_YEAR <= year <= LAST_YEAR else None
    return NamedTime(extent, SURE, absolute=True) if extent else None


# ── relative to today ──


def _day(one: Reading) -> NamedTime:
    return NamedTime(one.part(one.calendar.from_today(one.word("day", "days"))))


def _hours(one: Reading) -> NamedTime:
    days, first, behind = one.word("hours", "parts_of_days")
    return NamedTime(one.calendar.part(one.calendar.from_today(days), (first, behind)))


def _window(one: Reading) -> NamedTime:
    """A vague window of days before now; until 0 = now."""
    calendar, (since, until, certainty) = one.calendar, one.word("window", "vague")
    start, end = calendar.now - since * DAY, calendar.now - until * DAY
    if since >= 1:
        start = calendar.moment(start.date())
        end = calendar.moment(end.date()) + DAY if until else end
    return NamedTime((start, end), certainty)


def _count(one: Reading) -> tuple[float, float]:
    """Minimum and maximum of a count: 三, 两三, 十几, 三个半, 三年多, two and a half."""
    vague = one.word("count", "vague_numbers")
    least, most = vague or (one.number("count", "numbers"),) * 2
    if one.said("half"):
        return least + 0.5, most + 0.5
    return (least, most + max(most / 4, 0.9)) if one.said("odd") else (least, most)


def _ago(one: Reading) -> NamedTime | None:
    (least, most), unit = _count(one), one.word("unit", "units")
    if one.said("careful") and unit == "year" and most >= _MOST_YEARS:
        return None
    extent, exact = one.calendar.around(least, most, unit), least == most
    if exact and one.said("unit") in one.words["nights"]:
        extent = one.calendar.part(extent, (18, 30))
    return NamedTime(extent, SURE if exact else LIKELY)


def _ahead(one: Reading) -> NamedTime | None:
    (least, most), unit = _count(one), one.word("unit", "units")
    if most >= _MOST_YEARS and (unit == "year" or not one.said("careful")):
        return None
    return NamedTime(one.calendar.around(-most, -least, unit), UNSURE)


def _so_far(one: Reading) -> NamedTime:
    least, most = _count(one)
    count = most if most >= 1 else (least + most) / 2
    extent = one.calendar.until_now(count, one.word("unit", "units"))
    return NamedTime(extent, UNSURE if one.said("careful") else LIKELY)


def _whole(one: Reading) -> NamedTime:
    """Last week, a day of it, 下个月五号, the next decade."""
    calendar, unit, offset = one.calendar, one.word("whole", "wholes"), one.word("which", "offsets")
    if unit == "month":
        if not one.said("date"):
            return NamedTime(calendar.months_from_now(offset, one.word("third", "thirds")))
        first = calendar.months_from_now(offset)[0].date()
        return NamedTime(calendar.day(first.replace(day=one.number("date"))))
    if unit == "weekend":
        return NamedTime(calendar.weekend(offset))
    if unit == "week":
        name = one.word("name", "weekdays")
        week = calendar.week(offset) if name is None else calendar.weekday(name, offset)
        return NamedTime(one.part(week))
    length = {"year": 1, "decade": 10, "century": 100}[unit]
    first_year = calendar.today.year // length * length + offset * length
    return NamedTime(calendar.years(first_year, first_year + length))


def _weekday(one: Reading) -> NamedTime:
    extent = one.calendar.nearest_weekday(one.word("name", "weekdays"), one.which())
    return NamedTime(one.part(extent), LIKELY if one.said("lead") or one.said("part") else BARE)


def _weekend(one: Reading) -> NamedTime:
    this = one.calendar.weekend(0)
    begun = this[0] <= one.calendar.now
    return NamedTime(this if begun else one.calendar.weekend(-1), UNSURE)


# ── calendar dates ──


def _date(one: Reading) -> NamedTime | None:
    """A day of a month, or the month if no day is named."""
    if not one.said("date"):
        return _month(one)
    bare = one.said("date").isdigit() and not (one.said("year") or one.said("plainly"))
    month = one.found["month"]
    if bare and month.islower() and month in one.words.get("months_also_words", ()):
        return None
    day, number_of_month = one.number("date", "ordinals"), one.number("month", "months")
    return one.yearly(partial(_on, one, number_of_month, day), NO_YEAR)


def _on(one: Reading, month: int, day: int, year: int) -> Extent | None:
    """The day in that year; None in years without it (February 29th)."""
    try:
        return one.part(one.calendar.day(one.calendar.today.replace(year, month, day)))
    except ValueError:
        return None


def _day_or_month_first(one: Reading) -> NamedTime | None:
    """5/14/2023 or 14.5.2023; if ambiguous, points and hyphens mean day first, a slash month first, both uncertain."""
    first, second = one.number("first"), one.number("second")
    month_first = second > 12 or (first <= 12 and one.said("mark") == "/")
    month, day = (first, second) if month_first else (second, first)
    named = in_year(partial(_on, one, month, day), one.number("year"))
    doubtful = max(first, second) <= 12 and first != second
    return NamedTime(named.extent, UNSURE if doubtful else SURE, absolute=True) if named else None


def _day_of_month(one: Reading) -> NamedTime:
    this, before = (
        one.calendar.day(
            one.calendar.months_from_now(back)[0].date() + (one.number("date") - 1) * DAY
        )
        for back in (0, -1)
    )
    return NamedTime(before if this[0] > one.calendar.now else this, BARE)


def _month(one: Reading) -> NamedTime | None:
    by_name = one.word("month", "months") is not None
    if by_name and not (one.said("year") or one.said("other") or _is_month(one)):
        return None
    month, third = one.number("month", "months"), one.word("third", "thirds")
    bare = by_name and not (one.said("lead") or third)
    return one.yearly(
        lambda year: one.calendar.month(year, month, third), BARE if bare else NO_YEAR
    )


def _is_month(one: Reading) -> bool:
    """Whether a month name without a year is a month: "in May", but not "may I", "the march", "June said"."""
    name, lead = one.said("month"), one.said("lead")
    capital = one.found["month"][0].isupper()
    if name in one.words["months_short"]:
        return bool(lead) and capital
    if lead in one.words["month_leads"] or one.said("third"):
        return True
    if lead in ("of", "from"):  # in "a letter from June" June is a person
        return capital and name not in one.words["months_also_names"]
    return capital and (bool(lead) or name in one.words["months_alone"])


def _season(one: Reading) -> NamedTime | None:
    name = one.word("season", "seasons", "season_words")
    certainty = UNSURE if one.which() == "latest" else LIKELY
    return one.yearly(lambda year: one.calendar.season(year, name), certainty)


def _festival(one: Reading) -> NamedTime | None:
    rule = one.word("name", "festivals", "festivals_unsure")
    certainty = LIKELY if one.said("lead") else BARE
    return one.yearly(partial(_festival_in, one.calendar, rule), certainty)


def _festival_in(calendar: Calendar, rule: str, year: int) -> Extent | None:
    days = festival_days(rule, year)
    return calendar.days(days[0], days[1] + DAY) if days else None


def _lunar(one: Reading) -> NamedTime | None:
    """A day of the lunar calendar, or the month if no day is named; the first month by default."""
    month = one.number("lunar", "lunar_months") if one.said("lunar") else 1
    if not one.said("lunar_day"):
        return one.yearly(partial(_lunar_month, one.calendar, month), NO_YEAR)
    rule = f"lunar {month} {one.number('lunar_day')}"
    return one.yearly(partial(_festival_in, one.calendar, rule), NO_YEAR)


def _lunar_month(calendar: Calendar, month: int, year: int) -> Extent | None:
    first = lunar_date(year, month, 1)
    behind = lunar_date(year + month // 12, month % 12 + 1, 1)
    return calendar.days(first, behind) if first and behind else None


def _year(one: Reading) -> NamedTime | None:
    return one.yearly(one.calendar.year, SURE)


def _part_of_year(one: Reading) -> NamedTime | None:
    first, last = one.word("months", "halves")
    month = one.calendar.month
    return one.yearly(lambda year: (month(year, first)[0], month(year, last)[1]), NO_YEAR)


MEANINGS: Mapping[str, Callable[[Reading], NamedTime | None]] = {
    "day": _day,
    "hours": _hours,
    "window": _window,
    "ago": _ago,
    "ahead": _ahead,
    "so_far": _so_far,
    "whole": _whole,
    "weekday": _weekday,
    "weekend": _weekend,
    "date": _date,
    "day_or_month_first": _day_or_month_first,
    "day_of_month": _day_of_month,
    "month": _month,
    "season": _season,
    "festival": _festival,
    "lunar": _lunar,
    "year": _year,
    "part_of_year": _part_of_year,
}
"""By the name used in rules."""
