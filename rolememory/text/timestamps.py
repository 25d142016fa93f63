"""Parses times as people, frontends and databases write them."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from rolememory.text.late_pattern import late_pattern

_NUMBER = late_pattern(r"[+-]?\d+(?:\.\d+)?")
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_DAY_OF_MONTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_NAMED = r"(?P<name>[a-z]{3,9})\.?"
_CLOCK = r"""
    (?:
        (?:[T\s]|,\s|\s*\bat\b\s*|(?<=[日号號]))\s*
        (?P<han>凌晨|早上|上午|中午|下午|傍晚|晚上)?\s*
        (?P<hour>\d{1,2})
        (?:[:：时時点點](?P<minute>\d{1,2})分?(?:(?:[:：]|(?<=分))(?P<second>\d{1,2})秒?)?|(?=\s*[ap]\.?m))
        (?:\s*(?P<half>[ap])\.?m\.?)?
    )?\s*
"""
_DAYS = tuple(
    late_pattern(rf"{_WEEKDAY}{day}{_CLOCK}", re.IGNORECASE | re.VERBOSE)
    for day in (
        r"(?P<year>\d{4})\s*[-/.年]\s*(?P<month>\d{1,2})\s*[-/.月]\s*(?P<day>\d{1,2})\s*[日号號]?(?:\s*[(（]?(?:周|星期|礼拜)[一二三四五六日天][)）]?)?",
        rf"{_NAMED}\s*{_DAY_OF_MONTH},?\s+(?P<year>\d{{4}})",
        rf"{_DAY_OF_MONTH}\s+(?:of\s+)?{_NAMED},?\s+(?P<year>\d{{4}})",
    )
)
_NUMBERS = ("year", "month", "day", "hour", "minute", "second")
_MORNING, _AFTERNOON = ("a", "凌晨"), ("p", "下午", "傍晚", "晚上")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(value: Any, zone: tzinfo | None = UTC) -> datetime:
    """The time in UTC of ISO text, a date in digits or (English or Chinese) words, or an epoch in s, ms, µs or ns.

    A number's unit follows from its size: below 10^11 seconds (the year 5138), below 10^14 ms, below 10^17 µs, else ns.
    `zone` applies to times without one; None = the zone of this machine.
    Raises: ValueError.

    >>> [str(moment(value)) for value in (1714586400, "1714586400000", "2024年5月1日 18:00", "2024-05-01T18:00:00Z")] == ["2024-05-01 18:00:00+00:00"] * 4
    True
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return since_epoch(value)
        found = _written(value.strip()) if isinstance(value, str) else value
        if isinstance(found, datetime):
            here = found.replace(tzinfo=zone) if found.tzinfo is None and zone else found
            return here if here.tzinfo is UTC else here.astimezone(UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise ValueError(str(error)) from error
    raise ValueError(f"not a time: {type(value).__name__}")


def since_epoch(number: float) -> datetime:
    """The time of an epoch in s, ms, µs or ns.

    >>> str(since_epoch(1714586400123456))
    '2024-05-01 18:00:00.123456+00:00'
    """
    size = abs(number)
    micros = (
        number * (10**6 if size < 10**11 else 10**3 if size < 10**14 else 1)
        if size < 10**17
        else number // 1000
    )
    return _EPOCH + timedelta(microseconds=round(micros))


def iso(value: datetime) -> str:
    """The shortest ISO form in UTC.

    >>> iso(datetime(2024, 5, 1, 18, 0, tzinfo=UTC))
    '2024-05-01T18:00:00Z'
    """
    return value.isoformat().replace("+00:00", "Z")


def _written(text: str) -> datetime:
    if _NUMBER.fullmatch(text):
        return _digits(text)
    try:
        return datetime.fromisoformat(text)  # nearly all have this form
    except ValueError:
        for pattern in _DAYS:
            if found := pattern.fullmatch(text):
                return _told(found.groupdict())
        raise


def _told(parts: Mapping[str, str | None]) -> datetime:
    """The time of a date in words; months are recognised by three letters.

    >>> [str(_written(text))[:16] for text in ("April 1, 2024", "1 Apr 2024", "2024/4/1 8:53 PM", "Mon, Sept. 1st 2025 at 12 am")]
    ['2024-04-01 00:00', '2024-04-01 00:00', '2024-04-01 20:53', '2025-09-01 00:00']
    """
    year, number, day, hour, minute, second = (int(parts.get(one) or 0) for one in _NUMBERS)
    month = _month(name) if (name := parts.get("name")) else number
    half = (parts["half"] or parts["han"] or "").lower()
    if half in _AFTERNOON and hour < 12:
        hour += 12
    elif half in _MORNING and hour == 12:
        hour = 0
    return datetime(year, month, day, hour % 24, minute, second)  # noqa: DTZ001  # as written


def _month(name: str) -> int:
    """The number of a month from the start of its English name."""
    begin = {"sept": "sep"}.get(name.lower(), name.lower())
    months = [number for number, one in enumerate(_MONTHS.split(), 1) if one.startswith(begin)]
    if len(months) != 1:
        raise ValueError(f"no month: {begin}")
    return months[0]


def _digits(text: str) -> datetime:
    """The time of a year, a day or an epoch in digits.

    >>> _digits("1887").year, _digits("20240501").month, _digits("1714586400").year
    (1887, 5, 2024)
    """
    if len(text) == 4:
        return datetime(int(text), 1, 1, tzinfo=UTC)
    if len(text) == 8 and text[:2] in ("18", "19", "20", "21"):
        return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC)
    return since_epoch(float(text) if "." in text else int(text))
