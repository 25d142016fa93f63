"""Dates of yearly festivals, by rule."""

from datetime import date, timedelta

from rolememory.text.dates.lunar import lunar_date

DAY = timedelta(days=1)


def festival_days(rule: str, year: int) -> tuple[date, date] | None:
    """First and last day in that year (the lunar year for lunar rules), or None if unknown.

    Rules, as in the lexicons: "solar 12 25", "lunar 8 15", "weekday 11 3 4" (month, Monday = 0, the fourth;
    -1 = the last), "easter", "eve" (the evening before the lunar new year); each may be followed by "-1..3", the
    days from one before to three after it.

    >>> festival_days("solar 12 25 -1..1", 2024)
    (datetime.date(2024, 12, 24), datetime.date(2024, 12, 26))
    >>> festival_days("weekday 11 3 4", 2024)
    (datetime.date(2024, 11, 28), datetime.date(2024, 11, 28))
    """
    kind, *numbers = rule.split()
    around = numbers.pop() if numbers and ".." in numbers[-1] else "0..0"
    first, _, last = around.partition("..")
    day = _day(kind, [int(number) for number in numbers], year)
    return (day + int(first) * DAY, day + int(last) * DAY) if day else None


def _day(kind: str, numbers: list[int], year: int) -> date | None:
    if kind == "lunar":
        return lunar_date(year, *numbers)
    if kind == "eve":
        new_year = lunar_date(year, 1, 1)
        return new_year - DAY if new_year else None
    if kind == "easter":
        return easter(year)
    return date(year, *numbers) if kind == "solar" else _nth_weekday(year, *numbers)


def _nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    if nth < 0:
        last = date(year + month // 12, month % 12 + 1, 1) - DAY
        return last - ((last.weekday() - weekday) % 7) * DAY
    first = date(year, month, 1)
    return first + ((weekday - first.weekday()) % 7 + 7 * (nth - 1)) * DAY


def easter(year: int) -> date:
    """Easter Sunday of the Western churches. Source: the anonymous Gregorian algorithm (Nature, 1876).

    >>> easter(2024)
    datetime.date(2024, 3, 31)
    """
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (
        19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15
    ) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
