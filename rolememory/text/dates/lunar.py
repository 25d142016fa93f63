"""The Chinese lunar calendar, 1950 to 2100.

One hexadecimal number per year: a bit if the leap month has 30 days, twelve bits if months 1 to 12 have, then the number of
the month that is followed by a leap month (0 = none). Source: facts of the calendar as the Hong
Kong Observatory publishes them; every first of a month was compared with computed new moons at 120 degrees east.
"""

from datetime import date, timedelta
from functools import lru_cache

FIRST, LAST = 1950, 2100
_NEW_YEAR = date(1950, 2, 17)
_YEARS = tuple(
    int(code, 16)
    for code in """
    06ca0 0b550 15355 04da0 0a5b0 14573 052b0 0a9a8 0e950 06aa0 0aea6 0ab50 04b60 0aae4 0a570
    05260 0f263 0d950 05b57 056a0 096d0 04dd5 04ad0 0a4d0 0d4d4 0d250 0d558 0b540 0b6a0 195a6
    095b0 049b0 0a974 0a4b0 0b27a 06a50 06d40 0af46 0ab60 09570 04af5 04970 064b0 074a3 0ea50
    06b58 05ac0 0ab60 096d5 092e0 0c960 0d954 0d4a0 0da50 07552 056a0 0abb7 025d0 092d0 0cab5
    0a950 0b4a0 0baa4 0ad50 055d9 04ba0 0a5b0 15176 052b0 0a930 07954 06aa0 0ad50 05b52 04b60
    0a6e6 0a4e0 0d260 0ea65 0d530 05aa0 076a3 096d0 04afb 04ad0 0a4d0 1d0b6 0d250 0d520 0dd45
    0b5a0 056d0 055b2 049b0 0a577 0a4b0 0aa50 1b255 06d20 0ada0 14b63 09370 049f8 04970 064b0
    168a6 0ea50 06b20 1a6c4 0aae0 092e0 0d2e3 0c960 0d557 0d4a0 0da50 05d55 056a0 0a6d0 055d4
    052d0 0a9b8 0a950 0b4a0 0b6a6 0ad50 055a0 0aba4 0a5b0 052b0 0b273 06930 07337 06aa0 0ad50
    14b55 04b60 0a570 054e4 0d160 0e968 0d520 0daa0 16aa6 056d0 04ae0 0a9d4 0a2d0 0d150 0f252
    0d520
    """.split()
)


@lru_cache(maxsize=4096)
def lunar_date(year: int, month: int, day: int) -> date | None:
    """The Gregorian date of a lunar one, in the regular month of that number; None outside 1950..2100 or without such a day.

    >>> lunar_date(2024, 8, 15)  # the Mid-Autumn Festival
    datetime.date(2024, 9, 17)
    """
    if not (FIRST <= year <= LAST and 1 <= month <= 12):
        return None
    lengths = _lengths(year)
    before = [length for number, length in lengths if number < month]
    if not 1 <= day <= dict(reversed(lengths))[month]:
        return None
    days = (
        sum(sum(length for _, length in _lengths(each)) for each in range(FIRST, year))
        + sum(before)
        + day
        - 1
    )
    return _NEW_YEAR + timedelta(days=days)


def _lengths(year: int) -> list[tuple[int, int]]:
    """Number and days of each month of the year; a leap month has the number of the one before it."""
    code = _YEARS[year - FIRST]
    lengths = []
    for month in range(1, 13):
        lengths.append((month, 30 if code >> (16 - month) & 1 else 29))
        if code & 15 == month:
            lengths.append((month, 30 if code >> 16 else 29))
    return lengths
