"""Chinese words of the calendar: 二〇二三年三月五日, 去年春天, 三月初, 八十年代, 十九世纪, 正月初一, 去年中秋."""

from collections.abc import Mapping
from functools import partial
from typing import Any

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
    any_of,
    festival,
    got,
    in_year,
    lexicon,
    once_a_year,
    years_from_now,
)
from rolememory.text.dates.lunar import lunar_date
from rolememory.text.dates.spans import Calendar, Extent, Which

DIGITS = "〇零一二两三四五六七八九"
DAYS_OF_PART = {
    "初": (1, 10),
    "上旬": (1, 10),
    "中": (11, 20),
    "中旬": (11, 20),
    "底": (21, 31),
    "末": (21, 31),
    "下旬": (21, 31),
}
_HALVES = {
    "初": (1, 2),
    "年初": (1, 2),
    "中": (6, 7),
    "年中": (6, 7),
    "底": (11, 12),
    "年底": (11, 12),
    "末": (11, 12),
    "年末": (11, 12),
    "上半年": (1, 6),
    "下半年": (7, 12),
}
_VALUES = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


def words() -> Mapping[str, Any]:
    """The Chinese lexicon of time."""
    return lexicon("zh")


def part_pattern() -> str:
    """A pattern for the parts of a day."""
    return f"(?P<part>{any_of(words()['parts_of_day'])})"


_NUMBER_YEAR = rf"(?<![\d{DIGITS}十百千])(?P<year>[12]\d{{3}}|[一二][{DIGITS}]{{3}})年(?![级龄前后以之来间初中底末]|度假)"
_MONTH = (
    rf"(?<![\d{DIGITS}十百千几个])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
)
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号](?![码楼房线院门])"
_LUNAR_DAY = "(?P<lunar_day>初[一二三四五六七八九十]|二?十[一二三四五六七八九]|廿[一二三四五六七八九]|二十|三十)"


def _said_year() -> str:
    """去年, 今年, ..."""
    return f"(?P<other>{any_of(words()['years'])})"


def _year_before() -> str:
    """A year that something else follows: 2023年, 去年的."""
    return rf"(?:(?<![\d{DIGITS}十百千])(?P<year>[12]\d{{3}}|[一二][{DIGITS}]{{3}})年|{_said_year()})的?"


def families() -> list[Family]:
    """All rules of this page."""
    return [
        Family(frozenset("年纪"), _years()),
        Family(frozenset("月-/."), _dates()),
        Family(frozenset("月初"), _lunar()),
        Family(frozenset(words()["seasons"]) | {"假"}, _seasons()),
        Family(frozenset(name[-1] for name in words()["festivals"]), _festivals()),
    ]


def number(said: str) -> float:
    """The number in digits or Chinese numerals, read as a count or digit by digit; 0 where it is none.

    >>> [number(said) for said in ("三", "十五", "二十三", "一百零五", "二〇二三", "7")]
    [3.0, 15.0, 23.0, 105.0, 2023.0, 7.0]
    """
    if said.isascii():
        return float(said) if said.isdigit() else 0.0
    if not set(said) & set("十百千"):
        return float("".join(str(_VALUES[char]) for char in said))
    total, ones = 0, 0
    for char in said:
        scale = {"十": 10, "百": 100, "千": 1000}.get(char)
        if scale:
            total, ones = total + (ones or 1) * scale, 0
        else:
            ones = _VALUES.get(char, 0)
    return float(total + ones)


def part_of_day(extent: Extent, match: Match, calendar: Calendar) -> Extent:
    """The part of the day that the match names, or all of it."""
    part = got(match, "part")
    return calendar.part(extent, words()["parts_of_day"][part]) if part else extent


def _yearly(
    match: Match,
    calendar: Calendar,
    extent_of: Yearly,
    which: Which = "latest",
    certainty: float = NO_YEAR,
) -> NamedTime | None:
    """What comes once a year: in the year the match names, or the one meant by `which`."""
    if year := got(match, "year"):
        return in_year(extent_of, int(number(year)))
    if other := got(match, "other"):
        return years_from_now(extent_of, calendar, words()["years"][other])
    return once_a_year(extent_of, calendar, which, certainty)


def _years() -> Rules:
    tens = rf"(?P<full>[12]\d[\d]0|[一二][{DIGITS}]{{3}})|(?P<last>上个?世纪|二十世纪|20世纪)?(?P<tens>[1-9]0|[一二三四五六七八九]十)"
    part = f"(?P<half>{any_of(_HALVES)})"
    return [
        (_NUMBER_YEAR, _year),
        (_said_year(), _year),
        (rf"{_year_before()}{part}(?![级学午间])", _part_of_year),
        (r"(?P<half>年初|年中|年底|年末|上半年|下半年)", _part_of_year),
        (rf"(?:{tens})年代", _decade),
        (
            rf"(?<!上)(?P<nth>\d{{1,2}}|[{DIGITS}十]{{1,3}})世纪(?![\d一二三四五六七八九]+十?年代)",
            _century,
        ),
    ]


def _year(match: Match, calendar: Calendar) -> NamedTime | None:
    return _yearly(match, calendar, calendar.year)


def _part_of_year(match: Match, calendar: Calendar) -> NamedTime | None:
    first, last = _HALVES[match["half"]]
    return _yearly(
        match,
        calendar,
        lambda year: (calendar.month(year, first)[0], calendar.month(year, last)[1]),
    )


def _decade(match: Match, calendar: Calendar) -> NamedTime:
    if full := got(match, "full"):
        first = int(number(full))
    else:
        tens, century = int(number(match["tens"])), calendar.today.year // 100 * 100
        first = (
            century + tens
            if century + tens <= calendar.today.year and not got(match, "last")
            else century - 100 + tens
        )
    return NamedTime(calendar.years(first, first + 10), LIKELY, absolute=True)


def _century(match: Match, calendar: Calendar) -> NamedTime:
    nth = int(number(match["nth"]))
    return NamedTime(calendar.years((nth - 1) * 100 + 1, nth * 100 + 1), SURE, absolute=True)


def _dates() -> Rules:
    tail = f"(?:{_DAY}(?:的?{part_pattern()})?|(?P<third>初|上旬|中旬|中|底|末|下旬)(?!学|国|文|间|心))?"
    iso_month, iso_day = "(?P<month>1[0-2]|0?[1-9])", "(?P<day>[12]\\d|3[01]|0?[1-9])"
    return [
        (rf"{_year_before()}{_MONTH}{tail}", _date),
        (rf"{_MONTH}(?!前|后|以|之|一[次回天]|[一二三四五六七八九十]+个){tail}", _date),
        (rf"(?<!\d)(?P<year>[12]\d{{3}})(?P<mark>[-/.]){iso_month}(?P=mark){iso_day}(?!\d)", _date),
    ]


def _date(match: Match, calendar: Calendar) -> NamedTime | None:
    month = int(number(match["month"]))
    if not got(match, "day"):
        part = DAYS_OF_PART.get(got(match, "third"))
        return _yearly(match, calendar, lambda year: calendar.month(year, month, part))
    day = int(number(got(match, "day")))
    return _yearly(match, calendar, lambda year: _day(year, month, day, match, calendar))


def _day(year: int, month: int, day: int, match: Match, calendar: Calendar) -> Extent | None:
    """The day in that year; none in years without it (2月29日)."""
    try:
        return part_of_day(calendar.day(calendar.today.replace(year, month, day)), match, calendar)
    except ValueError:
        return None


def _lunar() -> Rules:
    month = "(?P<lunar>正|腊|冬|十[一二]?|[一二三四五六七八九])月"
    year = f"(?:{_year_before()})?"
    return [
        (rf"{year}(?:农历|阴历|旧历)的?{month}{_LUNAR_DAY}?", _lunar_day),
        (rf"{year}(?<![\d{DIGITS}十]){month}{_LUNAR_DAY}(?![日号个])", _lunar_day),
        (rf"{year}(?P<lunar>正|腊)月(?![\d{DIGITS}十廿初])", _lunar_day),
        (rf"{year}(?:大年|年)(?P<lunar_day>初[一二三四五六七八九十])", _lunar_day),
    ]


def _lunar_day(match: Match, calendar: Calendar) -> NamedTime | None:
    said = got(match, "lunar") or "正"
    month = {"正": 1, "冬": 11, "腊": 12}.get(said) or int(number(said))
    if not got(match, "lunar_day"):
        return _yearly(match, calendar, partial(_lunar_month, calendar, month))
    day = int(number(got(match, "lunar_day").removeprefix("初").replace("廿", "二十")))
    return _yearly(match, calendar, lambda year: festival(calendar, f"lunar {month} {day}", year))


def _lunar_month(calendar: Calendar, month: int, year: int) -> Extent | None:
    first = lunar_date(year, month, 1)
    behind = lunar_date(year + month // 12, month % 12 + 1, 1)
    return calendar.days(first, behind) if first and behind else None


def _seasons() -> Rules:
    season = f"(?:(?P<season>[{''.join(words()['seasons'])}])[天季]?|(?P<word>{any_of(words()['season_words'])}))"
    bare = f"(?:(?P<season>[{''.join(words()['seasons'])}])(?:天|季)|(?P<word>{any_of(words()['season_words'])}))"
    return [
        (rf"{_year_before()}{season}", _season),
        (rf"(?P<which>上个?|上一个|这个?|下个?|下一个){bare}", _season),
        (
            rf"(?<![每逢]|每年|一年|那年|那个|某个|整个){bare}(?=的?时|那|里|[,，。、!！?？\s]|我们|我|你|他|她|$)",
            _season,
        ),
    ]


def _season(match: Match, calendar: Calendar) -> NamedTime | None:
    name = (
        words()["seasons"].get(got(match, "season")) or words()["season_words"][got(match, "word")]
    )
    said = got(match, "which")
    which: Which = {"上": "last", "下": "next", "这": "this"}.get(said[:1], "latest")  # type: ignore[assignment]
    return _yearly(
        match, calendar, lambda year: calendar.season(year, name), which, LIKELY if said else UNSURE
    )


def _festivals() -> Rules:
    names, unsure = set(words()["festivals"]), set(words()["festivals_unsure"])
    certain = f"(?P<name>{any_of(names - unsure)})"
    whole = f"(?P<name>{any_of(names)})"
    after = "(?:期间|假期|那天|当天|那晚|前后|的时候|时节|之夜|夜)"
    return [
        (rf"{_year_before()}{whole}(?:{after})?", _festival),
        (rf"(?P<which>上个|上次|上一个|这个|这次|下个|下次){whole}(?:{after})?", _festival),
        (rf"(?<![每逢]|每年){certain}(?:{after})?(?!老人|树|快乐|礼物|卡)", _festival),
        (rf"(?<![每逢]|每年){whole}{after}", _festival),
    ]


def _festival(match: Match, calendar: Calendar) -> NamedTime | None:
    rule, said = words()["festivals"][match["name"]], got(match, "which")
    which: Which = {"上": "last", "下": "next", "这": "this"}.get(said[:1], "latest")  # type: ignore[assignment]
    return _yearly(
        match, calendar, lambda year: festival(calendar, rule, year), which, LIKELY if said else 0.6
    )
