"""Ages and birthdays in Chinese numerals or digits, told in one form."""

import re

from rolememory.learn.statements.chinese_words import NUMBER
from rolememory.text.dates.chinese_calendar import number

_DATE = re.compile(
    rf"(?:(?P<lunar>农历|阴历|旧历)?)(?:(?P<year>[12][0-9]{{3}}|[12][零〇一二三四五六七八九]{{3}}|[一二][零〇一二三四五六七八九]{{3}}|[0-9]{{2}})年?[的,]?[-/.]?)?"
    rf"(?:(?P<month>{NUMBER})(?:月|[-/.])(?P<day>{NUMBER}|初[一二三四五六七八九十])?[日号]?)?"
)
_LUNAR_MONTHS = {"正月": "农历一月", "冬月": "农历十一月", "腊月": "农历十二月"}


def age(said: str) -> str:
    """A number of years in digits; "" where nobody is that old.

    >>> age("二十三"), age("23"), age("三千")
    ('23', '23', '3000')
    """
    years = (
        int(number(said))
        if said.isdigit() or not set(said) - set("零〇一二两三四五六七八九十百千")
        else 0
    )
    return str(years) if 0 < years < 100_000 else ""


def date(said: str) -> str:
    """A day of birth as 10月25日, with its year where it is told; "" where it is none.

    >>> date("十月二十五号"), date("1998年3月5日"), date("农历八月十五"), date("98年")
    ('10月25日', '1998年3月5日', '农历8月15日', '1998年')
    """
    for name, month in _LUNAR_MONTHS.items():
        said = said.replace(name, month)
    found = _DATE.fullmatch(said.strip().replace("农历农历", "农历"))
    if not found or not (found["month"] or found["year"]):
        return ""
    parts = [
        found["lunar"] or "",
        _year(found["year"]),
        _of_year(found["month"], 12, "月"),
        _of_year(found["day"], 31, "日"),
    ]
    return "" if "?" in parts else "".join(parts)


def _year(said: str | None) -> str:
    if not said:
        return ""
    year = int(number(said))
    year += 0 if year > 99 else 2000 if year < 30 else 1900
    return f"{year}年"


def _of_year(said: str | None, most: int, unit: str) -> str:
    if not said:
        return ""
    count = int(number(said.removeprefix("初"))) if not said.isascii() else int(said)
    return f"{count}{unit}" if 1 <= count <= most else "?"
