"""Numbers, dates and hours in a sentence, in one notation for both languages: "3 pm" and 下午三点 are the same hour."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from rolememory.learn.reconcile.lexicon import lexicon
from rolememory.text.dates.chinese_calendar import number

_ZH = "零〇一二两三四五六七八九十百千万"
_NOON = 12
_OLDEST = 110  # years: a larger number behind "is" is no age
_ARTICLES = frozenset({"piece", "person", "week", "day"})  # 一个, 一人, 一周
_PARTS = {
    "下午": 12,
    "晚上": 12,
    "傍晚": 12,
    "中午": 12,
    "凌晨": 0,
    "早上": 0,
    "上午": 0,
    "清晨": 0,
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, or a time; `start` and `end` are places in the text."""

    start: int
    end: int
    number: tuple[float, str] | None = (
        None  # (value, unit), metres as centimetres; unit "" where none is named
    )
    time: str = ""  # "day 2" (Tuesday), "clock 15:00", "date 3-5", "year 2019", "month 6"


def quantities(text: str) -> list[Quantity]:
    """What folded text counts and dates, in its order.

    >>> [(q.number, q.time) for q in quantities("i'm 27, see you on tuesday at 3 pm")]
    [((27.0, 'year'), ''), (None, 'day 2'), (None, 'clock 15:00')]
    >>> [(q.number, q.time) for q in quantities("我三百一十二岁，周二下午三点见")]
    [((312.0, 'year'), ''), (None, 'day 2'), (None, 'clock 15:00')]
    """
    taken: list[Quantity] = []
    if not _sign().search(text):
        return taken
    for pattern, made in _patterns():
        for found in pattern.finditer(text):
            if all(found.end() <= one.start or found.start() >= one.end for one in taken):
                taken += [one for one in [made(found)] if one]
    return sorted(taken, key=lambda one: one.start)


def value(said: str) -> float:
    """What digits, English or Chinese number words amount to.

    >>> [value(said) for said in ("three hundred and twelve", "twenty-seven", "3,000", "八十二", "一万二千")]
    [312.0, 27.0, 3000.0, 82.0, 12000.0]
    """
    plain = said.replace(",", "").strip()
    if plain.replace(".", "", 1).isdigit():
        return float(plain)
    if plain[:1] in _ZH:
        high, _, low = plain.rpartition("万")
        return (number(high) or 1.0) * 10_000 * bool("万" in plain) + (number(low) if low else 0.0)
    return _english(plain)


def _english(said: str) -> float:
    total = current = 0
    for word in re.findall("[a-z]+", said):
        amount = lexicon().numbers.get(word)
        if amount is None:
            continue
        if amount < 100:
            current += amount
        elif amount == 100:
            current = (current or 1) * 100
        else:
            total, current = total + (current or 1) * amount, 0
    return float(total + current)


Made = Callable[[re.Match[str]], Quantity | None]


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Made], ...]:
    """Longer and surer readings first: what one has taken the next leave alone."""
    words = lexicon()
    word = "|".join(sorted(words.numbers, key=len, reverse=True))
    en = rf"(?:\d[\d,]*(?:\.\d+)?|\b(?:{word})\b(?:[\s-]+(?:and\s+)?(?:{word})\b)*)"
    zh = rf"(?:\d+(?:\.\d+)?|[{_ZH}]+)"
    latin, han = _split(words.units)
    month = "|".join(sorted(words.months, key=len, reverse=True))
    day = "|".join(sorted((name for name in words.days if name.isascii()), key=len, reverse=True))
    ordinal = r"(\d{1,2})(?:st|nd|rd|th)"
    rules: list[tuple[str, Made]] = [
        (r"((?:1[5-9]|20)\d\d)年", lambda m: _time(m, f"year {m[1]}")),
        (rf"({zh})月份?({zh})[日号]", lambda m: _time(m, f"date {value(m[1]):.0f}-{value(m[2]):.0f}")),
        (rf"\b({month})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?! ?(?:pm|am))", lambda m: _time(m, f"date {words.months[m[1]]}-{int(m[2])}")),
        (rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({month})\b", lambda m: _time(m, f"date {words.months[m[2]]}-{int(m[1])}")),
        (rf"(?:周|星期|礼拜)([{''.join(name for name in words.days if not name.isascii())}])", lambda m: _time(m, f"day {words.days[m[1]]}")),
        (rf"\b({day})s?\b", lambda m: _time(m, f"day {words.days[m[1]]}")),
        (rf"(?P<part>{'|'.join(_PARTS)})?(?P<hour>{zh})点(?P<rest>半|钟|整|{zh}分?)?(?![也都儿点])", _chinese_clock),
        (rf"(?P<hour>{en})(?::(?P<minute>\d\d))? ?(?P<half>a\.?m\.?|p\.?m\.?|o'clock)(?![a-z])", _english_clock),
        (rf"\b(?:at|until|till|by) (?P<hour>\d{{1,2}}|{word})(?::(?P<minute>\d\d))?(?P<half>)\b(?! ?(?:{latin}|%|times))", _english_clock),
        (r"\b(?P<hour>\d{1,2}):(?P<minute>\d\d)(?P<half>)\b", _english_clock),
        (rf"\b({en}) times (?:a|per|each|every) (day|week|month|year)\b", lambda m: _number(m, value(m[1]), f"times a {m[2]}")),
        (r"\b(once|twice|thrice) (?:a|per|each|every) (day|week|month|year)\b", lambda m: _number(m, _TIMES[m[1]], f"times a {m[2]}")),
        (rf"([$€£]) ?({en})", lambda m: _number(m, value(m[2]), {"$": "usd", "€": "eur", "£": "gbp"}[m[1]])),
        (rf"({zh})米({zh})(?![{_ZH}\d])", lambda m: _number(m, value(m[1]) * 100 + _tens(m[2]), "cm")),
        (rf"({zh}) ?({han})", lambda m: _counted(m, words.units)),
        (rf"\b({en})[ -]({latin})\b", lambda m: _counted(m, words.units)),
        (rf"\b({en}) ?(cm|km|kg|m)\b", lambda m: _counted(m, words.units)),
        (rf"\b(?:turned|turning|i'm|i am|is|am|aged) ({en})(?=$|[.,!?;]| (?:now|yesterday|today|last|this|in|on|next))", lambda m: _number(m, value(m[1]), "year" if value(m[1]) <= _OLDEST else "")),
        (rf"({zh})月份?", lambda m: _time(m, f"month {value(m[1]):.0f}")),
        (rf"\b(?:in|since|until|till|by|next|last|this|of) ({month})\b", lambda m: _time(m, f"month {words.months[m[1]]}")),
        (rf"(?<![尾账卡])({zh})[号日](?![码楼房线])", lambda m: _time(m, f"date {value(m[1]):.0f}") if value(m[1]) <= 31 else _number(m, value(m[1]), "")),
        (rf"\bthe {ordinal}\b", lambda m: _time(m, f"date {int(m[1])}")),
        (r"\b(?:in|since|from|of) (1[5-9]\d\d|20\d\d)\b", lambda m: _time(m, f"year {m[1]}")),
        (rf"\b({en})\b", lambda m: _number(m, value(m[1]), "")),
        (rf"(?:[{_ZH}]*[十百千万][{_ZH}]*|\d+)", lambda m: _number(m, value(m[0]), "")),
    ]  # fmt: skip
    return tuple((re.compile(pattern), made) for pattern, made in rules)


@cache
def _sign() -> re.Pattern[str]:
    """What stands in every text that counts or dates anything."""
    words = lexicon()
    named = "|".join(
        name
        for name in (*words.numbers, *words.days, *words.months, "once", "twice", "thrice")
        if name.isascii()
    )
    return re.compile(rf"\d|[{_ZH}]|(?:周|星期|礼拜)[日天]|\b(?:{named})s?\b")


_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}


def _split(units: Mapping[str, tuple[str, float]]) -> tuple[str, str]:
    """The names of units as patterns: Latin ones, Chinese ones, longest first."""
    names = sorted(units, key=len, reverse=True)
    return "|".join(name for name in names if name.isascii()), "|".join(
        name for name in names if not name.isascii()
    )


def _time(found: re.Match[str], time: str) -> Quantity:
    return Quantity(*found.span(), time=time)


def _number(found: re.Match[str], amount: float, unit: str) -> Quantity:
    return Quantity(*found.span(), number=(amount, unit))


def _counted(found: re.Match[str], units: Mapping[str, tuple[str, float]]) -> Quantity | None:
    """A number with its unit; one of something is only an article."""
    unit, factor = units[found[2]]
    amount = value(found[1])
    return (
        None
        if amount == 1 and unit in _ARTICLES
        else Quantity(*found.span(), number=(round(amount * factor, 6), unit))
    )


def _tens(said: str) -> float:
    """What stands behind 米: 一米八 is 180 cm, 一米七五 175."""
    amount = value(said)
    return amount * 10 if amount < 10 else amount


def _chinese_clock(found: re.Match[str]) -> Quantity | None:
    hour, rest = value(found["hour"]), found["rest"] or ""
    if (found["hour"] == "一" and not (rest or found["part"])) or hour > 24:
        return None  # 一点: "a little"
    minute = (
        30.0
        if rest == "半"
        else value(rest.rstrip("分"))
        if rest.rstrip("分") and rest not in "钟整"
        else 0.0
    )
    return _clock(found, hour, minute, _PARTS.get(found["part"] or "", 0))


def _english_clock(found: re.Match[str]) -> Quantity | None:
    hour = value(found["hour"])
    if hour > 24:
        return None
    return _clock(
        found,
        hour,
        float(found["minute"] or 0),
        _NOON if (found["half"] or "").startswith("p") else 0,
    )


def _clock(found: re.Match[str], hour: float, minute: float, later: int) -> Quantity:
    hour = hour + later if hour < _NOON else hour
    return Quantity(*found.span(), time=f"clock {hour:02.0f}:{minute:02.0f}")


def each(found: Iterator[Quantity]) -> tuple[frozenset[tuple[float, str]], frozenset[str]]:
    """The numbers and the times among quantities."""
    listed = list(found)
    return frozenset(one.number for one in listed if one.number), frozenset(
        one.time for one in listed if one.time
    )
