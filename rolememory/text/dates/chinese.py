"""Chinese words of time, simplified or traditional: 昨晚, 三天前, 上周三, 去年春天, 三月五日, 去年中秋."""

from collections.abc import Mapping
from functools import cache

import regex

from rolememory.text.dates import chinese_calendar
from rolememory.text.dates.chinese_calendar import DIGITS, number, part_of_day, part_pattern, words
from rolememory.text.dates.grammar import (
    LIKELY,
    SURE,
    UNSURE,
    Family,
    Grammar,
    Match,
    NamedTime,
    Rules,
    any_of,
    window,
)
from rolememory.text.dates.spans import UNIT_DAYS, Calendar

_WEEKS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_WEEKDAYS = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "7": 6,
}
_NOT_BEFORE = "(?![进面方后台端往来去辈任途景提期夫妻女男天年几些阵段线门锋世所者排沿列奏言戏])"
_AFTER = "(?![果代人辈悔续宫院台面门卫勤备])"


@cache
def chinese() -> Grammar:
    """The grammar, built from the lexicon once."""
    families = [
        Family(
            _last_characters(*words()["days"], *words()["parts_of_days"], *words()["vague"]),
            _days(),
        ),
        Family(frozenset("前后过近这"), _counts()),
        Family(frozenset("周期拜"), _weeks()),
        Family(frozenset("月"), _months()),
        *chinese_calendar.families(),
    ]
    return Grammar(families, any_of(words()["never"]), cache(regex.compile), set)


def _last_characters(*phrases: str) -> frozenset[str]:
    return frozenset(phrase[-1] for phrase in phrases)


@cache
def to_simple() -> Mapping[int, str]:
    """For `str.translate`: traditional characters in words of time, and full-width digits; one for one, so places stay."""
    pairs = words()["traditional"]
    return dict(zip(map(ord, pairs["from"]), pairs["to"], strict=True))


def _days() -> Rules:
    return [
        (rf"(?P<day>{any_of(words()['days'])})(?:的?{part_pattern()})?", _day),
        (any_of(words()["parts_of_days"]), _part_of_day),
        (any_of(words()["vague"]), _vague),
    ]


def _day(match: Match, calendar: Calendar) -> NamedTime:
    return NamedTime(
        part_of_day(calendar.from_today(words()["days"][match["day"]]), match, calendar)
    )


def _part_of_day(match: Match, calendar: Calendar) -> NamedTime:
    days, first, behind = words()["parts_of_days"][match[0]]
    return NamedTime(calendar.part(calendar.from_today(days), (first, behind)))


def _vague(match: Match, calendar: Calendar) -> NamedTime:
    since, until, certainty = words()["vague"][match[0]]
    return NamedTime(window(calendar, since, until), certainty)


def _counts() -> Rules:
    count = rf"(?P<count>{any_of(words()['vague_numbers'])}|\d{{1,4}}|[{DIGITS}十百千]+)"
    unit = f"(?P<unit>{any_of(each for each in words()['units'] if each != '月')}|(?<=个|数)月)"
    counted = rf"(?<![第\d{DIGITS}十百千./-]){count}(?P<odd>多|余)?个?(?P<half>半)?{unit}(?P<more>多|半|余)?"
    recent = r"(?:过去|最近|近|这)的?(?:这)?"
    return [
        (rf"{counted}(?:以前|之前|前){_NOT_BEFORE}", _ago),
        (rf"{counted}(?:以后|之后|后){_AFTER}", _later),
        (rf"{recent}{counted}(?!前|后|以|之|龄|级|代|纪)", _so_far),
    ]


def _count(match: Match) -> tuple[float, float]:
    """Least and most of what is counted: 三, 两三, 十几, 三个半, 三年多."""
    said = match["count"]
    bounds = words()["vague_numbers"].get(said)
    least, most = bounds if bounds else (number(said),) * 2
    if match["half"] or match["more"] == "半":
        return least + 0.5, most + 0.5
    return (least, most + max(most / 4, 0.9)) if match["odd"] or match["more"] else (least, most)


def _unit(match: Match) -> str:
    return str(words()["units"][match["unit"]])


def _ago(match: Match, calendar: Calendar) -> NamedTime | None:
    """三天前; 2000年前 may be two thousand years ago or before the year 2000, so it names nothing."""
    least, most = _count(match)
    if match["unit"] == "年" and most >= 1000:
        return None
    extent = calendar.around(least, most, _unit(match))
    exact = least == most
    return NamedTime(
        calendar.part(extent, (18, 30)) if exact and match["unit"] in "晚夜" else extent,
        SURE if exact else LIKELY,
    )


def _later(match: Match, calendar: Calendar) -> NamedTime | None:
    least, most = _count(match)
    if match["unit"] == "年" and most >= 1000:
        return None
    return NamedTime(calendar.around(-most, -least, _unit(match)), UNSURE)


def _so_far(match: Match, calendar: Calendar) -> NamedTime | None:
    least, most = _count(match)
    return (
        NamedTime(
            calendar.until_now(most if most >= 1 else (least + most) / 2, _unit(match)), UNSURE
        )
        if UNIT_DAYS[_unit(match)] >= 1
        else None
    )


def _weeks() -> Rules:
    which = "(?P<which>上上|下下|上|这|本|下)(?:一)?个?"
    week = "(?:周|星期|礼拜)"
    name = r"(?:(?P<name>[一二三四五六日](?![一二三四五六七八九十]|[次回趟遍])|天(?!气)|[1-7](?!\d))|(?P<end>末))"
    return [
        (rf"(?<![早晚马路天身]){which}{week}(?:{name}(?:的?{part_pattern()})?)?(?!围)", _week),
        (rf"(?<![每逢\d{DIGITS}十几个单双]){week}{name}(?:的?{part_pattern()})?", _weekday),
    ]


def _week(match: Match, calendar: Calendar) -> NamedTime:
    weeks = _WEEKS[match["which"]]
    if match["end"]:
        return NamedTime(calendar.weekend(weeks))
    if match["name"]:
        return NamedTime(
            part_of_day(calendar.weekday(_WEEKDAYS[match["name"]], weeks), match, calendar)
        )
    return NamedTime(calendar.week(weeks))


def _weekday(match: Match, calendar: Calendar) -> NamedTime:
    if match["end"]:
        this = calendar.weekend(0)
        return NamedTime(this if this[0] <= calendar.now else calendar.weekend(-1), UNSURE)
    extent = calendar.nearest_weekday(_WEEKDAYS[match["name"]], "latest")
    return NamedTime(part_of_day(extent, match, calendar), LIKELY if match["part"] else 0.6)


def _months() -> Rules:
    which = "(?:(?P<which>上上|下下|上|这|下)(?:一)?个|(?P<short>本|上|下|这))"
    day = rf"(?:(?P<day>\d{{1,2}}|[{DIGITS}十]{{1,3}})[日号]|(?P<part>初|中旬|中|底|末|上旬|下旬))"
    return [(rf"(?<![早晚马路天身]){which}月(?:的?{day})?(?![\d{DIGITS}])", _month)]


def _month(match: Match, calendar: Calendar) -> NamedTime | None:
    months = _WEEKS[match["which"] or match["short"]]
    if match["day"]:
        day = int(number(match["day"]))
        return NamedTime(calendar.day(calendar.months_from_now(months)[0].date().replace(day=day)))
    return NamedTime(
        calendar.months_from_now(months, chinese_calendar.DAYS_OF_PART.get(match["part"] or ""))
    )
